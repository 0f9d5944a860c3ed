package io.muster.controller.core.elastic;

import static io.muster.controller.core.elastic.ElasticCluster.gives;
import static io.muster.controller.core.elastic.ElasticCluster.grows;
import static io.muster.controller.core.elastic.ElasticCluster.said;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.elastic.Decision.Cause;
import io.muster.controller.core.elastic.GangPolicy.HeadRoom;
import io.muster.controller.core.elastic.ResizableJob.Sharing;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import io.muster.controller.core.elastic.ResizableJob.Terms;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Online services, waiting gangs, the next gang and evenness, in this order. */
final class GangPolicyTest {

  private final ElasticCluster cluster =
      new ElasticCluster(new GangPolicy(HeadRoom.NONE)).devices("a", 8).devices("b", 8);

  private static ElasticCluster.Job fast(ElasticCluster.Job job) {
    job.stride = new Stride(1, 100);
    return job;
  }

  private static Terms costing(int seconds) {
    return new Terms(Sharing.WITH_EQUALS, Duration.ofSeconds(seconds), List.of());
  }

  @Test
  void podsOfOnlineServicesComeBeforeGangs() {
    cluster.job("j", "a", 0, 8, 6, 8);
    cluster.gang("g", "a", 0, 2);
    cluster.online("web-0", "a", 0);
    assertThat(said(cluster.decide())).containsExactly(gives("j", List.of("j-worker-7"), "online"));
    assertThat(cluster.decide().getFirst().why())
        .isEqualTo(
            "gives back j-worker-7 for a pod without a gang, for which there is no room, and it has"
                + " most to spare");
  }

  @Test
  void asManyOnlinePodsAreHelpedAsCanBe() {
    cluster.job("j", "a", 0, 8, 5, 8);
    for (int i = 0; i < 10; i++) {
      cluster.online("web-" + i, "a", 0);
    }
    assertThat(said(cluster.decide()))
        .containsExactly(gives("j", List.of("j-worker-7", "j-worker-6", "j-worker-5"), "online"));
  }

  @Test
  void whoMakesPodsOfManyKindsNeitherKeepsOthersFromBeingHelpedNorHasAllOfThemPlanned() {
    cluster.devices("free", 10_000).devices("full", 0);
    cluster.job("j", "a", 0, 8, 6, 8);
    for (int i = 0; i < 500; i++) {
      cluster.online("fits-" + i, "free", 0, "a-tenant", "fits-" + i);
      cluster.online("fits-nowhere-" + i, "full", 0, "a-tenant", "fits-nowhere-" + i);
    }
    cluster.online("web", "a", 0, "team", "web");
    assertThat(said(cluster.decide())).containsExactly(gives("j", List.of("j-worker-7"), "online"));
    assertThat(cluster.wishes).isLessThan(2_000);
  }

  @Test
  void onePodThatNothingCanBeDoneForKeepsNobodyFromGrowing() {
    cluster.job("j", "a", 0, 2, 1, 8);
    cluster.job("full", "b", 0, 8, 8, 8);
    cluster.online("web", "b", 0);
    assertThat(said(cluster.decide())).containsExactly(grows("j", 1));
  }

  @Test
  void gangsThatWaitAreAllHelpedAtOnce() {
    cluster.job("j", "a", 0, 8, 2, 8);
    cluster.gang("first", "a", 0, 3);
    cluster.gang("second", "a", 0, 2);
    assertThat(said(cluster.decide()))
        .containsExactly(
            gives("j", List.of("j-worker-7", "j-worker-6", "j-worker-5"), "first"),
            gives("j", List.of("j-worker-4", "j-worker-3"), "second"));
  }

  /** Beside the older one most is free, and yet the gang fits where the younger one is. */
  @Test
  void whereTheRoomiestWorkersWouldNotBeEnoughOthersLeave() {
    var room =
        new AnyRoom() {
          @Override
          public List<Optional<List<String>>> places(List<Wish> wishes, Collection<String> gone) {
            return Collections.nCopies(
                wishes.size(), Optional.of(List.of("n")).filter(_ -> gone.contains("younger")));
          }

          @Override
          public Map<String, Site> sites(List<String> podUids, Collection<String> gone) {
            return Map.of("older", new Site("m", 900), "younger", new Site("n", 100));
          }

          @Override
          public boolean couldUse(Wish wish, String node) {
            return true;
          }
        };
    var job =
        new ResizableJob(
            "j",
            0,
            List.of(
                new Worker("j-0", "older", Instant.EPOCH),
                new Worker("j-1", "younger", Instant.EPOCH)),
            1,
            2,
            Stride.ONE,
            Duration.ZERO,
            Optional.empty(),
            true,
            true,
            0,
            new Terms(Sharing.WITH_EQUALS, Duration.ofSeconds(60), List.of()));
    var view =
        new View(List.of(job), List.of(new View.Waiting("g", 0)), List.of(), List.of(), room);
    assertThat(said(new GangPolicy(HeadRoom.NONE).plan(view, Instant.EPOCH)))
        .containsExactly(gives("j", List.of("j-1"), "g"));
  }

