package io.muster.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.api.Condition;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** DI-engine's jobs of one test. Confined to the test's thread. */
final class DiJobs {

  static final Duration SOON = Duration.ofSeconds(30);

  private final TestSpace space;

  DiJobs(TestSpace space) {
    this.space = space;
  }

  /** An example, on the nodes of the test and with pods that go quickly. */
  String example(String file) {
    try {
      return Files.readString(
              Layout.current().deploy().resolveSibling("examples/di-orchestrator/" + file))
          .replaceAll(
              "(?m)^( +)containers:$",
              "$1terminationGracePeriodSeconds: 1\n$1nodeSelector: {%s: %s}\n$1containers:"
                  .formatted(TestSpace.SET_LABEL, space.namespace()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void create(String manifest) {
    space
        .client()
        .load(new ByteArrayInputStream(manifest.getBytes(UTF_8)))
        .items()
        .forEach(object -> space.client().resource(object).inNamespace(space.namespace()).create());
  }

  /** What the aggregators of all jobs are. */
  void aggregators() {
    space
        .client()
        .load(
            new ByteArrayInputStream(
                """
                apiVersion: v1
                kind: Namespace
                metadata: {name: di-system}
                ---
                apiVersion: diengine.opendilab.org/v1alpha1
                kind: AggregatorConfig
                metadata: {name: aggregator-config, namespace: di-system}
                spec:
                  aggregator:
                    template:
                      spec:
                        terminationGracePeriodSeconds: 1
                        containers: [{name: di-container, image: any}]
                """
                    .getBytes(UTF_8)))
        .serverSideApply();
  }

  DIJob job(String name) {
    return space
        .client()
        .resources(DIJob.class)
        .inNamespace(space.namespace())
        .withName(name)
        .get();
  }

  /** Changes the job as it is stored, again where somebody else has written in between. */
  void edit(String name, UnaryOperator<DIJob> change) {
    Await.until("the job to be changed", SOON, () -> isEdited(name, change));
  }

  private boolean isEdited(String name, UnaryOperator<DIJob> change) {
    try {
      space
          .client()
          .resources(DIJob.class)
          .inNamespace(space.namespace())
          .withName(name)
          .edit(change);
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return false;
      }
      throw e;
    }
  }

  /** Sets how many pods a task is to have, as its user would. */
  void resize(String name, int task, int replicas) {
    kubectl(
        "patch",
        "dijob",
        name,
        "--type=json",
        "-p",
        "[{\"op\":\"replace\",\"path\":\"/spec/tasks/%d/replicas\",\"value\":%d}]"
            .formatted(task, replicas));
  }

  DIJobStatus status(String name) {
    return Optional.ofNullable(job(name).getStatus()).orElseThrow();
  }

  String phase(String name) {
    return Optional.ofNullable(job(name))
        .flatMap(job -> Optional.ofNullable(job.getStatus()))
        .map(DIJobStatus::phase)
        .orElse("");
  }

  void awaitPhase(String name, String phase) {
    Await.until(name + " to be " + phase, SOON, () -> phase(name).equals(phase));
  }

  Optional<Condition> condition(String name, String type) {
    return status(name).conditions().stream()
        .filter(condition -> condition.type().equals(type))
        .findFirst();
  }

  /** All pods of the test by name. */
  Map<String, Pod> pods() {
    return space.client().pods().inNamespace(space.namespace()).list().getItems().stream()
        .collect(
            Collectors.toMap(
                pod -> pod.getMetadata().getName(), pod -> pod, (a, _) -> a, TreeMap::new));
  }

  /** Names of the pods that run and stay. */
  List<String> running() {
    return pods().values().stream()
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .filter(pod -> !pod.isMarkedForDeletion())
        .map(pod -> pod.getMetadata().getName())
        .toList();
  }

  void awaitRunning(String... names) {
    var wanted = Stream.of(names).sorted().toList();
    Await.until(wanted + " to run", SOON, () -> running().equals(wanted));
  }

  long bound() {
    return pods().values().stream().filter(pod -> pod.getSpec().getNodeName() != null).count();
  }

  /** Ends a pod that runs, as a kubelet would report it. */
  void end(String pod, int exitCode) {
    var running = pods().get(pod);
    var main = running.getSpec().getContainers().getFirst();
    space
        .client()
        .resource(
            new PodBuilder(running)
                // Whoever has written it meanwhile has written something else.
                .editMetadata()
                .withResourceVersion(null)
                .endMetadata()
                .editStatus()
                .withPhase(exitCode == 0 ? "Succeeded" : "Failed")
                .withContainerStatuses(
                    new ContainerStatusBuilder()
                        .withName(main.getName())
                        .withImage(main.getImage())
                        .withImageID("")
                        .withReady(false)
                        .withRestartCount(0)
                        .withNewState()
                        .withNewTerminated()
                        .withExitCode(exitCode)
                        .withReason(exitCode == 0 ? "Completed" : "Error")
                        .withFinishedAt(Instant.now().toString())
                        .endTerminated()
                        .endState()
                        .build())
                .endStatus()
                .build())
        .patchStatus();
  }

  static Map<String, String> variables(Pod pod) {
    return pod.getSpec().getContainers().getFirst().getEnv().stream()
        .filter(variable -> variable.getValue() != null)
        .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue, (_, later) -> later));
  }

  /** Reasons and messages of the Events on an object. */
  List<String> events(String object) {
    return space.client().v1().events().inNamespace(space.namespace()).list().getItems().stream()
        .filter(event -> object.equals(event.getInvolvedObject().getName()))
        .map(event -> event.getReason() + ": " + Objects.requireNonNullElse(event.getMessage(), ""))
        .toList();
  }

  String kubectl(String... arguments) {
    return space
        .sandbox()
        .kubectl(
            Stream.concat(Stream.of(arguments), Stream.of("-n", space.namespace()))
                .toArray(String[]::new));
  }

  /** What kubectl says when it would create that. */
  String warnings(String manifest) {
    return space.warnings(manifest);
  }

  /** What kubectl prints, the ages left out. */
  List<String> printed(String what) {
    return kubectl("get", what)
        .lines()
        .map(line -> line.strip().replaceAll("\\s+[0-9hms]+$|\\s+AGE$", "").replaceAll("\\s+", " "))
        .toList();
  }
}
