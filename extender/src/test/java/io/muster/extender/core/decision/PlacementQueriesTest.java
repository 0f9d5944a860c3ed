package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.forecast.PlacementQueries;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.Shortage;
import io.muster.extender.core.protocol.query.Prospect;
import io.muster.extender.core.protocol.query.RoomFor;
import io.muster.extender.core.protocol.query.WaitingGang;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What those are told who make jobs larger and smaller. */
final class PlacementQueriesTest extends GangScenes {

  private static final GangId BIG = new GangId(Dialect.KOORDINATOR, "dlrover", "big");

  /** A gang runs on one of two nodes, and one of two members waits. */
  private PlacementQueries oneRunsAndTwoWait() {
    gpuNodes(2);
    gang("small", 1, 1);
    cluster.runUntil(seconds(5));
    gang("big", 2, 2);
    cluster.runUntil(seconds(15));
    assertThat(cluster.boundOf("small")).isEqualTo(1);
    assertThat(cluster.boundOf("big")).isZero();
    return cluster.muster().placementQueries();
  }

  @Test
  void aGangThatWaitsIsNamedWithWhatItNeedsAndWhatIsFree() {
    var placementQueries = oneRunsAndTwoWait();

    assertThat(placementQueries.waiting(cluster.now())).containsExactly(new WaitingGang(BIG, 0));
    assertThat(placementQueries.shortage(BIG))
        .contains(
            new Shortage(
                2,
                Optional.empty(),
                List.of(new Shortage.Amount("nvidia.com/gpu", 2, 1)),
                "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."));
    assertThat(placementQueries.shortage(new GangId(Dialect.KOORDINATOR, "dlrover", "small")))
        .isEmpty();
  }

  @Test
  void thePodThatComesLaterIsNamedIfItIsTheOneWithoutAPlace() {
    cluster.addNode(aNode("n").gpus(1).build());
    cluster.create(
        aPod("dlrover", "big-0")
            .gpus(1)
            .gang("big", 1)
            .beforeOne(aPod("dlrover", "big-launcher").gpus(3).build())
            .createdAt(cluster.now())
            .build());
    cluster.runUntil(seconds(10));

    assertThat(cluster.muster().placementQueries().shortage(BIG))
        .hasValueSatisfying(shortage -> {
          assertThat(shortage.later())
              .hasValueSatisfying(asks -> assertThat(asks).contains("nvidia.com/gpu 3"));
          assertThat(shortage.devices())
              .containsExactly(new Shortage.Amount("nvidia.com/gpu", 4, 1));
        });
  }

  private static final RoomFor ONE_MORE = new RoomFor.Like(List.of("uid-small-worker-0"));

  @Test
  void roomForMoreIsJudgedByThePlanner() {
    var placementQueries = oneRunsAndTwoWait();

    assertThat(placementQueries.places(List.of(ONE_MORE), List.of(), cluster.now()))
        .singleElement()
        .satisfies(nodes -> assertThat(nodes.orElseThrow()).hasSize(1));
    var two = new RoomFor.Like(List.of("uid-small-worker-0", "uid-small-worker-0"));
    var unknown = new RoomFor.Like(List.of("unknown"));
    assertThat(placementQueries.places(List.of(two, unknown), List.of(), cluster.now()))
        .containsExactly(Optional.empty(), Optional.empty());
  }

  @Test
  void whoComesLaterIsPlacedBesideThoseBeforeAndNothingIsKept() {
    var placementQueries = oneRunsAndTwoWait();

    for (int again = 0; again < 2; again++) {
      var places = placementQueries.places(List.of(ONE_MORE, ONE_MORE), List.of(), cluster.now());
      assertThat(places.getFirst()).isPresent();
      assertThat(places.getLast()).isEmpty();
    }
    var node =
        placementQueries
            .places(List.of(ONE_MORE), List.of(), cluster.now())
            .getFirst()
            .orElseThrow();
    var placed = new RoomFor.Placed(List.of("uid-small-worker-0"), node);
    assertThat(
            placementQueries.places(List.of(placed, ONE_MORE), List.of(), cluster.now()).getLast())
        .isEmpty();
    // One that has no room takes none.
    var tooMany = new RoomFor.Waiting(BIG);
    assertThat(
            placementQueries.places(List.of(tooMany, ONE_MORE), List.of(), cluster.now()).getLast())
        .isPresent();
  }

  private void theQueueMayHoldTwoDevices() {
    cluster.configure(
        new Queues(
            List.of(
                new Queue(
                    "default",
                    1,
                    Optional.empty(),
                    Optional.of(2L),
                    Order.PRIORITY,
                    false,
                    Optional.empty(),
                    Set.of()))));
  }

  @Test
  void whatItsQueueDoesNotLetStartHasNoRoom() {
    gpuNodes(4);
    gang("small", 1, 1);
    cluster.runUntil(seconds(5));
    var placementQueries = cluster.muster().placementQueries();
    var places = placementQueries.places(List.of(ONE_MORE, ONE_MORE), List.of(), cluster.now());
    assertThat(places).allSatisfy(nodes -> assertThat(nodes).isPresent());
    theQueueMayHoldTwoDevices();
    cluster.runUntil(seconds(10));
    places = placementQueries.places(List.of(ONE_MORE, ONE_MORE), List.of(), cluster.now());
    assertThat(places.getFirst()).isPresent();
    assertThat(places.getLast()).isEmpty();
  }

