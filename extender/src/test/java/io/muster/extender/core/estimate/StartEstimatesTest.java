package io.muster.extender.core.estimate;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ClusterCopy;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.query.LearnedRuns;
import io.muster.extender.core.protocol.query.StartEstimate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoublePredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** When gangs that wait would start. */
final class StartEstimatesTest {

  private static final Instant NOW = Instant.parse("2026-11-26T06:00:00Z");

  private final List<Node> nodes = new ArrayList<>();
  private final List<Pod> pods = new ArrayList<>();
  private final Map<String, Duration> learned = new HashMap<>();
  private final List<Duration> last = new ArrayList<>();
  private Rules rules = Rules.extender(NodePinPolicy.NEVER);

  private static Stream<Rules> ways() {
    return Stream.of(
        Rules.extender(NodePinPolicy.NEVER),
        Rules.extender(NodePinPolicy.ALWAYS),
        Rules.affinity());
  }

  private ClusterCopy copy() {
    var muster = new GangScheduler(Deadlines.DEFAULT, rules);
    muster.learn(new LearnedRuns(learned, last));
    muster.on(new Event.LeaseHeld(Instant.MAX, false), NOW);
    nodes.forEach(node -> muster.on(new Event.NodeSeen(node), NOW));
    pods.forEach(pod -> muster.on(new Event.PodSeen(pod), NOW));
    muster.on(new Event.Ready(), NOW);
    return muster.copy(NOW).orElseThrow();
  }

  private Map<String, StartEstimate> estimates() {
    return estimates(_ -> true);
  }

  private Map<String, StartEstimate> estimates(DoublePredicate isWithin) {
    return byName(StartEstimates.of(copy(), isWithin, StartEstimatesTest::fails));
  }

  private static Map<String, StartEstimate> byName(Map<GangId, StartEstimate> found) {
    var byName = new HashMap<String, StartEstimate>();
    found.forEach((gang, estimate) -> byName.put(gang.name(), estimate));
    return byName;
  }

  private static void fails(Effect.Fault fault) {
    fail(fault.step(), fault.cause());
  }

  private static Instant at(int minutes) {
    return NOW.plusSeconds(60L * minutes);
  }

  /** A gang of one on the node since so long. */
  private PodBuilder runs(String name, String node, int gpus, int minutesAgo) {
    return aPod("ml", name + "-0")
        .gpus(gpus)
        .gang(name, 1)
        .on(node)
        .placedBy(1)
        .createdAt(at(-minutesAgo));
  }

  private PodBuilder waits(String name, int gpus, int minutesAgo) {
    var pod = aPod("ml", name + "-0").gpus(gpus).gang(name, 1).createdAt(at(-minutesAgo));
    return rules.equals(Rules.affinity()) ? pod.gated() : pod;
  }

  private void add(PodBuilder... more) {
    Stream.of(more)
        .map(PodBuilder::build)
        .map(pod -> pod.isBound() && !pod.progress().deleting() ? started(pod) : pod)
        .forEach(pods::add);
  }

  /** Its node has taken it up as soon as it was made. */
  private static Pod started(Pod pod) {
    return pod.runningOn(pod.progress().nodeName().orElseThrow(), pod.origin().createdAt());
  }

  @ParameterizedTest
  @MethodSource("ways")
  void whoeverIsNextStartsWhenWhatRunsStatesItsEnd(Rules way) {
    rules = way;
    nodes.add(aNode("n").gpus(8).build());
    add(runs("train", "n", 8, 30).running(Duration.ofMinutes(90)));
    add(waits("next", 8, 20).running(Duration.ofHours(4)), waits("later", 8, 10));

    var estimates = estimates();

    assertThat(estimates.get("next").start()).isEqualTo(at(60));
    assertThat(estimates.get("next").after().map(after -> after.shownIn("ml")))
        .contains("after ml/train, which states that it runs 90m");
    assertThat(estimates.get("next").after().map(after -> after.shownIn("speech")))
        .contains("after one of another namespace, which states that it runs 90m");
    assertThat(estimates.get("later").start()).isEqualTo(at(60 + 240));
    assertThat(estimates.get("later").after().map(StartEstimate.After::name)).contains("ml/next");
  }

  @Test
  void whatWaitsForSomethingOfUnknownLengthHasNoEstimateAndKeepsItFromNobody() {
    nodes.add(aNode("a").gpus(8).build());
    nodes.add(aNode("b").gpus(4).build());
    add(runs("silent", "a", 8, 30), runs("short", "b", 4, 30).running(Duration.ofMinutes(40)));
    add(waits("large", 8, 20), waits("small", 4, 10));

    var estimates = estimates();

    assertThat(estimates).containsOnlyKeys("small");
    assertThat(estimates.get("small").start()).isEqualTo(at(10));
  }