  @Test
  void ofAJobWithSegmentsTheLastOnesLeaveAsAWhole() {
    cluster.job("j", "a", 0, 8, 2, 8).segment = 2;
    cluster.gang("g", "a", 0, 3);
    assertThat(said(cluster.decide()))
        .containsExactly(
            gives("j", List.of("j-worker-6", "j-worker-7", "j-worker-4", "j-worker-5"), "g"));
  }

  /** Three may leave: a segment, and one of the next. */
  @Test
  void aSegmentIsBrokenOnlyWhereNoWholeOneMayLeave() {
    cluster.job("j", "a", 0, 8, 5, 8).segment = 2;
    cluster.gang("g", "a", 0, 3);
    assertThat(said(cluster.decide()))
        .containsExactly(gives("j", List.of("j-worker-6", "j-worker-7", "j-worker-5"), "g"));
    var scarce = new ElasticCluster(new GangPolicy(HeadRoom.NONE)).devices("a", 8);
    scarce.job("j", "a", 0, 8, 7, 8).segment = 2;
    scarce.gang("g", "a", 0, 1);
    assertThat(said(scarce.decide())).containsExactly(gives("j", List.of("j-worker-7"), "g"));
  }

  @Test
  void aSegmentThatIsNotNeededStays() {
    cluster.devices("a", 9);
    cluster.job("small", "a", 0, 2, 1, 2).segment = 2;
    cluster.job("j", "a", 0, 7, 3, 8).segment = 4;
    cluster.gang("g", "a", 0, 3);
    assertThat(said(cluster.decide()))
        .as("the last segment is the shorter one")
        .containsExactly(gives("j", List.of("j-worker-4", "j-worker-5", "j-worker-6"), "g"));
  }

  @Test
  void noSegmentIsBrokenForEvenness() {
    fast(cluster.job("rich", "a", 0, 7, 1, 8)).segment = 2;
    fast(cluster.job("poor", "a", 0, 1, 1, 8));
    cluster.ticks(200);
    assertThat(cluster.decided).isEmpty();
  }

  @Test
  void roomForTheNextGangIsMadeAndLeftAloneByGrowth() {
    var keeping = new ElasticCluster(new GangPolicy(HeadRoom.ALL)).devices("a", 8);
    fast(keeping.job("j", "a", 0, 2, 2, 8));
    keeping.ticks(20);
    assertThat(keeping.jobs.get("j").size()).isEqualTo(6);
    assertThat(keeping.free("a")).isEqualTo(2);

    keeping.gang("g", "a", 0, 2);
    keeping.tick();
    assertThat(keeping.runs("g")).isTrue();
    keeping.ticks(3);
    assertThat(keeping.free("a")).isEqualTo(2);
    assertThat(keeping.decided.getLast())
        .isInstanceOfSatisfying(
            Decision.GiveBack.class,
            back -> {
              assertThat(back.cause()).isEqualTo(Cause.HEAD_ROOM);
              assertThat(back.why())
                  .isEqualTo(
                      "gives back j-worker-5, j-worker-4 for the next gang, so that it finds room"
                          + " when it comes");
            });
  }

  /** Else a job shrinks beside the first node that is back, and grows again beside the last. */
  @Test
  void nobodyShrinksForTheNextGangWhileNodesComeBack() {
    var keeping = new ElasticCluster(new GangPolicy(HeadRoom.ALL)).devices("a", 10);
    fast(keeping.job("j", "a", 0, 10, 2, 10));
    keeping.devices("a", 2);
    keeping.decide();
    for (int back = 4; back <= 12; back += 2) {
      keeping.devices("a", back);
      assertThat(keeping.decide()).isEmpty();
      keeping.now = keeping.now.plusSeconds(5);
    }
    assertThat(keeping.decide()).isEmpty();
  }