  @Test
  void aGangCouldUseTheNodesThatItSelectsAndNoOthers() {
    var placementQueries = oneRunsAndTwoWait();
    cluster.addNode(aNode("elsewhere").gpus(1).build());

    assertThat(placementQueries.couldUse(new RoomFor.Waiting(BIG), "gpu-0")).isTrue();
    assertThat(placementQueries.couldUse(new RoomFor.Waiting(BIG), "elsewhere")).isFalse();
    assertThat(placementQueries.couldUse(ONE_MORE, "gpu-0")).isTrue();
    var running = new RoomFor.Waiting(new GangId(Dialect.KOORDINATOR, "dlrover", "small"));
    assertThat(placementQueries.couldUse(running, "gpu-0")).isFalse();
  }

  @Test
  void whoseEndWouldHelpAWaitingGangIsFoundWithoutTouchingAnything() {
    var placementQueries = oneRunsAndTwoWait();

    var big = List.<RoomFor>of(new RoomFor.Waiting(BIG));
    assertThat(placementQueries.places(big, List.of(), cluster.now()).getFirst()).isEmpty();
    var gone = List.of("uid-small-worker-0");
    assertThat(placementQueries.places(big, gone, cluster.now()).getFirst()).isPresent();
    cluster.runUntil(cluster.sinceStart().plus(Duration.ofSeconds(10)));
    assertThat(cluster.boundOf("small")).isEqualTo(1);
    assertThat(cluster.boundOf("big")).isZero();
    settled();
  }

  @Test
  void whereAPodIsAndWhatRoomIsBesideItIsSaid() {
    var placementQueries = oneRunsAndTwoWait();

    var worker = List.of("uid-small-worker-0");
    assertThat(placementQueries.asks("uid-small-worker-0").devices()).isEqualTo(1);
    assertThat(placementQueries.asked().devices()).isEqualTo(3);
    assertThat(placementQueries.offered().devices()).isEqualTo(2);
    assertThat(placementQueries.sites(worker, List.of()))
        .hasSize(1)
        .allSatisfy((_, site) -> assertThat(site.space()).isZero());
    assertThat(placementQueries.sites(worker, worker))
        .allSatisfy((_, site) -> assertThat(site.space()).isEqualTo(1000));
    assertThat(placementQueries.sites(List.of("uid-big-worker-0", "unknown"), List.of())).isEmpty();
  }

  @Test
  void podsWithoutAGangThatFindNoNodeAreNamedAfterAMoment() {
    gpuNodes(1);
    gang("small", 1, 1);
    cluster.runUntil(seconds(5));
    cluster.create(aPod("web", "late").gpus(1).createdAt(cluster.now()).build());
    var placementQueries = cluster.muster().placementQueries();
    cluster.runUntil(seconds(6));
    assertThat(placementQueries.withoutNode(cluster.now())).isEmpty();
    cluster.runUntil(seconds(10));
    assertThat(placementQueries.withoutNode(cluster.now()))
        .singleElement()
        .satisfies(pod -> assertThat(pod.key().name()).isEqualTo("late"));
  }

  /** Their requests would take workers from elastic jobs for as long as they are there. */
  @Test
  void podsThatNobodyPlacesAreNotNamed() {
    gpuNodes(1);
    gang("small", 1, 1);
    cluster.runUntil(seconds(5));
    seen(nobodys("web").build());
    seen(nobodys("gated").gated().placedBy(1).build());
    cluster.runUntil(seconds(10));
    var placementQueries = cluster.muster().placementQueries();
    assertThat(placementQueries.withoutNode(cluster.now())).isEmpty();

    var web = nobodys("web").createdAt(Instant.EPOCH).build();
    seen(
        web.at(
            new Pod.Progress(
                web.progress().phase(),
                Optional.empty(),
                Optional.empty(),
                false,
                Set.of(),
                Optional.of("0/1 nodes are available: 1 Insufficient cpu."),
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty())));
    assertThat(placementQueries.withoutNode(cluster.now()))
        .extracting(pod -> pod.key().name())
        .containsExactly("web");
  }

  private PodBuilder nobodys(String name) {
    return aPod("web", name).cpuMillis(1_000).scheduler("nobody").createdAt(cluster.now());
  }

  private void seen(Pod pod) {
    var _ = cluster.muster().on(new Event.PodSeen(pod), cluster.now());
  }

  @Test
  void whoIsHeldBackByItsQueueIsNotNamed() {
    theQueueMayHoldTwoDevices();
    gpuNodes(4);
    gang("big", 3, 3);
    cluster.create(aPod("web", "many").gpus(3).createdAt(cluster.now()).build());
    cluster.runUntil(seconds(10));
    var placementQueries = cluster.muster().placementQueries();
    assertThat(placementQueries.waiting(cluster.now())).hasSize(1);
    assertThat(placementQueries.waitingForRoom(cluster.now())).isEmpty();
    assertThat(placementQueries.withoutNode(cluster.now())).isEmpty();
  }