  @Test
  void whatRunsLongerThanItStatedIsAboutToEnd() {
    nodes.add(aNode("n").gpus(8).build());
    add(runs("train", "n", 8, 90).running(Duration.ofMinutes(60)));
    add(waits("next", 8, 20));

    assertThat(estimates().get("next").start()).isEqualTo(NOW);
  }

  @Test
  void gangsOfTheSameNameTellHowLongOneRuns() {
    nodes.add(aNode("n").gpus(8).build());
    learned.put("ml/nightly", Duration.ofHours(26));
    add(runs("nightly-7", "n", 8, 60), waits("next", 8, 20));

    var next = estimates().get("next");

    assertThat(next.start()).isEqualTo(at(25 * 60));
    assertThat(next.after().map(after -> after.shownIn("ml")))
        .contains("after ml/nightly-7, since gangs of its name have run for 26h");
  }

  /** First it might start at once, or in 70 minutes; then in a minute whatever becomes of that. */
  @Test
  void whatNobodyKnowsTheRunTimeOfIsTakenToRunLikeOthersWhereThatMattersLittle() {
    nodes.add(aNode("a").gpus(8).build());
    nodes.add(aNode("b").gpus(8).build());
    last.addAll(List.of(Duration.ofMinutes(70), Duration.ofMinutes(80), Duration.ofMinutes(90)));
    add(runs("silent", "a", 8, 30), runs("stated", "b", 8, 30).running(Duration.ofMinutes(100)));
    add(waits("next", 8, 20).running(Duration.ofHours(1)));

    assertThat(estimates()).isEmpty();

    nodes.add(aNode("c").gpus(8).build());
    add(runs("soon", "c", 8, 30).running(Duration.ofMinutes(31)));

    var next = estimates().get("next");

    assertThat(next.start()).isEqualTo(at(1));
  }

  @Test
  void whereItMattersMuchThereIsNoEstimate() {
    nodes.add(aNode("a").gpus(8).build());
    last.add(Duration.ofMinutes(80));
    add(runs("silent", "a", 8, 30), waits("next", 8, 20));

    assertThat(estimates()).isEmpty();
  }

  @Test
  void theLatestIsThatOfTheSlowestRun() {
    Stream.of("a", "b").forEach(name -> nodes.add(aNode(name).gpus(8).build()));
    last.add(Duration.ofMinutes(90));
    add(runs("silent", "a", 8, 30), runs("stated", "b", 8, 30).running(Duration.ofMinutes(130)));
    add(waits("first", 8, 20).running(Duration.ofMinutes(60)));
    add(waits("second", 8, 10));

    var estimates = estimates();

    // After 60 minutes if the silent one ends at once, and after 160 if it never does.
    assertThat(estimates.get("second").start()).isEqualTo(at(100));
    assertThat(estimates.get("second").slowest()).isEqualTo(at(160));
  }

  /** Each has a third of the time: a gang is told of none that may be far off. */
  @Test
  void whenTheTimeIsUpBeforeOneOfTheThreeRunsHasFoundAGangItHasNoEstimate() {
    nodes.add(aNode("a").gpus(8).build());
    nodes.add(aNode("b").gpus(8).build());
    last.add(Duration.ofMinutes(90));
    add(runs("silent", "a", 8, 30), runs("stated", "b", 8, 30).running(Duration.ofMinutes(130)));
    add(waits("first", 8, 20).running(Duration.ofMinutes(60)));
    add(waits("second", 8, 10));
    assertThat(estimates()).containsOnlyKeys("second");

    for (int run = 1; run <= 3; run++) {
      double third = run / 3.0;
      assertThat(estimates(share -> Math.abs(share - third) > 0.01)).as("run " + run).isEmpty();
    }
  }

  @Test
  void whereAllRunTimesAreKnownOneRunHasAllTheTime() {
    nodes.add(aNode("n").gpus(8).build());
    last.add(Duration.ofMinutes(90));
    add(runs("train", "n", 8, 30).running(Duration.ofMinutes(90)));
    add(waits("next", 8, 20).running(Duration.ofMinutes(5)));

    assertThat(estimates(share -> share > 0.9)).containsOnlyKeys("next");
  }

  @Test
  void whatEndsByAGuessIsNoRunOfItsName() {
    nodes.add(aNode("n").gpus(8).build());
    last.add(Duration.ofMinutes(80));
    add(runs("silent-1", "n", 8, 30), waits("silent-2", 8, 20), waits("next", 8, 10));
    var guess = new RemainingTimes(last, RemainingTimes.Unknown.LIKE_OTHERS);

    var found = byName(new RunAhead(copy(), guess, StartEstimatesTest::fails).run(() -> true));

    assertThat(found.get("silent-2").start()).isEqualTo(at(50));
    assertThat(found.get("next").start()).isEqualTo(at(50 + 80));
    assertThat(found.get("next").after().map(after -> after.shownIn("ml")))
        .contains("after ml/silent-2, which is taken to run 80m, as nobody says how long it does");
  }

