package io.muster.real;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One job of DLRover in a namespace and on nodes of its own. Closing it removes all. Confined to
 * the thread that plays.
 */
final class DlroverScene implements AutoCloseable {

  private static final String LABEL = "elasticjob.dlrover/";

  private final Sandbox sandbox;
  private final TestSpace space;
  private final String job;

  private DlroverScene(Sandbox sandbox, TestSpace space, String job) {
    this.sandbox = sandbox;
    this.space = space;
    this.job = job;
  }

  static DlroverScene open(Sandbox sandbox, String name, String job) {
    return new DlroverScene(sandbox, TestSpace.open(sandbox, name), job);
  }

  TestSpace space() {
    return space;
  }

  String namespace() {
    return space.namespace();
  }

  /** A manifest that names the tutorial's namespace. */
  void create(String manifest) {
    var text = manifest.replace("namespace: dlrover", "namespace: " + namespace());
    space
        .client()
        .load(new ByteArrayInputStream(text.getBytes(UTF_8)))
        .items()
        .forEach(object -> space.client().resource(object).create());
  }

  String phase() {
    return Optional.ofNullable(
            space.client().resources(ElasticJob.class).inNamespace(namespace()).withName(job).get())
        .flatMap(object -> Optional.ofNullable(object.getStatus()))
        .flatMap(status -> Optional.ofNullable(status.phase()))
        .orElse("");
  }

  List<Pod> workers() {
    return pods("worker");
  }

  List<Pod> masters() {
    return pods("dlrover-master");
  }

  private List<Pod> pods(String role) {
    return space
        .client()
        .pods()
        .inNamespace(namespace())
        .withLabel(LABEL + "name", job)
        .withLabel(LABEL + "replica-type", role)
        .list()
        .getItems();
  }

  static boolean isRunning(Pod pod) {
    return "Running".equals(pod.getStatus().getPhase());
  }

  static String label(Pod pod, String key) {
    return pod.getMetadata().getLabels().get(LABEL + key);
  }

  long running() {
    return workers().stream().filter(DlroverScene::isRunning).count();
  }

  long bound() {
    return workers().stream().filter(pod -> pod.getSpec().getNodeName() != null).count();
  }

  /** How many workers have an Event that says these words. */
  long saying(String words) {
    var pods = workers().stream().map(pod -> pod.getMetadata().getName()).toList();
    return space.client().v1().events().inNamespace(namespace()).list().getItems().stream()
        .filter(event -> Objects.requireNonNullElse(event.getMessage(), "").contains(words))
        .map(event -> event.getInvolvedObject().getName())
        .filter(pods::contains)
        .distinct()
        .count();
  }

  void suspend(boolean isSuspended) {
    kubectl(
        "patch",
        "elasticjob",
        job,
        "--type=merge",
        "-p",
        "{\"spec\":{\"suspend\":%s}}".formatted(isSuspended));
  }

  void deletePod(String name) {
    kubectl("delete", "pod", name, "--force", "--grace-period=0");
  }

  private void kubectl(String verb, String... rest) {
    var line = new ArrayList<>(List.of(verb, "-n", namespace()));
    line.addAll(List.of(rest));
    sandbox.kubectl(line.toArray(String[]::new));
  }

  /** Tells of the end of the master's process what the kubelet would. */
  void masterEnded(int exitCode) {
    var master = masters().getFirst();
    space
        .client()
        .pods()
        .inNamespace(namespace())
        .withName(master.getMetadata().getName())
        .editStatus(pod -> {
          pod.getStatus().setPhase(exitCode == 0 ? "Succeeded" : "Failed");
          pod.getStatus()
              .setContainerStatuses(
                  List.of(
                      new ContainerStatusBuilder()
                          .withName(pod.getSpec().getContainers().getFirst().getName())
                          .withImage("any")
                          .withImageID("any")
                          .withReady(false)
                          .withRestartCount(0)
                          .withNewState()
                          .withNewTerminated()
                          .withExitCode(exitCode)
                          .withReason(exitCode == 0 ? "Completed" : "Error")
                          .endTerminated()
                          .endState()
                          .build()));
          return pod;
        });
  }

  /** A client with the rights of the master. */
  KubernetesClient masterClient() {
    return new KubernetesClientBuilder()
        .withConfig(Config.fromKubeconfig(RealMaster.kubeconfig(sandbox, namespace())))
        .build();
  }

  @Override
  public void close() {
    space.close();
  }
}
