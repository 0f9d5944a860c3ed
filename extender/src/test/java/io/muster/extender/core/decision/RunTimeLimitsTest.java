package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.limit.RunTimeLimits;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.LimitReached;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.query.RunTime;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Gangs that end when they have run for as long as they may. */
final class RunTimeLimitsTest {

  private static final GangId GANG = new GangId(Dialect.KOORDINATOR, "ml", "g");
  private static final Duration LIMIT = Duration.ofMinutes(10);

  private static final Duration HOUR = Duration.ofHours(1);

  /** Long enough for a burst, and for the next tick. */
  private static final Duration A_WHILE = Duration.ofSeconds(30);

  private ClusterSimulation cluster = new ClusterSimulation(1, Rules.extender(NodePinPolicy.NEVER));

  @BeforeEach
  void ownersMakePodsAnew() {
    begin();
  }

  private void begin() {
    cluster.ownersReplace = true;
    cluster.addNode(aNode("n0").gpus(8).build());
    cluster.addNode(aNode("n1").gpus(8).build());
  }

  private void gang(UnaryOperator<PodBuilder> how) {
    gang("g", how);
  }

  private void gang(String name, UnaryOperator<PodBuilder> how) {
    for (int i = 0; i < 2; i++) {
      var pod =
          aPod("ml", name + "-" + i)
              .uid(name + "-" + i + "@" + cluster.now())
              .gpus(8)
              .gang(name, 2)
              .createdAt(cluster.now());
      cluster.create(how.apply(pod).build());
    }
  }

  private void after(Duration time) {
    cluster.runUntil(cluster.sinceStart().plus(time));
  }

  private long running() {
    return cluster.boundOf("g");
  }

  private Reason reason() {
    return cluster.report("g").reason();
  }

  private void configure(Optional<Duration> limit) {
    cluster.configure(new Queues(List.of(queue("default", limit))));
  }

  private static Queue queue(String name, Optional<Duration> limit) {
    return new Queue(
        name,
        1,
        Optional.empty(),
        Optional.empty(),
        Order.PRIORITY,
        false,
        Optional.empty(),
        limit,
        Optional.empty(),
        Set.of());
  }

  private List<String> notices() {
    return cluster.announced.stream()
        .filter(said -> said.reason().equals(RunTimeLimits.NEAR))
        .map(Effect.Announce::sentence)
        .toList();
  }

