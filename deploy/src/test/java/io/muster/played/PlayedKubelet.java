package io.muster.played;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.sandbox.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** One node that really runs its pods, each on a thread of its own. Safe for concurrent use. */
final class PlayedKubelet implements AutoCloseable {

  /** What the nodes and pods say that their machine is. */
  static final String HOST = "127.0.0.1";

  /** The label of the nodes that run pods, for node selectors. */
  static final String LABEL = "muster.test/played";

  private static final Duration READY_LIMIT = Duration.ofSeconds(30);

  private final PlayedCluster cluster;
  private final PodNetwork network;
  private final Map<String, PlayedPod> pods = new ConcurrentHashMap<>();
  private final SharedIndexInformer<Pod> watch;

  PlayedKubelet(PlayedCluster cluster, PodNetwork network, PlayedNode played) {
    this.cluster = cluster;
    this.network = network;
    var name = played.name();
    cluster.client().nodes().resource(node(played)).create();
    Await.until("node " + name + " to be untainted", READY_LIMIT, () -> isUsable(played));
    watch =
        cluster
            .client()
            .pods()
            .inAnyNamespace()
            .withField("spec.nodeName", name)
            .runnableInformer(0);
    watch.addEventHandler(new Bound());
    watch.run();
  }

  /** The pod of that name that is played here. */
  Optional<PlayedPod> pod(String namespace, String name) {
    return watch.getStore().list().stream()
        .filter(pod -> pod.getMetadata().getName().equals(name))
        .filter(pod -> pod.getMetadata().getNamespace().equals(namespace))
        .findFirst()
        .map(pod -> pods.get(pod.getMetadata().getUid()));
  }

  private boolean isUsable(PlayedNode played) {
    var node = cluster.client().nodes().withName(played.name()).get();
    return node.getSpec().getTaints().equals(played.taints());
  }

  private static Node node(PlayedNode played) {
    var name = played.name();
    var capacity =
        Map.of(
            "cpu", new Quantity("16"),
            "memory", new Quantity("64Gi"),
            "ephemeral-storage", new Quantity("1Ti"),
            "pods", new Quantity("110"));
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .addToLabels("kubernetes.io/hostname", name)
        .addToLabels("kubernetes.io/os", "linux")
        .addToLabels("kubernetes.io/arch", "amd64")
        .addToLabels(LABEL, "true")
        .addToLabels(played.labels())
        .endMetadata()
        .withNewSpec()
        .withTaints(played.taints())
        .endSpec()
        .withNewStatus()
        .withCapacity(capacity)
        .withAllocatable(capacity)
        .addNewAddress(HOST, "InternalIP")
        .withConditions(List.of())
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .withReason("KubeletReady")
        .endCondition()
        .endStatus()
        .build();
  }

  @Override
  public void close() {
    watch.close();
    pods.values().forEach(PlayedPod::abandon);
    pods.values().forEach(PlayedPod::awaitEnd);
  }

  private final class Bound implements ResourceEventHandler<Pod> {

    @Override
    public void onAdd(Pod pod) {
      var played = new PlayedPod(cluster, pod, network.next());
      if (pods.putIfAbsent(pod.getMetadata().getUid(), played) == null) {
        played.start();
        onUpdate(pod, pod);
      }
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      if (pod.getMetadata().getDeletionTimestamp() != null) {
        long seconds =
            Optional.ofNullable(pod.getMetadata().getDeletionGracePeriodSeconds()).orElse(0L);
        played(pod).ifPresent(played -> played.end(Duration.ofSeconds(seconds)));
      }
    }

    @Override
    public void onDelete(Pod pod, boolean isStateUnknown) {
      played(pod).ifPresent(PlayedPod::abandon);
      pods.remove(pod.getMetadata().getUid());
    }

    private Optional<PlayedPod> played(Pod pod) {
      return Optional.ofNullable(pods.get(pod.getMetadata().getUid()));
    }
  }
}
