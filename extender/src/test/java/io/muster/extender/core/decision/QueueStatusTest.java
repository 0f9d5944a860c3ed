package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.query.QueuedGang;
import io.muster.extender.core.protocol.query.StartEstimate;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Positions and expected starts of gangs that wait, as their users read them. */
final class QueueStatusTest {

  private final GangScheduler muster =
      new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
  private final TreeMap<String, GangReport> reports = new TreeMap<>();
  private Instant now = Instant.EPOCH;
  private int writes;

  private void on(Event event) {
    for (var effect : muster.on(event, now)) {
      if (effect instanceof Effect.WriteReport(var record, var report)) {
        reports.put(record.gang().name(), report);
        writes++;
      }
    }
  }

  private void lead() {
    on(new Event.NodeSeen(aNode("n0").gpus(1).build()));
    on(new Event.LeaseHeld(Instant.MAX, false));
    on(new Event.Ready());
  }

  private Pod waits(String name, int min) {
    var pod = aPod("ml", name + "-0").gpus(2).gang(name, min).createdAt(now).build();
    on(new Event.PodSeen(pod));
    now = now.plusMillis(10);
    return pod;
  }

  private void run(int halfSeconds) {
    for (int i = 0; i < halfSeconds; i++) {
      now = now.plusMillis(500);
      on(new Event.Tick());
    }
  }

  private Optional<Integer> position(String gang) {
    return Optional.ofNullable(reports.get(gang)).flatMap(GangReport::position);
  }

  @Test
  void gangsThatWaitAreNumberedInTheOrderInWhichTheyAreTried() {
    lead();
    var first = waits("b", 1);
    waits("a", 1);
    waits("lacks", 2);
    run(60);
    assertThat(position("b")).contains(1);
    assertThat(position("a")).contains(2);
    assertThat(position("lacks")).isEmpty();
    assertThat(muster.placementQueries().queued(now))
        .extracting(gang -> gang.gang().name(), QueuedGang::position, QueuedGang::devices)
        .containsExactly(
            tuple("b", Optional.of(1), 2L),
            tuple("a", Optional.of(2), 2L),
            tuple("lacks", Optional.empty(), 4L));

    on(new Event.PodGone(first.key()));
    run(60);
    assertThat(position("a")).contains(1);
  }

  /** It is not in the line, whoever comes first, until there is such a queue. */
  @Test
  void aGangThatNamesAQueueThatThereIsNotHasNoNumber() {
    lead();
    var pod = aPod("ml", "lost-0").gpus(2).gang("lost", 1).queue("typo").createdAt(now).build();
    on(new Event.PodSeen(pod));
    now = now.plusMillis(10);
    waits("a", 1);
    run(60);
    assertThat(reports.get("lost").reason()).isEqualTo(Reason.UNKNOWN_QUEUE);
    assertThat(position("lost")).isEmpty();
    assertThat(position("a")).contains(1);
    assertThat(muster.placementQueries().queued(now))
        .extracting(gang -> gang.gang().name(), QueuedGang::position)
        .containsExactly(tuple("a", Optional.of(1)), tuple("lost", Optional.empty()));

    on(new Event.QueuesSet(new Queues(List.of(Queue.unbounded("typo")))));
    run(60);
    assertThat(position("lost")).contains(2);
    assertThat(position("a")).contains(1);
  }

  @Test
  void noTwoGangsHaveTheSameNumberForLong() {
    lead();
    waits("b", 1);
    run(20);
    assertThat(position("b")).contains(1);
    var urgent = aPod("ml", "a-0").gpus(2).gang("a", 1).priority(7).createdAt(now).build();
    on(new Event.PodSeen(urgent));
    run(14);
    assertThat(position("a")).contains(1);
    assertThat(position("b")).contains(2);
  }

  @Test
  void aNumberGoesWhenTheGangDoesNotWaitAnyMore() {
    lead();
    var one = waits("a", 1);
    run(60);
    assertThat(position("a")).contains(1);
    on(new Event.NodeSeen(aNode("n1").gpus(2).build()));
    muster.filter(one, List.of("n1"), now);
    run(10);
    assertThat(reports.get("a").position()).isEmpty();
  }

  /** Of more than a thousand those that come first have fresh numbers, the others none. */
  @Test
  void whoMakesThousandsOfGangsDoesNotKeepTheFirstFromTheirNumbers() {
    lead();
    var first = waits("first-0", 1);
    waits("first-1", 1);
    for (int i = 0; i < 3_000; i++) {
      waits("flood-%04d".formatted(i), 1);
    }
    run(400);
    assertThat(position("first-1")).contains(2);
    assertThat(position("flood-0997")).contains(1_000);
    assertThat(position("flood-0998")).isEmpty();

    on(new Event.PodGone(first.key()));
    run(140);
    assertThat(position("first-1")).contains(1);
    run(160);
    assertThat(position("flood-0998")).contains(1_000);
  }

  private void estimate(int gangs, int minutes) {
    var starts = new HashMap<GangId, StartEstimate>();
    for (int i = 0; i < gangs; i++) {
      var gang = new GangId(Dialect.KOORDINATOR, "ml", "gang-%04d".formatted(i));
      starts.put(gang, new StartEstimate(now.plusSeconds(60L * (minutes + i)), Optional.empty()));
    }
    on(new Event.StartsEstimated(now, starts));
  }