  @Test
  void aMinuteAfterTheLastNodeHasComeRoomIsKeptAgain() {
    var keeping = new ElasticCluster(new GangPolicy(HeadRoom.ALL)).devices("a", 9);
    fast(keeping.job("j", "a", 0, 10, 2, 10));
    keeping.decide();
    keeping.devices("a", 10);
    assertThat(keeping.decide()).isEmpty();
    keeping.now = keeping.now.plusSeconds(59);
    assertThat(keeping.decide()).isEmpty();
    keeping.now = keeping.now.plusSeconds(1);
    assertThat(said(keeping.decide()))
        .containsExactly(gives("j", List.of("j-worker-9", "j-worker-8"), "head_room"));
  }

  @Test
  void whereThereIsNotRoomForAnotherGangNoneIsKept() {
    var keeping = new ElasticCluster(new GangPolicy(HeadRoom.ALL)).devices("a", 8);
    fast(keeping.job("j", "a", 0, 5, 5, 8));
    keeping.ticks(100);
    assertThat(keeping.jobs.get("j").size()).isEqualTo(8);
    assertThat(keeping.decided).hasSize(1);
  }

  @Test
  void noRoomIsKeptForJobsWithDevicesUnlessItIsAskedFor() {
    var keeping = new ElasticCluster(new GangPolicy(HeadRoom.WITHOUT_DEVICES)).devices("a", 8);
    fast(keeping.job("j", "a", 0, 2, 2, 8));
    keeping.ticks(20);
    assertThat(keeping.jobs.get("j").size()).isEqualTo(8);
  }

  @Test
  void freeRoomIsHandedOutEvenly() {
    fast(cluster.job("rich", "a", 0, 3, 1, 8));
    fast(cluster.job("poor", "a", 0, 1, 1, 8));
    assertThat(said(cluster.decide())).containsExactly(grows("poor", 3), grows("rich", 1));
  }

  @Test
  void theRichGiveToThePoorOnceTheyHaveNotGrownForFiveMinutes() {
    var rich = fast(cluster.job("rich", "a", 0, 7, 1, 8));
    var poor = fast(cluster.job("poor", "a", 0, 1, 1, 8));
    cluster.ticks(60);
    assertThat(cluster.decided).isEmpty();
    cluster.tick();
    assertThat(said(cluster.decided))
        .containsExactly(gives("rich", List.of("rich-worker-6"), "evenness"));
    cluster.ticks(20);
    assertThat(rich.size() - poor.size()).isBetween(0, Evenness.GAP);
    int decided = cluster.decided.size();
    cluster.ticks(200);
    assertThat(cluster.decided).hasSize(decided);
  }

  @Test
  void nobodyIsMovedForEvennessInHisFirstMinute() {
    fast(cluster.job("rich", "a", 0, 7, 1, 8));
    fast(cluster.job("poor", "a", 0, 1, 1, 8));
    cluster.ticks(60);
    cluster.youngen("rich");
    cluster.ticks(11);
    assertThat(cluster.decided).isEmpty();
    cluster.ticks(2);
    assertThat(cluster.decided).isNotEmpty();
  }

  @Test
  void evennessIsNotForceOverPriorities() {
    fast(cluster.job("rich", "a", 1, 7, 1, 8));
    fast(cluster.job("poor", "a", 0, 1, 1, 8));
    cluster.ticks(200);
    assertThat(cluster.decided).isEmpty();
  }

  @Test
  void aJobThatIsResizedForNothingGrowsByAnything() {
    cluster.devices("a", 200);
    var job = cluster.job("j", "a", 0, 100, 1, 200);
    job.terms = costing(0);
    assertThat(said(cluster.decide())).containsExactly(grows("j", 1));
  }

  @Test
  void aMinuteOfStandingStillIsWorthOneWorkerInSixty() {
    cluster.devices("a", 200);
    var job = cluster.job("j", "a", 0, 59, 1, 200);
    job.terms = costing(60);
    assertThat(said(cluster.decide())).containsExactly(grows("j", 1));
    cluster.job("large", "a", 0, 100, 1, 200).terms = costing(60);
    assertThat(said(cluster.decide())).contains(grows("large", 2));
  }

