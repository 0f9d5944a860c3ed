package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Node.Availability;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.query.Forecast;
import io.muster.extender.core.protocol.query.Forecast.Never.Cause;
import io.muster.extender.core.protocol.query.Forecast.Running;
import io.muster.extender.core.protocol.query.Prospect;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** What a Muster that only looks says of a cluster at one moment. */
final class ReplayTest {

  private static final Instant NOW = Instant.parse("2026-11-22T06:00:00Z");

  private final List<Node> nodes = new ArrayList<>();
  private final List<Pod> pods = new ArrayList<>();
  private final List<Queue> queues = new ArrayList<>();

  private Replay replay() {
    return new Replay(
        new ClusterView(
            NOW,
            Rules.extender(NodePinPolicy.AUTO),
            Deadlines.DEFAULT,
            false,
            queues,
            Levels.FOUND,
            List.of(),
            List.of(),
            new TreeMap<>(Map.of("dlrover", Enrolment.GANG)),
            nodes,
            List.of(),
            List.of(),
            pods));
  }

  private static GangId gang(String name) {
    return new GangId(Dialect.KOORDINATOR, "dlrover", name);
  }

  /** A gang of one that takes so many GPUs of the node. */
  private void runs(String name, String node, int gpus, int minutesAgo) {
    pods.add(
        aPod("dlrover", name + "-0")
            .gpus(gpus)
            .gang(name, 1)
            .on(node)
            .createdAt(at(minutesAgo))
            .build());
  }

  private static Instant at(int minutesAgo) {
    return NOW.minusSeconds(60L * minutesAgo);
  }

  private static Prospect.Lot lot(int count, int gpus) {
    return new Prospect.Lot(aPod("dlrover", "new-0").gpus(gpus).gang("new", count).build(), count);
  }

  private Forecast forecast(int count, int gpus) {
    return replay().forecast(List.of(lot(count, gpus)));
  }

  @Test
  void whatFitsStartsNow() {
    nodes.add(aNode("n").gpus(8).build());

    assertThat(forecast(2, 4)).isInstanceOf(Forecast.Now.class);
  }

  @Test
  void whereItWouldStartIsWhereThePlannerWouldPutIt() {
    nodes.add(aNode("n1").gpus(8).build());
    nodes.add(aNode("n2").gpus(4).build());
    runs("old", "n1", 4, 30);

    var forecast = (Forecast.Now) forecast(2, 4);

    assertThat(forecast.places()).isEqualTo(Map.of("n1", 1, "n2", 1));
  }

  @Test
  void aSearchThatNobodyWaitsForEndsAndLeavesAllAsItWas() {
    nodes.add(aNode("n").gpus(8).build());
    runs("a", "n", 4, 30);
    runs("b", "n", 4, 20);
    var replay = replay();
    var expected = replay.forecast(List.of(lot(1, 8)));
    var asked = new AtomicInteger();

    assertThatThrownBy(() -> replay.forecast(List.of(lot(1, 8)), () -> asked.incrementAndGet() > 2))
        .isInstanceOf(CancellationException.class);

    assertThat(replay.forecast(List.of(lot(1, 8)))).isEqualTo(expected);
  }

  @Test
  void whatHasNoRoomStartsAfterTheOldestGangThatAloneMakesIt() {
    nodes.add(aNode("n1").gpus(8).build());
    nodes.add(aNode("n2").gpus(8).build());
    runs("small-and-oldest", "n1", 2, 30);
    runs("old", "n1", 6, 20);
    runs("whole", "n2", 8, 10);

    assertThat(forecast(1, 8))
        .isEqualTo(
            new Forecast.AfterGangs(
                List.of(new Running(gang("whole"), at(10))),
                "no room for 1 member: 0/2 nodes are available:"
                    + " 2 Insufficient nvidia.com/gpu"));
  }

  @Test
  void ifNoneAloneMakesRoomTheOldestGoThatMakeADifference() {
    nodes.add(aNode("n1").gpus(8).build());
    nodes.add(aNode("n2").gpus(2).build());
    runs("elsewhere", "n2", 2, 40);
    runs("first", "n1", 4, 30);
    runs("second", "n1", 4, 20);

    var forecast = (Forecast.AfterGangs) forecast(1, 8);

    assertThat(forecast.gangs())
        .extracting(Running::gang)
        .containsExactly(gang("first"), gang("second"));
  }

