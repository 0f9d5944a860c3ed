package io.muster.deploy.view;

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
import io.muster.extender.core.queue.Queue;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.snapshot.SnapshotFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;

/** Clusters in files, for commands that read them, and how such commands are run. */
public final class Views {

  /** When each of them was taken. */
  public static final Instant NOW = Instant.parse("2026-11-22T06:00:00Z");

  private final PodConverter translation = new PodConverter(new DialectDetector());
  private final List<Node> nodes = new ArrayList<>();
  private final List<Pod> pods = new ArrayList<>();
  private final List<Queue> queues = new ArrayList<>();

  /** How a run ended. */
  public record Run(int code, String out, String err) {}

  /** What the command says and how it ends. */
  public static Run run(Object command, String... arguments) {
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        new CommandLine(command)
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(arguments);
    return new Run(code, out.toString(), err.toString());
  }

  /** A node that accepts pods. */
  public Views node(String name, int gpus) {
    nodes.add(
        translation.node(
            new NodeBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .addToAllocatable("cpu", new Quantity("64"))
                .addToAllocatable("memory", new Quantity("512Gi"))
                .addToAllocatable("pods", new Quantity("110"))
                .addToAllocatable("nvidia.com/gpu", new Quantity("" + gpus))
                .endStatus()
                .build()));
    return this;
  }

  /** Queues without limits, open to all. */
  public Views queues(List<String> names) {
    names.forEach(name -> queues.add(Queue.unbounded(name)));
    return this;
  }

  /** One more queue. */
  public Views queue(Queue queue) {
    queues.add(queue);
    return this;
  }

  /** A member of a gang of one, on that node. */
  public Views runs(String gang, String node, int gpus) {
    return pod(
        gang + "-0", gpus, node, Map.of("muster.io/gang-name", gang, "muster.io/gang-min", "1"));
  }

  /** A pod of namespace train, ten minutes old; on no node if that is empty. */
  public Views pod(String name, int gpus, String node, Map<String, String> annotations) {
    pods.add(
        translation.pod(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace("train")
                .withName(name)
                .withUid("uid-" + name)
                .withCreationTimestamp(NOW.minusSeconds(600).toString())
                .withAnnotations(annotations)
                .endMetadata()
                .withNewSpec()
                .withNodeName(node.isEmpty() ? null : node)
                .addNewContainer()
                .withName("main")
                .withNewResources()
                .addToLimits("nvidia.com/gpu", new Quantity("" + gpus))
                .endResources()
                .endContainer()
                .endSpec()
                .withNewStatus()
                .withPhase(node.isEmpty() ? "Pending" : "Running")
                .withStartTime(node.isEmpty() ? null : NOW.minusSeconds(600).toString())
                .endStatus()
                .build()));
    return this;
  }

  /** The file's name. */
  public String in(Path folder) throws IOException {
    var file = folder.resolve("snapshot.json");
    try (var out = Files.newOutputStream(file)) {
      SnapshotFile.write(view(), out);
    }
    return file.toString();
  }

  /** The cluster itself. */
  public ClusterView view() {
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
}