  private Optional<Instant> expected(String gang) {
    return reports.get(gang).expectedStart().map(ExpectedStart::p50);
  }

  @Test
  void gangsAreToldWhenTheyWillProbablyStartAndThatItIsNotKnownAnyMore() {
    lead();
    waits("gang-0000", 1);
    waits("gang-0001", 1);
    run(20);
    assertThat(expected("gang-0000")).isEmpty();
    estimate(1, 40);
    var at = now.plusSeconds(40 * 60).truncatedTo(ChronoUnit.SECONDS);
    run(4);
    assertThat(expected("gang-0000")).contains(at);
    assertThat(expected("gang-0001")).isEmpty();
    estimate(0, 0);
    run(4);
    assertThat(expected("gang-0000")).isEmpty();
    assertThat(position("gang-0000")).contains(1);
  }

  /** Nobody is to read of a new gang when one of its name was to start. */
  @Test
  void whatWasExpectedOfAnEarlierLifeIsNotToldOfTheNext() {
    lead();
    var first = waits("gang-0000", 1);
    run(20);
    estimate(1, 40);
    run(4);
    assertThat(expected("gang-0000")).isPresent();
    on(new Event.PodGone(first.key()));
    on(new Event.PodSeen(again("gang-0000")));
    run(20);
    assertThat(position("gang-0000")).contains(1);
    assertThat(expected("gang-0000")).isEmpty();
  }

  private Pod again(String name) {
    return aPod("ml", name + "-0").uid("again").gpus(2).gang(name, 1).createdAt(now).build();
  }

  /** The first news of a gang is not to come after nine hundred that say the same as before. */
  @Test
  void gangsWhoseStartNobodyKnowsDoNotKeepTheOthersWaiting() {
    lead();
    for (int i = 0; i < 1_000; i++) {
      waits("gang-%04d".formatted(i), 1);
    }
    run(600);
    on(new Event.StartsEstimated(now, Map.of()));
    run(1);
    var last = new GangId(Dialect.KOORDINATOR, "ml", "gang-0999");
    var start = new StartEstimate(now.plusSeconds(3_600), Optional.empty());
    on(new Event.StartsEstimated(now, Map.of(last, start)));
    run(2);
    assertThat(expected("gang-0999")).isPresent();
  }

  private void carryOut(List<Effect> effects) {
    for (var effect : effects) {
      switch (effect) {
        case Effect.WriteRecord(var record, var _) ->
            carryOut(muster.on(new Event.RecordWritten(record.gang(), record.epoch(), true), now));
        case Effect.Bind(var gang, var pod, var node, var _, var _, var _) ->
            on(new Event.BindingEnded(gang, pod, node, new BindingOutcome.Bound()));
        default -> {}
      }
    }
  }

  @Test
  void aStartIsComparedThoughNoGangWaitsAfterIt() {
    lead();
    var pod = waits("gang-0000", 1);
    run(20);
    estimate(1, 40);
    run(4);
    on(new Event.NodeSeen(aNode("n1").gpus(2).build()));
    muster.filter(pod, List.of("n1"), now);
    carryOut(muster.bind(new BindCall(1, pod.key(), "n1"), now));
    run(40);
    assertThat(muster.takeMilestones().outcomes()).containsEntry(ExpectedStart.Outcome.BY_P50, 1);
  }

  @Test
  void anEstimateThatDiffersByLittleIsNotTold() {
    lead();
    waits("gang-0000", 1);
    run(20);
    estimate(1, 100);
    run(4);
    writes = 0;
    estimate(1, 105);
    run(20);
    estimate(1, 92);
    run(20);
    assertThat(writes).isZero();
    estimate(1, 130);
    run(4);
    assertThat(writes).isEqualTo(1);
  }

  @Test
  void aThousandGangsWhoseStartsAllMoveCostFewWritesASecond() {
    lead();
    for (int i = 0; i < 1_000; i++) {
      waits("gang-%04d".formatted(i), 1);
    }
    run(600);
    int most = 0;
    writes = 0;
    for (int second = 0; second < 180; second++) {
      int before = writes;
      if (second % 5 == 0) {
        estimate(1_000, second % 2 == 0 ? 100 : 10_000);
      }
      run(2);
      most = Math.max(most, writes - before);
    }
    assertThat(most).as("writes in one second").isBetween(1, 17);
    assertThat(expected("gang-0000")).isPresent();
    assertThat(expected("gang-0999")).as("the last in line").isPresent();
  }

  @Test
  void aThousandGangsThatAllMoveUpCostFewWritesASecond() {
    lead();
    var first = waits("gang-0000", 1);
    for (int i = 1; i < 1_000; i++) {
      waits("gang-%04d".formatted(i), 1);
    }
    run(600);
    assertThat(position("gang-0999")).contains(1_000);
    on(new Event.PodGone(first.key()));
    run(1);
    writes = 0;
    int most = 0;
    for (int second = 0; second < 150; second++) {
      int before = writes;
      run(2);
      most = Math.max(most, writes - before);
    }
    assertThat(position("gang-0999")).contains(999);
    assertThat(most).as("writes in one second").isLessThanOrEqualTo(17);
    assertThat(writes).as("one for each").isLessThanOrEqualTo(999);
  }
}
