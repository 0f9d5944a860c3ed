package io.muster.demo;

import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.muster.sandbox.NodeRequest;
import io.muster.sandbox.NodeShape;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Four must start together and there is room for two: none starts, and each says why. */
final class WaitsWhole implements Act {

  private static final String NAMESPACE = Stage.NAMESPACE;
  private static final String GANG = Stage.TORCH_MNIST.name();
  private static final Duration WATCHED = Duration.ofSeconds(3);
  private static final String TRIGGER = "torch-mnist-edljob-worker-2";

  private static final String VERDICT =
      "0/13 nodes are available: 2 Insufficient nvidia.com/gpu, 3 node(s) had untolerated taint"
          + " {node-role.kubernetes.io/control-plane: }, 8 node(s) didn't match Pod's node"
          + " affinity/selector";

  /** The Gang says besides that waiting alone will not help. */
  private static final String WHY =
      "no room for 4 members together: "
          + VERDICT
          + "; even empty, the 2 nodes that will do would hold 2 of the 4 members";

  private static final String SENTENCE =
      "Gang \"dlrover/torch-mnist\" gets rejected due to member Pod \"%s\" is unschedulable with"
          .concat(" reason \"%s.\"")
          .formatted(TRIGGER, VERDICT);

  private static final List<String> LISTING =
      List.of(
          "NAME READY STATUS RESTARTS",
          "elasticjob-torch-mnist-dlrover-master-0 1/1 Running 0",
          "torch-mnist-edljob-worker-0 0/1 Pending 0",
          "torch-mnist-edljob-worker-1 0/1 Pending 0",
          "torch-mnist-edljob-worker-2 0/1 Pending 0",
          "torch-mnist-edljob-worker-3 0/1 Pending 0");

  @Override
  public String title() {
    return "(a) room for two, four must start together";
  }

  @Override
  public String promise() {
    return "None of the four workers starts, each says why, and the two free GPUs stay free for"
        + " others.";
  }

  @Override
  public void play(Stage stage) {
    thirteenNodes(stage);
    var kubectl = stage.kubectl();
    kubectl.show("create", "namespace", NAMESPACE);
    kubectl.show("apply", "-f", "examples/gang/master.yaml");
    kubectl.show("apply", "-f", "examples/gang/torch-mnist-min4.yaml");
    explained(stage);
    listed(stage);
    leavesTheRoomToOthers(stage);
    stage
        .checks()
        .stays(
            "no worker is ever bound",
            WATCHED,
            Set.of(),
            () -> stage.watch().everBound(Stage.TORCH_MNIST));
  }

  private static void thirteenNodes(Stage stage) {
    var nodes = stage.sandbox().nodes();
    nodes.add(
        NodeRequest.of("control-plane", 3, NodeShape.CPU)
            .tainted(
                List.of(
                    new TaintBuilder()
                        .withKey("node-role.kubernetes.io/control-plane")
                        .withEffect("NoSchedule")
                        .build())));
    nodes.add(NodeRequest.of("cpu", 8, NodeShape.CPU));
    nodes.add(NodeRequest.of("torch", 2, NodeShape.GPU1).labelled(Map.of(Stage.POOL, GANG)));
    var shown =
        stage
            .kubectl()
            .show(
                "get",
                "nodes",
                "-o",
                "custom-columns=NAME:.metadata.name,POOL:.metadata.labels.pool,"
                    + "GPUS:.status.allocatable.nvidia\\.com/gpu,TAINTS:.spec.taints[*].key");
    stage.checks().equal("there are 13 nodes", 13L, shown.lines().count() - 1);
  }

  private static void explained(Stage stage) {
    var checks = stage.checks();
    var pods = stage.pods();
    checks.becomes(
        "all four members carry the sentence as condition PodScheduled",
        ofEachWorker(SENTENCE),
        () -> pods.explanations(NAMESPACE, GANG));
    checks.becomes(
        "all four carry the same sentence as an event written by Muster",
        ofEachWorker(true),
        () -> {
          var carries = new TreeMap<String, Boolean>();
          pods.warnings(NAMESPACE, GANG, "muster")
              .forEach((name, messages) -> carries.put(name, messages.contains(SENTENCE)));
          return carries;
        });
    var kubectl = stage.kubectl();
    var condition =
        kubectl.show(
            "get",
            "pod",
            TRIGGER,
            "-n",
            NAMESPACE,
            "-o",
            "jsonpath={.status.conditions[?(@.type==\"PodScheduled\")].message}");
    checks.equal("kubectl shows it byte for byte", SENTENCE, condition);
    var events = kubectl.showEvents("describe", "pod", TRIGGER, "-n", NAMESPACE);
    checks.that("the event has it too", events.contains(SENTENCE), SENTENCE, events);
  }

  private static void listed(Stage stage) {
    var checks = stage.checks();
    var pods = stage.kubectl().show("get", "pod", "-n", NAMESPACE);
    checks.equal("the master runs, the workers are Pending", LISTING, withoutAges(pods));
    var gangs = stage.kubectl().show("get", "gangs", "-n", NAMESPACE);
    checks.that("the gang says why in one sentence", gangs.contains(WHY), WHY, gangs);
  }

  private static void leavesTheRoomToOthers(Stage stage) {
    var checks = stage.checks();
    stage.kubectl().show("apply", "-f", "examples/gang/single-gpu-pod.yaml");
    checks.becomes(
        "a pod without gang runs on one of the two GPUs",
        Map.of("single-gpu", "Running"),
        () -> stage.pods().phases("default", "single-gpu"));
    stage.kubectl().show("get", "pod", "single-gpu", "-o", "wide");
    stage.kubectl().show("delete", "-f", "examples/gang/single-gpu-pod.yaml");
  }

  private static <T> Map<String, T> ofEachWorker(T value) {
    var all = new TreeMap<String, T>();
    IntStream.range(0, 4).forEach(i -> all.put("torch-mnist-edljob-worker-" + i, value));
    return all;
  }

  private static List<String> withoutAges(String table) {
    return table
        .lines()
        .map(line -> line.replaceFirst("\\S+$", "").strip().replaceAll(" +", " "))
        .toList();
  }
}