  @Test
  void whatSinglePodsTakeIsSaidToBeTheirs() {
    nodes.add(aNode("n").gpus(8).build());
    pods.add(aPod("dlrover", "notebook").gpus(1).on("n").build());

    assertThat(forecast(1, 8)).isInstanceOf(Forecast.AfterOthers.class);
  }

  @Test
  void whatDoesNotFitOnEmptyNodesNeverStarts() {
    nodes.add(aNode("n").gpus(8).build());
    runs("whole", "n", 8, 10);

    assertThat(forecast(1, 16))
        .isEqualTo(
            new Forecast.Never(
                Cause.NODES,
                "not even on empty nodes: 0/1 nodes are available:"
                    + " 1 Insufficient nvidia.com/gpu."));
    assertThat(forecast(2, 8)).isInstanceOf(Forecast.Never.class);
  }

  @Test
  void whatNeedsANodeThatIsCordonedStartsOnceItTakesPods() {
    nodes.add(aNode("n1").gpus(8).build());
    nodes.add(aNode("n2").gpus(8).availability(Availability.CORDONED).build());
    runs("whole", "n1", 8, 10);

    assertThat(forecast(2, 8))
        .isInstanceOfSatisfying(
            Forecast.AfterNodes.class,
            after ->
                assertThat(after.sentence())
                    .startsWith("the others would not hold it, even empty: 0/2 nodes"));
    assertThat(forecast(3, 8)).isInstanceOf(Forecast.Never.class);
  }

  @Test
  void aGangWithTooFewPodsNeverStarts() {
    nodes.add(aNode("n").gpus(8).build());
    var lot = new Prospect.Lot(aPod("dlrover", "new-0").gpus(1).gang("new", 4).build(), 3);

    assertThat(replay().forecast(List.of(lot)))
        .isEqualTo(
            new Forecast.Never(
                Cause.PODS, "gang dlrover/new needs 4 members, and there would be 3"));
  }

  @Test
  void roomOfGangsThatAreAboutToStartIsTheirs() {
    nodes.add(aNode("n").gpus(8).build());
    for (int i = 0; i < 2; i++) {
      pods.add(aPod("dlrover", "ahead-" + i).gpus(4).gang("ahead", 2).createdAt(at(1)).build());
    }

    var forecast = forecast(1, 8);

    assertThat(((Forecast.AfterGangs) forecast).gangs())
        .containsExactly(new Running(gang("ahead"), at(1)));
  }

  @Test
  void whatItsQueueKeepsBackWaitsForTheQueue() {
    nodes.add(aNode("n").gpus(8).build());
    queues.add(limited(4));
    assertThat(forecast(1, 4)).isInstanceOf(Forecast.Now.class);

    runs("of-the-queue", "n", 2, 10);

    assertThat(forecast(1, 4)).isInstanceOf(Forecast.Withheld.class);
    assertThat(forecast(1, 4).sentence()).contains("may hold 4 devices, holds 2");
    assertThat(forecast(1, 8))
        .asInstanceOf(InstanceOfAssertFactories.type(Forecast.Never.class))
        .extracting(Forecast.Never::cause)
        .isEqualTo(Cause.QUEUE);
  }

  @Test
  void podsAndGangsThatAreToStartTogetherCountTogetherInTheirQueue() {
    nodes.add(aNode("n").gpus(16).build());
    queues.add(limited(4));
    var others = new Prospect.Lot(one().gang("others", 3).build(), 3);

    assertThat(replay().forecast(List.of(single(one(), 4)))).isInstanceOf(Forecast.Now.class);
    assertThat(replay().forecast(List.of(single(one(), 5)))).isInstanceOf(Forecast.Never.class);
    assertThat(replay().forecast(List.of(single(one(), 5))).sentence()).contains("5 more");
    assertThat(replay().forecast(List.of(others))).isInstanceOf(Forecast.Now.class);
    assertThat(replay().forecast(List.of(others, lot(1, 1)))).isInstanceOf(Forecast.Now.class);
    assertThat(replay().forecast(List.of(others, lot(2, 1)))).isInstanceOf(Forecast.Never.class);
    assertThat(replay().forecast(List.of(others, single(one(), 2))))
        .isInstanceOf(Forecast.Never.class);
  }