  /** Lets the gang reach its limit, and its pods be made anew. */
  private void reach(UnaryOperator<PodBuilder> how) {
    gang(pod -> how.apply(pod.atMost(LIMIT)));
    after(LIMIT.plus(A_WHILE));
    assertThat(running()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aGangEndsAsAWholeAtItsLimitAndIsNotStartedAgain(PlacementMode mode) {
    cluster = new ClusterSimulation(1, new Rules(mode, NodePinPolicy.NEVER, Waiting.DEFAULT));
    begin();
    gang(pod -> pod.atMost(LIMIT));
    after(LIMIT.minus(A_WHILE));
    assertThat(running()).isEqualTo(2);

    after(A_WHILE.multipliedBy(2));
    assertThat(running()).isZero();
    assertThat(cluster.evictions)
        .hasSize(2)
        .allSatisfy(evict -> {
          assertThat(evict.reason()).isEqualTo("MusterRunTimeLimit");
          assertThat(evict.sentence()).isEqualTo("gang ml/g has run for its run-time limit of 10m");
          assertThat(evict.longest()).isEmpty();
        });

    after(Duration.ofHours(3));
    assertThat(running()).isZero();
    assertThat(cluster.pods).as("made anew by their owner").hasSize(2);
    assertThat(reason()).isEqualTo(Reason.RUN_TIME_LIMIT);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.WAITING);
    assertThat(cluster.report("g").message())
        .matches(
            "it has run for its run-time limit of 10m \\(until 1970-01-01T00:10:\\d\\dZ\\) and is"
                + " not started again");
    assertThat(cluster.report("g").remedy()).contains("create the job anew", "Gang object");
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void whoWaitsAfterItsLimitAsksForNothingAndHasNoPlaceInTheLine() {
    configure(Optional.of(LIMIT));
    gang(pod -> pod);
    after(LIMIT.plus(Duration.ofMinutes(3)));
    assertThat(cluster.report("g").position()).isEmpty();
    assertThat(cluster.muster().placementQueries().waiting(cluster.now())).isEmpty();
    assertThat(cluster.muster().placementQueries().queued(cluster.now()))
        .singleElement()
        .matches(gang -> gang.position().isEmpty())
        .matches(gang -> gang.since().isBefore(cluster.now()));
    assertThat(cluster.muster().placementQueries().queues())
        .singleElement()
        .matches(queue -> queue.asked() == 0);
    assertThat(cluster.muster().usage(cluster.now()).waiting())
        .allSatisfy((reason, count) ->
            assertThat(count).isEqualTo(reason == Reason.RUN_TIME_LIMIT ? 1 : 0));
    assertThat(cluster.muster().copy(cluster.now())).isEmpty();

    gang("other", pod -> pod);
    after(A_WHILE);
    assertThat(cluster.boundOf("other")).isEqualTo(2);
  }

  @Test
  void anotherLeaderKnowsSinceWhenItWaits() {
    reach(pod -> pod);
    var since = waitingSince();
    cluster.restartAfter(Duration.ofSeconds(5));
    after(A_WHILE);
    assertThat(waitingSince()).isEqualTo(since).isBefore(cluster.now());
  }

  private Instant waitingSince() {
    return cluster.muster().placementQueries().queued(cluster.now()).getFirst().since();
  }

  @Test
  void usersAreToldOnceWhileATenthIsLeft() {
    gang(pod -> pod.atMost(Duration.ofHours(1)));
    after(Duration.ofMinutes(54));
    assertThat(notices()).isEmpty();
    after(Duration.ofMinutes(1));
    assertThat(notices())
        .singleElement()
        .asString()
        .matches(
            "gang ml/g ends at 1970-01-01T01:00:0\\dZ, when it has run for its run-time limit of"
                + " 1h, set by its own annotation");
    after(Duration.ofMinutes(10));
    assertThat(notices()).hasSize(1);
  }

  @Test
  void whatEndsSoonerBinds() {
    configure(Optional.of(LIMIT));
    gang(pod -> pod.atMost(Duration.ofHours(1)));
    after(LIMIT.plus(A_WHILE));
    assertThat(running()).isZero();
    assertThat(notices()).singleElement().asString().endsWith("of 10m, set by queue default");
  }

  @Test
  void theOwnLimitBindsWhereItEndsSooner() {
    configure(Optional.of(Duration.ofHours(1)));
    gang(pod -> pod.atMost(LIMIT));
    after(LIMIT.plus(A_WHILE));
    assertThat(running()).isZero();
    assertThat(notices()).singleElement().asString().endsWith("set by its own annotation");
  }

  @Test
  void membersThatNobodyMakesAnewEndToo() {
    gang(pod -> pod.bare().atMost(LIMIT));
    after(LIMIT.plus(A_WHILE));
    assertThat(cluster.pods).isEmpty();
  }

  @Test
  void nobodyEndsBeforeItIsStored() {
    gang(pod -> pod.atMost(LIMIT));
    after(LIMIT.minus(A_WHILE));
    cluster.writeFailures = 100;
    after(Duration.ofMinutes(5));
    assertThat(running()).isEqualTo(2);
    cluster.writeFailures = 0;
    after(A_WHILE);
    assertThat(running()).isZero();
    assertThat(cluster.records.get(GANG).limitReached())
        .hasValueSatisfying(reached -> {
          assertThat(reached.limit()).isEqualTo(LIMIT);
          assertThat(reached.controllers()).containsExactly("job-uid");
        });
  }

  @Test
  void anotherLeaderEndsItAtTheSameTime() {
    gang(pod -> pod.atMost(LIMIT));
    after(LIMIT.dividedBy(2));
    cluster.restartAfter(Duration.ofSeconds(20));
    after(LIMIT.dividedBy(2).minus(Duration.ofSeconds(5)));
    assertThat(running()).isEqualTo(2);
    after(Duration.ofSeconds(15));
    assertThat(running()).isZero();
  }

  /** A member that ran before the others did not get its time with them. */
  @Test
  void anotherLeaderCountsFromWhenTheMinimumRan() {
    after(HOUR);
    gang(pod -> pod.atMost(LIMIT));
    after(A_WHILE);
    var first = cluster.pods.values().iterator().next();
    var started = first.progress().startedAt().orElseThrow().minus(LIMIT.dividedBy(2));
    cluster.store(first.runningOn(first.progress().nodeName().orElseThrow(), started));
    cluster.restartAfter(Duration.ofSeconds(5));
    after(LIMIT.minus(A_WHILE.multipliedBy(2)));
    assertThat(running()).isEqualTo(2);
    after(A_WHILE.multipliedBy(2));
    assertThat(running()).isZero();
  }

  @Test
  void whatALeaderHasBegunTheNextOneEnds() {
    gang(pod -> pod.atMost(LIMIT));
    after(A_WHILE);
    var stored = cluster.records.get(GANG);
    cluster.kill();
    cluster.records.put(
        GANG, stored.reached(new LimitReached(cluster.now(), LIMIT, Set.of("job-uid"))));
    cluster.pods.keySet().stream().findFirst().ifPresent(cluster::delete);
    after(A_WHILE);
    assertThat(running()).as("half of it runs while nobody leads").isEqualTo(1);

    cluster.startMuster();
    after(A_WHILE);
    assertThat(running()).isZero();
    after(Duration.ofMinutes(5));
    assertThat(running()).isZero();
    assertThat(reason()).isEqualTo(Reason.RUN_TIME_LIMIT);
  }

  @Test
  void anotherLeaderLetsItWaitOn() {
    reach(pod -> pod);
    cluster.restartAfter(Duration.ofSeconds(5));
    after(Duration.ofMinutes(10));
    assertThat(running()).isZero();
    assertThat(cluster.records.get(GANG).limitReached()).isPresent();
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aMemberThatHadSucceededLetsNobodyInAfterALeaderHasDied() {
    gang(pod -> pod.atMost(LIMIT));
    after(A_WHILE);
    cluster.complete(cluster.pods.keySet().iterator().next());
    after(LIMIT);
    cluster.restartAfter(Duration.ofSeconds(5));
    after(Duration.ofMinutes(3));
    assertThat(cluster.pods.values()).filteredOn(pod -> !pod.isTerminal()).noneMatch(Pod::isBound);
  }

  @Test
  void aJobThatIsCreatedAnewRuns() {
    reach(pod -> pod);
    cluster.ownersReplace = false;
    List.copyOf(cluster.pods.keySet()).forEach(cluster::delete);
    gang(pod -> pod.ownedBy("another-job").atMost(LIMIT));
    after(A_WHILE);
    assertThat(running()).isEqualTo(2);
    assertThat(cluster.records.get(GANG).limitReached()).isEmpty();
    after(LIMIT);
    assertThat(running()).as("its own limit").isZero();
  }

  @Test
  void whoSetsAHigherLimitLetsItRun() {
    configure(Optional.of(LIMIT));
    gang(pod -> pod);
    after(LIMIT.plus(A_WHILE));
    configure(Optional.of(LIMIT));
    after(A_WHILE);
    assertThat(running()).isZero();
    configure(Optional.of(LIMIT.plusSeconds(1)));
    after(A_WHILE);
    assertThat(running()).isEqualTo(2);
    after(LIMIT.plus(A_WHILE));
    assertThat(running()).isZero();
    configure(Optional.empty());
    after(A_WHILE);
    assertThat(running()).isEqualTo(2);
  }

  @Test
  void whoDeletesItsObjectLetsItRun() {
    reach(pod -> pod);
    cluster.deleteRecord(GANG);
    after(A_WHILE);
    assertThat(running()).isEqualTo(2);
  }

  @Test
  void othersOfItsNameThatNobodyMadeAreNew() {
    reach(PodBuilder::bare);
    gang(pod -> pod.bare().atMost(LIMIT));
    after(A_WHILE);
    assertThat(running()).isEqualTo(2);
  }

  @Test
  void aLimitThatIsLoweredBindsFromThenOn() {
    configure(Optional.of(Duration.ofHours(5)));
    gang(pod -> pod);
    after(Duration.ofHours(1));
    configure(Optional.of(Duration.ofMinutes(30)));
    after(Duration.ofSeconds(1));
    assertThat(notices()).hasSize(1);
    after(A_WHILE);
    assertThat(running()).isZero();
  }

  @Test
  void aLimitThatIsRaisedWhileItRunsLetsItGoOn() {
    configure(Optional.of(LIMIT));
    gang(pod -> pod);
    after(LIMIT.minus(A_WHILE));
    configure(Optional.of(LIMIT.multipliedBy(2)));
    after(LIMIT);
    assertThat(running()).isEqualTo(2);
  }

  @Test
  void theShortestLimitEndsAGangAtOnceAndTheLongestNever() {
    gang(pod -> pod.atMost(Duration.ofNanos(1)));
    after(A_WHILE);
    assertThat(running()).isZero();
    assertThat(notices()).hasSize(1);
    assertThat(reason()).isEqualTo(Reason.RUN_TIME_LIMIT);
    gang("other", pod -> pod.atMost(Duration.ofDays(290 * 365)));
    after(Duration.ofDays(1));
    assertThat(cluster.boundOf("other")).isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aNodeWhoseClockIsAheadGivesNoTime() {
    gang(pod -> pod.atMost(LIMIT));
    after(A_WHILE);
    cluster.pods.values().stream().toList().forEach(pod -> cluster.store(ahead(pod)));
    cluster.restartAfter(Duration.ofSeconds(5));
    after(LIMIT.plus(A_WHILE).plus(A_WHILE));
    assertThat(running()).isZero();
  }

  private static Pod ahead(Pod pod) {
    var node = pod.progress().nodeName().orElseThrow();
    return pod.runningOn(node, Instant.parse("2199-01-01T00:00:00Z"));
  }

  /** The machine's clock was an hour ahead when Muster started. */
  @ParameterizedTest
  @EnumSource
  void aClockThatWasAheadWhenMusterStartedTakesNoTimeFromAGangThatItStarts(PlacementMode mode) {
    cluster = new ClusterSimulation(1, new Rules(mode, NodePinPolicy.NEVER, Waiting.DEFAULT));
    begin();
    gangAfterSomeHours();
    after(A_WHILE);
    theTimeOfDayIsBehindBy(HOUR);
    after(LIMIT.minus(A_WHILE.multipliedBy(2)));
    assertThat(running()).isEqualTo(2);
    after(A_WHILE.multipliedBy(2));
    assertThat(running()).isZero();
  }

  @Test
  void aClockThatWasAheadWhenMusterStartedAgainTakesNoTimeOnceItIsSet() {
    gangAfterSomeHours();
    after(A_WHILE);
    cluster.restartAfter(Duration.ofSeconds(5));
    after(A_WHILE);
    theTimeOfDayIsBehindBy(HOUR);
    cluster.muster.deliver(new Event.ClockSet(HOUR));
    after(LIMIT.minus(A_WHILE.multipliedBy(3)));
    assertThat(running()).isEqualTo(2);
    after(A_WHILE.multipliedBy(3));
    assertThat(running()).as("no later than if it had been seen to start").isZero();
  }

  /** It is not known which of the two is right. */
  @Test
  void aClockThatIsSetForwardEndsNoGangEarly() {
    gangAfterSomeHours();
    after(A_WHILE);
    cluster.restartAfter(Duration.ofSeconds(5));
    after(A_WHILE);
    cluster.muster.deliver(new Event.ClockSet(HOUR.negated()));
    after(LIMIT.minus(A_WHILE.multipliedBy(3)));
    assertThat(running()).isEqualTo(2);
    after(A_WHILE.multipliedBy(2));
    assertThat(running()).isZero();
  }

  /** A process that has waited to lead knows by how much its time is wrong. */
  @Test
  void whoTakesOverWithAWrongClockEndsItAtItsTime() {
    gangAfterSomeHours();
    after(A_WHILE);
    theTimeOfDayIsBehindBy(HOUR);
    cluster.muster.clockAhead = HOUR;
    cluster.restartAfter(Duration.ofSeconds(5));
    after(LIMIT.minus(A_WHILE.multipliedBy(2)));
    assertThat(running()).isEqualTo(2);
    after(A_WHILE.multipliedBy(2));
    assertThat(running()).isZero();
    assertThat(cluster.records.get(GANG).limitReached())
        .hasValueSatisfying(reached ->
            assertThat(reached.at()).as("by the time of day").isBefore(cluster.now().minus(HOUR)));
    assertThat(notices()).singleElement().asString().contains("ends at 1970-01-01T01:10:");
  }

  private void gangAfterSomeHours() {
    after(HOUR.multipliedBy(2));
    gang(pod -> pod.atMost(LIMIT));
  }

  /** What nodes say is of another hour than what Muster goes by. */
  private void theTimeOfDayIsBehindBy(Duration apart) {
    cluster.pods.values().stream()
        .toList()
        .forEach(pod -> {
          var started = pod.progress().startedAt().orElseThrow().minus(apart);
          cluster.store(pod.runningOn(pod.progress().nodeName().orElseThrow(), started));
        });
  }

  /** The limit is of one life: what ends for others begins a new one. */
  @Test
  void aGangThatWasPreemptedBeginsANewClock() {
    gang(pod -> pod.atMost(LIMIT));
    after(LIMIT.minus(Duration.ofMinutes(2)));
    gang("high", pod -> pod.priority(100));
    after(Duration.ofMinutes(1));
    assertThat(running()).isZero();
    cluster.ownersReplace = false;
    cluster.pods.values().stream()
        .filter(pod -> pod.key().name().startsWith("high"))
        .toList()
        .forEach(pod -> cluster.delete(pod.key().uid()));
    after(LIMIT.minus(A_WHILE));
    assertThat(running()).isEqualTo(2);
    after(Duration.ofMinutes(2));
    assertThat(running()).isZero();
  }

  @Test
  void whoIsLostWhenTheLimitComesChangesNothing() {
    gang(pod -> pod.atMost(LIMIT));
    after(LIMIT.minus(Duration.ofSeconds(2)));
    cluster.pods.keySet().stream().findFirst().ifPresent(cluster::delete);
    after(Duration.ofMinutes(5));
    assertThat(running()).isZero();
    assertThat(reason()).isEqualTo(Reason.RUN_TIME_LIMIT);
  }

  @Test
  void whatMusterHasNotStartedIsLeftAlone() {
    for (int i = 0; i < 2; i++) {
      cluster.land(
          aPod("ml", "g-" + i).gpus(8).gang("g", 2).atMost(LIMIT).unmarked().on("n" + i).build());
    }
    after(LIMIT.multipliedBy(3));
    assertThat(cluster.pods).hasSize(2).allSatisfy((_, pod) -> assertThat(pod.isBound()).isTrue());
  }

  /** A member that runs alone is no start of the gang. */
  @Test
  void aGangWhoseStartWasCutOffHasItsWholeTimeOnceItStarts() {
    cluster.ownersReplace = false;
    cluster.land(
        aPod("ml", "g-0").gpus(8).gang("g", 2).bare().atMost(LIMIT).placedBy(1).on("n0").build());
    after(LIMIT.multipliedBy(2));
    cluster.create(
        aPod("ml", "g-1")
            .gpus(8)
            .gang("g", 2)
            .bare()
            .atMost(LIMIT)
            .createdAt(cluster.now())
            .build());
    after(LIMIT.minus(A_WHILE));
    assertThat(running()).isEqualTo(2);
    after(A_WHILE.multipliedBy(2));
    assertThat(running()).isZero();
  }

  /** One that Muster has replaced does not make the others its own. */
  @Test
  void aReplacementGivesAGangNoLimitThatMusterHasNotStarted() {
    for (int i = 0; i < 2; i++) {
      cluster.land(
          aPod("ml", "g-" + i).gpus(8).gang("g", 2).atMost(LIMIT).unmarked().on("n" + i).build());
    }
    after(LIMIT.multipliedBy(3));
    cluster.pods.keySet().stream().findFirst().ifPresent(cluster::delete);
    after(A_WHILE);
    cluster.create(
        aPod("ml", "g-9").gpus(8).gang("g", 2).atMost(LIMIT).createdAt(cluster.now()).build());
    after(LIMIT.multipliedBy(3));
    assertThat(cluster.evictions).isEmpty();
  }

  @Test
  void whoWasStartedBySomebodyElseWhileNobodyLedIsLeftAlone() {
    reach(pod -> pod);
    cluster.kill();
    cluster.ownersReplace = false;
    List.copyOf(cluster.pods.keySet()).forEach(cluster::delete);
    for (int i = 0; i < 2; i++) {
      cluster.land(
          aPod("ml", "g-" + i)
              .uid("hand-" + i)
              .gpus(8)
              .gang("g", 2)
              .atMost(LIMIT)
              .unmarked()
              .on("n" + i)
              .build());
    }
    int evicted = cluster.evictions.size();
    cluster.startMuster();
    after(LIMIT.multipliedBy(2));
    assertThat(cluster.evictions).hasSize(evicted);
  }

  @Test
  void membersThatWereThereAllTheTimeAreNotOthers() {
    cluster.ownersReplace = false;
    for (int i = 0; i < 4; i++) {
      cluster.create(
          aPod("ml", "g-" + i)
              .gpus(8)
              .gang("g", 2)
              .bare()
              .atMost(LIMIT)
              .createdAt(cluster.now())
              .build());
    }
    after(LIMIT.minus(A_WHILE));
    assertThat(running()).isEqualTo(2);
    after(LIMIT);
    assertThat(running()).isZero();
    assertThat(reason()).isEqualTo(Reason.RUN_TIME_LIMIT);
  }

  @Test
  void anApiServerThatRefusesToStoreItIsAskedAgainEachTenSeconds() {
    gang(pod -> pod.atMost(LIMIT));
    after(LIMIT.minus(A_WHILE));
    cluster.writeFailures = 100;
    int before = cluster.recordWrites;
    after(A_WHILE.plus(Duration.ofMinutes(5)));
    assertThat(cluster.recordWrites - before).isBetween(20, 40);
  }

  @Test
  void afterMusterHasLetGoNothingEnds() {
    gang(pod -> pod.atMost(LIMIT));
    after(A_WHILE);
    cluster.release(true);
    after(LIMIT.multipliedBy(3));
    assertThat(running()).isEqualTo(2);
  }

  @Test
  void noEstimateGoesBeyondTheLimit() {
    gang(pod -> pod.running(Duration.ofHours(9)).atMost(LIMIT));
    after(A_WHILE);
    var unit = cluster.muster().placementQueries().running(cluster.now()).getFirst();
    assertThat(unit.end())
        .hasValueSatisfying(end -> {
          assertThat(end.at()).isBefore(Instant.EPOCH.plus(LIMIT).plusSeconds(10));
          assertThat(end.runTime()).isEqualTo(new RunTime(LIMIT, RunTime.Source.LIMIT));
          assertThat(end.runTime().sentence()).isEqualTo("whose run-time limit is 10m");
        });
  }

  @Test
  void aRunTimeBelowTheLimitIsWhatIsExpected() {
    gang(pod -> pod.running(Duration.ofMinutes(5)).atMost(LIMIT));
    after(A_WHILE);
    var unit = cluster.muster().placementQueries().running(cluster.now()).getFirst();
    assertThat(unit.end().orElseThrow().runTime().source()).isEqualTo(RunTime.Source.STATED);
  }

  /** They end one after the other; half a second in which none does costs no walk over all. */
  @Test
  void tenThousandGangsWithLimitsCostWhatIsDue() {
    int gangs = 10_000;
    var muster = new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
    var now = Instant.EPOCH.plus(LIMIT);
    for (int i = 0; i < gangs; i++) {
      var name = "g" + i;
      var node = "n" + i / 8;
      if (i % 8 == 0) {
        muster.on(new Event.NodeSeen(aNode(node).gpus(8).build()), now);
      }
      var pod = aPod("ml", name + "-0").gpus(1).gang(name, 1).atMost(Duration.ofSeconds(200L + i));
      muster.on(new Event.PodSeen(pod.on(node).placedBy(1).createdAt(now).build()), now);
    }
    muster.on(new Event.LeaseHeld(Instant.MAX, false), now);
    muster.on(new Event.Ready(), now);
    int ended = 0;
    var begin = System.nanoTime();
    for (int tick = 0; tick < 600; tick++) {
      now = now.plusMillis(500);
      ended +=
          (int)
              muster.on(new Event.Tick(), now).stream()
                  .filter(Effect.WriteRecord.class::isInstance)
                  .count();
    }
    assertThat(ended).isBetween(99, 101);
    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .as("for 600 ticks, of which the first tell of all")
        .isLessThan(Duration.ofSeconds(20));
  }
}
