package io.muster.deploy.board.whatif;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.kube.convert.PodConverter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** A cluster made of a seed, and manifests to ask about it. Confined to one thread. */
final class RandomCluster {

  private static final Instant NOW = Instant.parse("2026-11-22T06:00:00Z");
  private static final List<String> NAMESPACES = List.of("train", "serve", "lab");
  private static final String GPU = "nvidia.com/gpu";

  private final PodConverter translation = new PodConverter(new DialectDetector());
  private final Random random;
  private final List<Node> nodes = new ArrayList<>();
  private final List<Pod> pods = new ArrayList<>();
  private final List<Queue> queues = new ArrayList<>();

  private RandomCluster(long seed) {
    this.random = new Random(seed);
  }

  /** At most a dozen nodes, full or not, with gangs and pods of no gang. */
  static RandomCluster of(long seed) {
    var cluster = new RandomCluster(seed);
    int count = seed % 10 == 0 ? 0 : 1 + cluster.random.nextInt(12);
    for (int i = 0; i < count; i++) {
      cluster.node(i);
    }
    cluster.queues();
    int gangs = cluster.random.nextInt(2 * count + 1);
    for (int gang = 0; gang < gangs; gang++) {
      cluster.gang(gang);
    }
    return cluster;
  }

  /** As large as large ones are, and full. */
  static ClusterView large(int nodeCount, int gangCount, int waiting) {
    var cluster = new RandomCluster(7);
    for (int i = 0; i < nodeCount; i++) {
      cluster.nodes.add(cluster.translation.node(node("node-" + i, 8, i).build()));
    }
    for (int gang = 0; gang < gangCount; gang++) {
      var annotations = annotations("gang-" + gang, 4);
      for (int member = 0; member < 4; member++) {
        var node = gang < waiting ? "" : "node-" + (4 * gang + member) % nodeCount;
        cluster.pods.add(
            cluster.translation.pod(
                pod("gang-" + gang, member, "train", 4, node, gang, annotations).build()));
      }
    }
    return cluster.view();
  }

  private static Map<String, String> annotations(String gang, int min) {
    return Map.of("muster.io/gang-name", gang, "muster.io/gang-min", "" + min);
  }

  private static NodeBuilder node(String name, int gpus, int number) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .addToLabels("kubernetes.io/hostname", name)
        .addToLabels("pool", number % 2 == 0 ? "even" : "odd")
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withNewStatus()
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .endCondition()
        .addToAllocatable("cpu", new Quantity("64"))
        .addToAllocatable("memory", new Quantity("512Gi"))
        .addToAllocatable("pods", new Quantity("110"))
        .addToAllocatable(GPU, new Quantity("" + gpus))
        .endStatus();
  }

  private void node(int number) {
    var node = node("node-" + number, random.nextInt(9), number);
    switch (random.nextInt(8)) {
      case 0 -> node.editSpec().withUnschedulable(true).endSpec();
      case 1 ->
          node.editSpec()
              .addNewTaint()
              .withKey(random.nextBoolean() ? GPU : "dedicated")
              .withValue("yes")
              .withEffect("NoSchedule")
              .endTaint()
              .endSpec();
      case 2 -> node.editStatus().editCondition(0).withStatus("False").endCondition().endStatus();
      default -> {}
    }
    nodes.add(translation.node(node.build()));
  }

  private void queues() {
    if (random.nextInt(3) == 0) {
      queues.add(queue("research", Optional.of(4L + random.nextInt(12)), Optional.empty()));
      queues.add(queue("products", Optional.empty(), Optional.of(2L + random.nextInt(16))));
    }
  }

  private static Queue queue(String name, Optional<Long> quota, Optional<Long> limit) {
    return new Queue(
        name,
        1,
        quota,
        limit,
        Order.PRIORITY,
        false,
        Optional.empty(),
        Set.of(name.equals("research") ? "train" : "serve"));
  }

  private void gang(int number) {
    var namespace = NAMESPACES.get(random.nextInt(NAMESPACES.size()));
    int members = 1 + random.nextInt(3);
    int gpus = random.nextInt(5);
    boolean isRunning = random.nextInt(4) != 0 && !nodes.isEmpty();
    for (int member = 0; member < members; member++) {
      var node = isRunning ? nodes.get(random.nextInt(nodes.size())).name() : "";
      var annotations =
          random.nextInt(4) == 0
              ? Map.<String, String>of()
              : annotations("gang-" + number, members);
      pods.add(
          translation.pod(
              pod("gang-" + number, member, namespace, gpus, node, number, annotations).build()));
    }
  }

  private static PodBuilder pod(
      String gang,
      int member,
      String namespace,
      int gpus,
      String node,
      int minutes,
      Map<String, String> annotations) {
    var since = NOW.minusSeconds(60L * (1 + minutes)).toString();
    var name = gang + "-" + member;
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(name)
        .withUid("uid-" + name)
        .withCreationTimestamp(since)
        .withAnnotations(annotations)
        .endMetadata()
        .withNewSpec()
        .withNodeName(node.isEmpty() ? null : node)
        .addNewContainer()
        .withName("main")
        .withNewResources()
        .addToLimits(GPU, new Quantity("" + gpus))
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase(node.isEmpty() ? "Pending" : "Running")
        .withStartTime(node.isEmpty() ? null : since)
        .endStatus();
  }

  ClusterView view() {
    return new ClusterView(
        NOW,
        Rules.extender(NodePinPolicy.AUTO),
        Deadlines.DEFAULT,
        false,
        queues,
        Levels.FOUND,
        List.of(),
        List.of(),
        new TreeMap<>(),
        nodes,
        List.of(),
        List.of(),
        pods);
  }

  String namespace() {
    return NAMESPACES.get(random.nextInt(NAMESPACES.size()));
  }

  /** A gang, or pods without one, by any kind of workload. */
  String manifest() {
    int kind = random.nextInt(3);
    int members = kind == 0 ? 1 : 1 + random.nextInt(4);
    int gpus = random.nextInt(7);
    var min =
        switch (random.nextInt(16)) {
          case 0 -> "" + (members + 1);
          case 1 -> "two";
          default -> "" + members;
        };
    var annotations = new ArrayList<String>();
    if (random.nextInt(5) != 0) {
      annotations.add("muster.io/gang-name: new");
      annotations.add("muster.io/gang-min: \"%s\"".formatted(min));
    }
    if (random.nextInt(6) == 0) {
      annotations.add(
          "muster.io/queue: " + List.of("research", "products", "none").get(random.nextInt(3)));
    }
    var selector = random.nextInt(4) == 0 ? "nodeSelector: {pool: even}, " : "";
    var spec =
        "%scontainers: [{name: main, image: i, resources: {limits: {%s: %d, cpu: %d}}}]"
            .formatted(selector, GPU, gpus, 1 + random.nextInt(8));
    var template =
        "{metadata: {annotations: {%s}}, spec: {%s}}"
            .formatted(String.join(", ", annotations), spec);
    return switch (kind) {
      case 1 ->
          "{apiVersion: batch/v1, kind: Job, metadata: {name: new}, spec: {parallelism: %d, template: %s}}"
              .formatted(members, template);
      case 2 ->
          "{kind: JobSet, metadata: {name: new}, spec: {replicatedJobs: [{replicas: 1, template: {spec: {parallelism: %d, template: %s}}}]}}"
              .formatted(members, template);
      default ->
          "{kind: Pod, metadata: {name: new, annotations: {%s}}, spec: {%s}}"
              .formatted(String.join(", ", annotations), spec);
    };
  }
}