  @Test
  void whatMayNotBorrowCountsApartAndNothingIsBorrowedTwice() {
    nodes.add(aNode("n").gpus(64).build());
    queues.add(queue("a", Optional.of(4L), Optional.empty(), "dlrover"));
    queues.add(queue("b", Optional.of(4L), Optional.empty(), "other"));
    queues.add(queue("idle", Optional.of(2L), Optional.empty(), "nobody"));
    var others = aPod("other", "pod").gpus(1).build();

    assertThat(replay().forecast(List.of(single(one().bare(), 4), single(one(), 6))))
        .isInstanceOf(Forecast.Now.class);
    assertThat(replay().forecast(List.of(single(one().bare(), 5))).sentence())
        .contains("pods without a controller may not borrow");
    assertThat(replay().forecast(List.of(single(one(), 6), new Prospect.Lot(others, 4))))
        .isInstanceOf(Forecast.Now.class);
    assertThat(replay().forecast(List.of(single(one(), 6), new Prospect.Lot(others, 6))))
        .isInstanceOf(Forecast.Withheld.class);
  }

  private static PodBuilder one() {
    return aPod("dlrover", "pod").gpus(1);
  }

  private static Prospect.Lot single(PodBuilder pod, int count) {
    return new Prospect.Lot(pod.build(), count);
  }

  private static Queue limited(long limit) {
    return queue("small", Optional.empty(), Optional.of(limit), "dlrover");
  }

  private static Queue queue(
      String name, Optional<Long> quota, Optional<Long> limit, String namespace) {
    return new Queue(
        name, 1, quota, limit, Order.PRIORITY, false, Optional.empty(), Set.of(namespace));
  }

  @Test
  void askingChangesNothing() {
    nodes.add(aNode("n").gpus(8).build());
    runs("a", "n", 4, 30);
    runs("b", "n", 4, 20);
    var replay = replay();
    var first = replay.forecast(List.of(lot(1, 8)));

    assertThat(replay.forecast(List.of(lot(1, 8)))).isEqualTo(first);
    assertThat(replay.forecast(List.of(lot(1, 1)))).isInstanceOf(Forecast.AfterGangs.class);
  }

  @Test
  void aGangThatWaitsIsReportedAsARunningMusterReportsIt() {
    nodes.add(aNode("n").gpus(1).build());
    for (int i = 0; i < 2; i++) {
      pods.add(aPod("dlrover", "g-" + i).gpus(1).gang("g", 2).gated().createdAt(at(1)).build());
    }

    var report = replay().report(gang("g")).orElseThrow();

    assertThat(report.reason()).matches(Reason::isWantOfRoom);
    assertThat(report.message()).startsWith("no room for 2 members together: 0/1 nodes");
    assertThat(replay().report(gang("unknown"))).isEmpty();
  }

  @Test
  void theViewOfEventsIsWhatTheyHaveLedTo() {
    var gone = aPod("dlrover", "gone").build();
    var stays = aPod("dlrover", "stays").build();
    var view =
        ClusterView.of(
            NOW,
            Rules.affinity(),
            Deadlines.DEFAULT,
            List.of(
                new Event.NodeSeen(aNode("b").build()),
                new Event.NodeSeen(aNode("a").gpus(1).build()),
                new Event.NodeSeen(aNode("a").gpus(2).build()),
                new Event.NodeSeen(aNode("c").build()),
                new Event.NodeGone("c"),
                new Event.PodSeen(gone),
                new Event.PodSeen(stays),
                new Event.PodGone(gone.key()),
                new Event.Released(true)));

    assertThat(view.nodes()).containsExactly(aNode("a").gpus(2).build(), aNode("b").build());
    assertThat(view.pods()).containsExactly(stays);
    assertThat(view.released()).isTrue();
  }
}