  @Test
  void podsOfNoGangEndToo() {
    nodes.add(aNode("n").gpus(8).build());
    add(aPod("ml", "notebook").gpus(2).on("n").createdAt(at(-10)).running(Duration.ofMinutes(30)));
    add(waits("next", 8, 5));

    var next = estimates().get("next");

    assertThat(next.start()).isEqualTo(at(20));
    assertThat(next.after().map(StartEstimate.After::name)).contains("pod ml/notebook");
  }

  @Test
  void aPodIsNamedToUsersOfItsNamespace() {
    nodes.add(aNode("n").gpus(8).build());
    add(aPod("ml", "notebook").gpus(2).on("n").createdAt(at(-10)).running(Duration.ofMinutes(30)));
    add(waits("next", 8, 5));

    var after = estimates().get("next").after();

    assertThat(after.map(last -> last.shownIn("ml")))
        .contains("after pod ml/notebook, which states that it runs 30m");
    assertThat(after.map(last -> last.shownIn("m")))
        .contains("after one of another namespace, which states that it runs 30m");
  }

  /** Nothing is being deleted yet. */
  @Test
  void whatMusterWillPreemptIsSaidToEndByMuster() {
    nodes.add(aNode("n").gpus(8).build());
    add(runs("low", "n", 8, 30).ownedBy("job"), waits("high", 8, 0).priority(9));

    var estimate = estimates().get("high");

    assertThat(estimate.start()).isBetween(at(0), at(10));
    assertThat(estimate.after().orElseThrow().runTime().sentence())
        .isEqualTo("which Muster will end by then");
  }

  @Test
  void aMemberThatIsBeingDeletedEndsWithinItsGracePeriod() {
    nodes.add(aNode("n").gpus(8).build());
    add(runs("train", "n", 8, 30).grace(Duration.ofMinutes(5)).deleting(), waits("next", 8, 5));

    assertThat(estimates().get("next").start()).isBetween(NOW, at(5));
  }

  @Test
  void aSmallGangThatIsOverInTimePassesTheFirstInLine() {
    nodes.add(aNode("n").gpus(8).build());
    add(runs("train", "n", 6, 30).running(Duration.ofMinutes(90)));
    add(waits("large", 8, 20), waits("quick", 2, 10).running(Duration.ofMinutes(20)));

    var estimates = estimates();

    assertThat(estimates.get("large").start()).isEqualTo(at(60));
    assertThat(estimates.get("large").after()).isPresent();
  }

  @Test
  void theSameCopyLeadsToTheSameEstimates() {
    nodes.add(aNode("a").gpus(8).build());
    nodes.add(aNode("b").gpus(8).build());
    for (int i = 0; i < 30; i++) {
      add(waits("g" + i, 1 + i % 8, 60 - i).running(Duration.ofMinutes(10 + 7 * i)));
    }
    add(runs("one", "a", 8, 30).running(Duration.ofMinutes(47)));
    add(runs("other", "b", 8, 30).running(Duration.ofMinutes(31)));
    var copy = copy();

    var first = StartEstimates.of(copy, _ -> true, StartEstimatesTest::fails);

    assertThat(first).hasSize(30);
    assertThat(StartEstimates.of(copy, _ -> true, StartEstimatesTest::fails)).isEqualTo(first);
  }

  /** Those that come first are found first. */
  @Test
  void whenTheTimeIsUpTheOthersHaveNoEstimate() {
    nodes.add(aNode("n").gpus(8).build());
    add(runs("train", "n", 8, 30).running(Duration.ofMinutes(90)));
    for (int i = 0; i < 10; i++) {
      add(waits("g" + i, 8, 60 - i).running(Duration.ofMinutes(10)));
    }
    int[] steps = {4};

    assertThat(estimates(_ -> steps[0]-- > 0)).containsOnlyKeys("g0");
    assertThat(estimates()).hasSize(10);
  }

  /** To take in a large cluster alone may be longer than that. */
  @Test
  void whenTheTimeIsUpNoFurtherRunTakesTheClusterIn() {
    nodes.add(aNode("n").gpus(8).build());
    last.add(Duration.ofMinutes(80));
    add(runs("silent", "n", 8, 30));
    add(waits("next", 8, 20).running(Duration.ofMinutes(5)));
    var shares = new ArrayList<Double>();

    assertThat(estimates(share -> shares.add(share) && shares.size() == 1)).isEmpty();

    assertThat(shares).containsExactly(1.0, 1 / 3.0, 2 / 3.0, 1.0);
  }

  @Test
  void whereNoGangWaitsThereIsNothingToCopy() {
    var muster = new GangScheduler(Deadlines.DEFAULT, rules);
    muster.on(new Event.Ready(), NOW);

    assertThat(muster.copy(NOW)).isEqualTo(Optional.empty());
  }
}