  @Test
  void anHourOfStandingStillIsWorthDoublingAndNoLess() {
    var job = fast(cluster.job("j", "a", 0, 3, 1, 8));
    job.terms = costing(3_600);
    assertThat(said(cluster.decide())).containsExactly(grows("j", 5));
    cluster.devices("a", 6);
    assertThat(cluster.decide()).isEmpty();
  }

  @Test
  void whoYieldsToHigherPriorityAloneGivesWithTheOthersAndNotBesideThem() {
    cluster.job("shares", "a", 0, 4, 2, 8);
    cluster.job("yields", "a", 0, 4, 1, 8).terms = Terms.YIELDING;
    cluster.gang("g", "a", 1, 1);
    assertThat(said(cluster.decide()))
        .containsExactly(gives("yields", List.of("yields-worker-3"), "g"));
    cluster.end("g");
    cluster.gang("large", "a", 1, 5);
    assertThat(said(cluster.decide()))
        .containsExactlyInAnyOrder(
            gives(
                "yields",
                List.of("yields-worker-3", "yields-worker-2", "yields-worker-1"),
                "large"),
            gives("shares", List.of("shares-worker-3", "shares-worker-2"), "large"));
  }

  @Test
  void norDoTheyGrowIntoTheSameRoom() {
    cluster.job("shares", "a", 0, 4, 1, 8);
    cluster.job("yields", "a", 0, 3, 1, 8).terms = Terms.YIELDING;
    assertThat(said(cluster.decide())).containsExactly(grows("yields", 1));
  }

  @Test
  void whoYieldsToHigherPriorityAloneGivesNothingForTheNextGang() {
    var keeping = new ElasticCluster(new GangPolicy(HeadRoom.ALL)).devices("a", 8);
    keeping.job("shares", "a", 1, 4, 2, 4);
    keeping.job("yields", "a", 0, 4, 1, 8).terms = Terms.YIELDING;
    assertThat(said(keeping.decide()))
        .containsExactly(
            gives("shares", List.of("shares-worker-3", "shares-worker-2"), "head_room"));
  }

  @Test
  void norDoesHeLeaveItsRoomAlone() {
    var keeping = new ElasticCluster(new GangPolicy(HeadRoom.ALL)).devices("a", 8);
    keeping.job("shares", "a", 0, 2, 2, 8);
    keeping.job("yields", "a", 0, 4, 1, 8).terms = Terms.YIELDING;
    assertThat(said(keeping.decide())).containsExactly(grows("yields", 1));
  }

  @Test
  void underEdlWhoYieldsGivesAndTakesNothingThatOthersGiveAndTakeAlready() {
    var edl = new ElasticCluster(ByTerms.sharingBy(new EdlPolicy(1))).devices("a", 8);
    edl.job("shares", "a", 0, 4, 1, 8);
    edl.job("yields", "a", 0, 3, 1, 8).terms = Terms.YIELDING;
    assertThat(said(edl.decide())).containsExactly(grows("shares", 1));
    edl.gang("g", "a", 1, 2);
    assertThat(said(edl.decide()))
        .containsExactly(gives("shares", List.of("shares-worker-3"), "load"));
  }

  @Test
  void withSharingOffOnlyThoseThatYieldAreDecidedAbout() {
    var off = new ElasticCluster(ByTerms.withoutSharing()).devices("a", 8);
    off.job("shares", "a", 0, 2, 1, 8);
    off.job("yields", "a", 0, 2, 1, 8).terms = Terms.YIELDING;
    assertThat(said(off.decide())).containsExactly(grows("yields", 1));
    off.gang("g", "a", 1, 5);
    assertThat(said(off.decide()))
        .containsExactly(gives("yields", List.of("yields-worker-1"), "g"));
  }

  @Test
  void underEdlSizesFollowTheShareOfTheCpu() {
    var edl = new ElasticCluster(ByTerms.sharingBy(new EdlPolicy(0.75))).devices("a", 8);
    fast(edl.job("j", "a", 0, 2, 1, 8));
    edl.tick();
    assertThat(edl.jobs.get("j").size()).isEqualTo(6);
    assertThat(edl.decided.getFirst().why())
        .isEqualTo(
            "grows from 2 to 6 workers: all pods together then ask for no more than 75 % of the"
                + " CPU");
    edl.gang("g", "a", 0, 2);
    edl.tick();
    assertThat(edl.decided.getLast().why())
        .isEqualTo(
            "gives back j-worker-5, j-worker-4: all pods together ask for more than 75 % of the"
                + " CPU");
  }
}
