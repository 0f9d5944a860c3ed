package io.muster.played;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.muster.sandbox.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What kubeadm makes of kube-scheduler on control-plane nodes: its ClusterConfiguration in a
 * ConfigMap, and a static pod on each node, of which here only its mirror at the API server is
 * there. Confined to one thread.
 */
final class PlayedKubeadm {

  private static final Duration READY_LIMIT = Duration.ofMinutes(2);
  private static final String NAMESPACE = "kube-system";
  private static final String KUBECONFIG = "/etc/kubernetes/scheduler.conf";

  private static final String INITIAL =
      """
      apiVersion: kubeadm.k8s.io/v1beta4
      clusterName: kubernetes
      controlPlaneEndpoint: api.example.org:6443
      kind: ClusterConfiguration
      kubernetesVersion: v1.37.2
      scheduler: {}
      """;

  private final PlayedCluster cluster;
  private final List<String> nodes;

  PlayedKubeadm(PlayedCluster cluster, List<String> nodes) {
    this.cluster = cluster;
    this.nodes = nodes;
  }

  /** Has kube-schedulers on the nodes place pods, instead of the sandbox's. */
  void init() throws IOException {
    cluster
        .client()
        .configMaps()
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName("kubeadm-config")
                .withNamespace(NAMESPACE)
                .endMetadata()
                .addToData("ClusterConfiguration", INITIAL)
                .build())
        .create();
    cluster.sandbox().scheduler().kill();
    for (var node : nodes) {
      var file = cluster.host(node, Path.of(KUBECONFIG));
      Files.createDirectories(file.getParent());
      Files.copy(cluster.sandbox().state().kubeconfig(), file);
    }
    schedulersOneByOne(INITIAL);
  }

  /**
   * {@code kubeadm init phase control-plane scheduler} on one node after the other, each when the
   * one before is ready.
   *
   * @param configuration the ClusterConfiguration in the file of {@code --config}
   */
  void schedulersOneByOne(String configuration) throws IOException {
    var scheduler = new YAMLMapper().readTree(configuration).path("scheduler");
    for (var node : nodes) {
      var pod = pod(node, scheduler);
      var there = resource(pod);
      if (there.get() != null) {
        there.delete();
        Await.until("the end of kube-scheduler", READY_LIMIT, () -> there.get() == null);
      }
      there.create();
      Await.until("kube-scheduler to be ready", READY_LIMIT, () -> there.isReady());
    }
  }

  private PodResource resource(Pod pod) {
    return cluster.client().pods().resource(pod);
  }

  /** As kubeadm writes it, but for its hostNetwork: addresses of nodes are not played. */
  private static Pod pod(String node, JsonNode scheduler) {
    var command = new ArrayList<String>();
    command.add("kube-scheduler");
    command.add("--authentication-kubeconfig=" + KUBECONFIG);
    command.add("--authorization-kubeconfig=" + KUBECONFIG);
    command.add("--bind-address=127.0.0.1");
    scheduler
        .path("extraArgs")
        .forEach(argument ->
            command.add(
                "--%s=%s"
                    .formatted(argument.path("name").asText(), argument.path("value").asText())));
    command.add("--kubeconfig=" + KUBECONFIG);
    command.add("--leader-elect=true");
    // Not of kubeadm: a busy machine renews no lease within seconds.
    command.add("--leader-elect-lease-duration=60s");
    command.add("--leader-elect-renew-deadline=40s");
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("kube-scheduler-" + node)
            .withNamespace(NAMESPACE)
            .addToLabels("component", "kube-scheduler")
            .addToLabels("tier", "control-plane")
            .addToAnnotations("kubernetes.io/config.mirror", node)
            .endMetadata()
            .withNewSpec()
            .withNodeName(node)
            .withPriorityClassName("system-node-critical")
            .addNewToleration()
            .withOperator("Exists")
            .endToleration()
            .addNewContainer()
            .withName("kube-scheduler")
            .withImage("registry.k8s.io/kube-scheduler:v1.37.2")
            .withCommand(command)
            .addNewPort()
            .withName("probe-port")
            .withContainerPort(10259)
            .endPort()
            .withNewReadinessProbe()
            .withNewHttpGet()
            .withPath("/readyz")
            .withNewPort("probe-port")
            .withScheme("HTTPS")
            .endHttpGet()
            .withPeriodSeconds(1)
            .endReadinessProbe()
            .addNewVolumeMount()
            .withName("kubeconfig")
            .withMountPath(KUBECONFIG)
            .withReadOnly(true)
            .endVolumeMount()
            .endContainer()
            .addNewVolume()
            .withName("kubeconfig")
            .withNewHostPath()
            .withPath(KUBECONFIG)
            .endHostPath()
            .endVolume()
            .endSpec()
            .build();
    for (var volume : scheduler.path("extraVolumes")) {
      pod = mounting(pod, volume);
    }
    return pod;
  }

  private static Pod mounting(Pod pod, JsonNode volume) {
    return new PodBuilder(pod)
        .editSpec()
        .editFirstContainer()
        .addNewVolumeMount()
        .withName(volume.path("name").asText())
        .withMountPath(volume.path("mountPath").asText())
        .withReadOnly(volume.path("readOnly").asBoolean())
        .endVolumeMount()
        .endContainer()
        .addNewVolume()
        .withName(volume.path("name").asText())
        .withNewHostPath()
        .withPath(volume.path("hostPath").asText())
        .endHostPath()
        .endVolume()
        .endSpec()
        .build();
  }

  /** Copies a file to that place on every node. */
  void copy(Path file, Path folder) throws IOException {
    for (var node : nodes) {
      var there = Files.createDirectories(cluster.host(node, folder));
      Files.copy(file, there.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
