package io.muster.demo;

import io.muster.e2e.GangWatch;
import io.muster.sandbox.NodeRequest;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import java.util.Map;

/** What the acts play on. Confined to the thread that plays. */
record Stage(Sandbox sandbox, Kubectl kubectl, Pods pods, GangWatch watch, Checks checks) {

  /** Where the members of the job live. */
  static final String NAMESPACE = "dlrover";

  /** Names the node set that pods are meant for. */
  static final String POOL = "pool";

  /** The gang of the first act and of the third. */
  static final GangWatch.GangName TORCH_MNIST = new GangWatch.GangName(NAMESPACE, "torch-mnist");

  /** Adds GPU nodes of one GPU each that only pods of this pool are meant for. */
  void join(int count, String prefix, String pool) {
    say(
        "+ %d nodes with one GPU each join pool %s, as this would do:".formatted(count, pool),
        "  deploy/sandbox/sandbox nodes --add %d --shape gpu1 --prefix %s --label %s=%s"
            .formatted(count, prefix, POOL, pool));
    sandbox.nodes().add(NodeRequest.of(prefix, count, NodeShape.GPU1).labelled(Map.of(POOL, pool)));
  }

  void say(String... lines) {
    System.out.println();
    for (var line : lines) {
      System.out.println(line);
    }
  }
}
