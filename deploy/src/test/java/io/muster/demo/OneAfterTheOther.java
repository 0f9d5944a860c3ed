package io.muster.demo;

import io.muster.demo.Pods.Run;
import io.muster.e2e.GangWatch.GangName;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Two gangs whose pods come in turns, and room for one: they run one after the other. */
final class OneAfterTheOther implements Act {

  static final GangName A = new GangName("default", "gang-a");
  static final GangName B = new GangName("default", "gang-b");

  private static final String APP = "two-gangs";

  /** When all members of a gang ran, from the first start to the last end. */
  private record Span(Instant begin, Instant end) {

    static Span of(Collection<Run> runs) {
      return new Span(
          runs.stream().map(Run::started).min(Comparator.naturalOrder()).orElseThrow(),
          runs.stream().map(Run::ended).max(Comparator.naturalOrder()).orElseThrow());
    }
  }

  @Override
  public String title() {
    return "(d) two gangs of four, created in turns, and four GPUs";
  }

  @Override
  public String promise() {
    return "Placed pod by pod each would take two GPUs and wait for ever; here one runs whole, then"
        + " the other.";
  }

  @Override
  public void play(Stage stage) {
    var kubectl = stage.kubectl();
    var checks = stage.checks();
    var pods = stage.pods();
    stage.join(4, "shared", APP);
    kubectl.show("apply", "-f", "examples/gang/two-gangs.yaml");
    checks.becomes("four of the eight run", 4, () -> pods.count(A.namespace(), APP, "Running"));
    checks.becomes(
        "they are one whole gang, none is of the other",
        List.of(0, 4),
        () -> Stream.of(A, B).map(gang -> stage.watch().everBound(gang).size()).sorted().toList());
    checks.becomes(
        "the other waits as a gang",
        List.of("Running", "Waiting"),
        () -> pods.gangPhases(A.namespace()).stream().sorted().toList());
    kubectl.show("get", "gangs", "-n", A.namespace());
    checks.becomes(
        "all eight have succeeded", 8, () -> pods.count(A.namespace(), APP, "Succeeded"));
    kubectl.show(
        "get",
        "pods",
        "-l",
        "app=" + APP,
        "-o",
        "custom-columns=NAME:.metadata.name,NODE:.spec.nodeName,PHASE:.status.phase,"
            + "STARTED:.status.containerStatuses[0].state.terminated.startedAt,"
            + "ENDED:.status.containerStatuses[0].state.terminated.finishedAt");
    apart(stage);
  }

  private static void apart(Stage stage) {
    var spans =
        Stream.of(A, B)
            .map(gang -> Span.of(stage.pods().runs(gang.namespace(), gang.name())))
            .sorted(Comparator.comparing(Span::begin))
            .toList();
    stage
        .checks()
        .that(
            "the second began when the first had ended",
            !spans.getLast().begin().isBefore(spans.getFirst().end()),
            "two spans that do not overlap",
            spans);
  }
}