  private static Prospect.Lot lot(int count, PodBuilder pod) {
    return new Prospect.Lot(pod.selecting("set", "gpu").build(), count);
  }

  @Test
  void podsThatDoNotExistAreJudgedAsTheirGangWouldBeAndNothingIsKeptForThem() {
    gpuNodes(2);
    cluster.runUntil(seconds(5));
    var placementQueries = cluster.muster().placementQueries();
    var worker = aPod("dlrover", "any").gpus(1).gang("next", 3);

    assertThat(placementQueries.ifMade(List.of(lot(4, worker)), cluster.now()))
        .isEqualTo(
            new Prospect(
                false,
                "no room for 3 members together: 0/2 nodes are available: 2 Insufficient"
                    + " nvidia.com/gpu"));
    cluster.addNode(aNode("gpu-2").gpus(1).label("set", "gpu").build());
    cluster.runUntil(seconds(6));
    for (int again = 0; again < 2; again++) {
      assertThat(placementQueries.ifMade(List.of(lot(4, worker)), cluster.now()))
          .isEqualTo(new Prospect(true, "there is room for all that must start together"));
    }
    gang("other", 3, 3);
    cluster.runUntil(seconds(15));
    assertThat(cluster.boundOf("other")).isEqualTo(3);
    settled();
  }

  @Test
  void podsThatTheirQueueWouldNotLetStartAreToldOfTheQueue() {
    gpuNodes(4);
    theQueueMayHoldTwoDevices();
    gang("small", 1, 1);
    cluster.runUntil(seconds(5));
    assertThat(cluster.boundOf("small")).isEqualTo(1);
    var placementQueries = cluster.muster().placementQueries();
    var one = lot(1, aPod("dlrover", "any").gpus(1).gang("next", 1));
    var two = lot(2, aPod("dlrover", "any").gpus(1).gang("next", 2));
    var single = lot(2, aPod("a").gpus(1));

    assertThat(placementQueries.ifMade(List.of(one), cluster.now()).starts()).isTrue();
    var full =
        new Prospect(
            false,
            "Quota",
            "queue \"default\" may hold 2 devices, holds 1, and 2 more are needed; wait until 1"
                + " device of the queue comes free, or raise its limit");
    assertThat(placementQueries.ifMade(List.of(two), cluster.now())).isEqualTo(full);
    assertThat(placementQueries.ifMade(List.of(single), cluster.now())).isEqualTo(full);

    gang("next", 2, 2);
    cluster.runUntil(seconds(10));
    assertThat(cluster.boundOf("next")).isZero();
    assertThat(placementQueries.ifMade(List.of(two), cluster.now()).sentence())
        .isEqualTo(full.sentence() + "; 1 gang waits in line already");
    assertThat(
            placementQueries
                .report(new GangId(Dialect.KOORDINATOR, "dlrover", "next"))
                .orElseThrow()
                .reason()
                .code())
        .isEqualTo(full.reason());
  }

  @Test
  void podsWithoutAGangAreToStartAllTogether() {
    gpuNodes(2);
    cluster.runUntil(seconds(5));
    var placementQueries = cluster.muster().placementQueries();

    assertThat(placementQueries.ifMade(List.of(lot(2, aPod("a").gpus(1))), cluster.now()).starts())
        .isTrue();
    assertThat(placementQueries.ifMade(List.of(lot(3, aPod("a").gpus(1))), cluster.now()).starts())
        .isFalse();
    assertThat(
            placementQueries
                .ifMade(
                    List.of(lot(1, aPod("a").gpus(1)), lot(2, aPod("b").gpus(1))), cluster.now())
                .starts())
        .isFalse();
  }

  @Test
  void whoWaitsInLineAlreadyIsSaidBesideTheReason() {
    var placementQueries = oneRunsAndTwoWait();
    var next = aPod("dlrover", "any").gpus(1).gang("next", 2);

    assertThat(placementQueries.ifMade(List.of(lot(2, next)), cluster.now()).sentence())
        .isEqualTo(
            "no room for 2 members together: 0/2 nodes are available: 2 Insufficient"
                + " nvidia.com/gpu; 1 gang waits in line already");
    assertThat(
            placementQueries
                .ifMade(
                    List.of(lot(1, aPod("dlrover", "any").gpus(1).gang("small-next", 1))),
                    cluster.now())
                .sentence())
        .isEqualTo("there is room for all that must start together; 1 gang waits in line already");
  }

  @Test
  void aGangThatCouldNeverStartIsSaidToBeSo() {
    gpuNodes(4);
    cluster.runUntil(seconds(5));
    var tooFew = aPod("dlrover", "any").gpus(1).gang("next", 3);

    assertThat(cluster.muster().placementQueries().ifMade(List.of(lot(2, tooFew)), cluster.now()))
        .isEqualTo(new Prospect(false, "gang dlrover/next needs 3 members, and there would be 2"));
  }
}
