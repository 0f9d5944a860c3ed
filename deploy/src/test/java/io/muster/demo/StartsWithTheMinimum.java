package io.muster.demo;

import io.muster.e2e.GangWatch.GangName;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;

/** Four workers of which two are enough: two run, two wait. */
final class StartsWithTheMinimum implements Act {

  static final GangName GANG = new GangName(Stage.NAMESPACE, "torch-mnist-min2");

  private static final String FILE = "examples/gang/torch-mnist-min2.yaml";
  private static final Duration WATCHED = Duration.ofSeconds(3);

  @Override
  public String title() {
    return "(b) room for two, two of four are enough";
  }

  @Override
  public String promise() {
    return "On two nodes of their own exactly two of these four workers run, and two stay Pending.";
  }

  @Override
  public void play(Stage stage) {
    var kubectl = stage.kubectl();
    var checks = stage.checks();
    var pods = stage.pods();
    stage.join(2, "pair", GANG.name());
    kubectl.show("apply", "-f", FILE);
    checks.becomes(
        "two workers run", 2, () -> pods.count(GANG.namespace(), GANG.name(), "Running"));
    checks.becomes("the watch has seen them too", 2, () -> stage.watch().everBound(GANG).size());
    checks.stays(
        "exactly two, the others stay Pending",
        WATCHED,
        2,
        () -> stage.watch().everBound(GANG).size());
    checks.equal("two are Pending", 2, pods.count(GANG.namespace(), GANG.name(), "Pending"));
    checks.becomes(
        "what the two lack is said without a word about the gang, which has started",
        Set.of(
            "0/15 nodes are available: 10 node(s) didn't match Pod's node affinity/selector, 2"
                + " Insufficient nvidia.com/gpu"),
        () -> reasons(stage));
    kubectl.show("get", "pod", "-n", GANG.namespace(), "-l", "app=" + GANG.name(), "-o", "wide");
    kubectl.show("get", "gangs", "-n", GANG.namespace());
    kubectl.show("delete", "-f", FILE);
    kubectl.show("delete", "nodes", "-l", Stage.POOL + "=" + GANG.name());
  }

  /** The beginning of kube-scheduler's own sentence; how it goes on depends on its version. */
  private static Set<String> reasons(Stage stage) {
    return stage.pods().explanations(GANG.namespace(), GANG.name()).values().stream()
        .filter(text -> !text.isEmpty())
        .map(text -> text.replaceFirst("(Insufficient nvidia\\.com/gpu).*$", "$1"))
        .collect(Collectors.toSet());
  }
}
