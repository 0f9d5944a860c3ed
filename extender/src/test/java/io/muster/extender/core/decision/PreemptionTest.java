package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Gangs that end, as a whole, for others that come before them. */
final class PreemptionTest extends QueuedGangScenes {

  private static final Duration NEVER_AGED = Duration.ofHours(12);

  @BeforeEach
  void ownersMakePodsAnew() {
    cluster.ownersReplace = true;
  }

  private long live(String gang) {
    return cluster.pods.values().stream()
        .filter(pod -> pod.key().name().startsWith(gang + "-"))
        .filter(pod -> pod.isBound() && !pod.progress().deleting())
        .count();
  }

  @Test
  void aGangOfHigherPriorityEndsAsManyWholeGangsAsItNeeds() {
    nodes(4);
    gang("low-a", 2, 0);
    after(10);
    gang("low-b", 2, 0);
    after(10);
    gang("high", 2, 100);
    after(20);
    assertThat(live("high")).isEqualTo(2);
    assertThat(live("low-a")).isEqualTo(2);
    assertThat(live("low-b")).isZero();
    after(20);
    assertThat(cluster.report("low-b").reason()).isEqualTo(Reason.NO_ROOM);
    assertThat(cluster.faults).isEmpty();
  }

  /** Anybody may give a pod years to end. */
  @Test
  void whoNeverEndsKeepsRoomForTheOtherAsLongAsAReservationLastsAtMost() {
    var longest = Duration.ofMinutes(2);
    var waiting =
        new Waiting(
            Duration.ofSeconds(20),
            longest,
            NEVER_AGED,
            Duration.ofSeconds(5),
            Duration.ofDays(900),
            true);
    var brief = new ClusterSimulation(1, waiting(waiting));
    brief.neverEnds = pod -> pod.wishes().grace().toDays() > 1;
    brief.addNode(aNode("n0").gpus(8).build());
    brief.addNode(aNode("n1").gpus(8).build());
    brief.create(aPod("ml", "stuck").gpus(8).gang("stuck", 1).grace(Duration.ofDays(900)).build());
    brief.runUntil(Duration.ofSeconds(10));
    for (int i = 0; i < 2; i++) {
      brief.create(aPod("ml", "high-" + i).gpus(8).gang("high", 2).priority(100).build());
    }
    brief.runUntil(Duration.ofSeconds(30));
    brief.create(aPod("ml", "small").gpus(8).gang("small", 1).build());

    brief.runUntil(Duration.ofSeconds(60));
    assertThat(brief.boundOf("small")).as("the node is kept for the other").isZero();

    brief.create(aPod("ml", "above").gpus(1).priority(101).build());
    brief.runUntil(Duration.ofSeconds(70));
    assertThat(brief.pods.get("uid-above").isBound()).as("but not for those above it").isTrue();
    brief.complete("uid-above");

    brief.runUntil(Duration.ofMinutes(10));
    assertThat(brief.boundOf("small")).isEqualTo(1);
    assertThat(brief.faults).isEmpty();
  }

  @Test
  void theLowestPriorityGoesFirstThoughItIsOlder() {
    nodes(4);
    gang("lowest", 2, 0);
    after(10);
    gang("middle", 2, 50);
    after(10);
    gang("high", 2, 100);
    after(25);
    assertThat(live("high")).isEqualTo(2);
    assertThat(live("middle")).isEqualTo(2);
    assertThat(live("lowest")).isZero();
  }

  @Test
  void nobodyEndsWhoIsNotNeeded() {
    nodes(3);
    gang("small", 1, 0);
    after(10);
    gang("large", 2, 0);
    after(10);
    gang("high", 2, 100);
    after(25);
    assertThat(live("high")).isEqualTo(2);
    assertThat(live("small")).isEqualTo(1);
  }

  @Test
  void whoWouldEndFirstIsSparedWhereThoseAfterHimAreEnough() {
    nodes(3);
    gang("large", 2, 0);
    after(10);
    gang("small", 1, 0);
    after(10);
    gang("high", 2, 100);
    after(25);
    assertThat(live("high")).isEqualTo(2);
    assertThat(cluster.pods)
        .as("younger than the large one, and alone too small; never ended")
        .containsKey("uid-small-0");
  }

  private void budget(String app, int allowed) {
    cluster.protect(
        new Budget("ml", app, List.of(new Requirement("app", Operator.IN, Set.of(app))), allowed));
  }

  /** Two gangs of two where one must end; the younger, which would be the one, is guarded. */
  private void twoOfWhichTheYoungerIs(String app) {
    nodes(4);
    gang("older", 2, 0);
    after(10);
    gang("younger", 2, pod -> pod.priority(0).label("app", app));
    after(10);
    gang("high", 2, 100);
    after(25);
    assertThat(live("high")).isEqualTo(2);
  }

  @Test
  void aGangThatABudgetProtectsEndsAfterAllOthers() {
    budget("guarded", 1);
    twoOfWhichTheYoungerIs("guarded");
    assertThat(live("younger")).isEqualTo(2);
    assertThat(live("older")).isZero();
  }

  @Test
  void aBudgetThatAllowsItProtectsNobody() {
    budget("guarded", 2);
    twoOfWhichTheYoungerIs("guarded");
    assertThat(live("younger")).isZero();
  }

  @Test
  void aBudgetOfOthersProtectsNobody() {
    budget("guarded", 0);
    twoOfWhichTheYoungerIs("unguarded");
    assertThat(live("younger")).isZero();
  }

  @Test
  void aBudgetIsKeptWhereItCanBeAndNoFurther() {
    budget("guarded", 0);
    nodes(2);
    gang("only", 2, pod -> pod.priority(0).label("app", "guarded"));
    after(10);
    gang("high", 2, 100);
    after(25);
    assertThat(live("high")).isEqualTo(2);
  }

  @Test
  void nobodyEndsWhoAskedToBeLeftAlone() {
    nodes(2);
    gang("alone", 2, pod -> pod.priority(0).toBeLeftAlone());
    after(10);
    gang("high", 2, 100);
    after(60);
    assertThat(live("alone")).isEqualTo(2);
    assertThat(live("high")).isZero();
  }

  @Test
  void aGangWithABareMemberThatMayStartAtAnyTimeIsNoVictim() {
    var released = new ClusterSimulation(1, Rules.affinity());
    released.ownersReplace = true;
    for (int i = 0; i < 3; i++) {
      released.addNode(aNode("n" + i).gpus(8).build());
    }
    for (int i = 0; i < 3; i++) {
      var member = aPod("ml", "low-" + i).gpus(8).gang("low", 2).createdAt(released.now());
      released.create((i == 2 ? member.bare().gpus(16) : member).build());
    }
    released.runUntil(Duration.ofSeconds(30));
    assertThat(released.boundOf("low")).as("the third is released and finds no room").isEqualTo(2);
    for (int i = 0; i < 2; i++) {
      released.create(
          aPod("ml", "high-" + i)
              .gpus(8)
              .gang("high", 2)
              .priority(10)
              .createdAt(released.now())
              .build());
    }
    released.runUntil(Duration.ofMinutes(2));

    assertThat(released.pods).as("nobody would make it anew").containsKey("uid-low-2");
    assertThat(released.boundOf("low")).as("alone it would be half a gang").isEqualTo(2);
  }

  @Test
  void equalPriorityEndsNobody() {
    nodes(2);
    gang("first", 2, 100);
    after(10);
    gang("second", 2, 100);
    after(120);
    assertThat(live("first")).isEqualTo(2);
    assertThat(live("second")).isZero();
  }

  @Test
  void aGangThatMayEndNobodyWaits() {
    nodes(2);
    gang("low", 2, 0);
    after(10);
    gang("polite", 2, pod -> pod.priority(100).preemptingNobody());
    after(120);
    assertThat(live("low")).isEqualTo(2);
  }

  @Test
  void nobodyEndsForAGangThatWouldNotFitThen() {
    nodes(2);
    gang("low", 2, 0);
    after(10);
    gang("high", 3, 100);
    after(120);
    assertThat(live("low")).isEqualTo(2);
    assertThat(cluster.report("high").reason()).isEqualTo(Reason.TOO_LARGE);
  }

  @Test
  void singlePodsEndForAGangToo() {
    nodes(1);
    for (int i = 0; i < 8; i++) {
      cluster.create(aPod("ml", "s-" + i).gpus(1).createdAt(cluster.now()).build());
    }
    after(10);
    gang("high", 1, 100);
    after(40);
    assertThat(live("high")).isEqualTo(1);
  }

  @Test
  void theRoomIsKeptWhileTheVictimsEnd() {
    nodes(2);
    gang("low", 2, 0);
    after(10);
    cluster.longestEndingMillis = 20_000;
    gang("high", 2, 100);
    after(17);
    cluster.create(aPod("ml", "thief").gpus(1).priority(50).createdAt(cluster.now()).build());
    after(60);
    assertThat(live("high")).isEqualTo(2);
    assertThat(cluster.pods.values())
        .filteredOn(pod -> pod.key().name().equals("thief"))
        .noneMatch(Pod::isBound);
  }

  @Test
  void bothAreToldWhy() {
    nodes(2);
    gang("low", 2, 0);
    after(10);
    cluster.longestEndingMillis = 60_000;
    gang("high", 2, 100);
    after(18);
    assertThat(cluster.report("high").reason()).isEqualTo(Reason.PREEMPTING);
    assertThat(cluster.report("high").message())
        .isEqualTo("16 devices come free for it: 1 gang ends");
    assertThat(cluster.report("low").reason()).isEqualTo(Reason.PREEMPTED);
    assertThat(cluster.report("low").message())
        .isEqualTo("2 members end to make room for gang ml/high, which comes before it");
  }

  private static Queue queue(String name, long quota) {
    return queue(name, Optional.of(quota), Optional.empty());
  }

  @Test
  void whatAQueueHasLentComesBackWhenItAsksForIt() {
    nodes(4);
    configure(queue("a", 16), queue("b", 16));
    gang("a-1", 2, pod -> pod.queue("a"));
    after(5);
    gang("a-2", 2, pod -> pod.queue("a"));
    after(10);
    assertThat(live("a-1") + live("a-2")).isEqualTo(4);

    gang("b-1", 2, pod -> pod.queue("b"));
    after(30);
    assertThat(live("b-1")).isEqualTo(2);
    assertThat(live("a-1")).isEqualTo(2);
    assertThat(live("a-2")).isZero();
    after(20);
    assertThat(cluster.report("a-2").reason()).isEqualTo(Reason.QUOTA);
    assertThat(cluster.report("a-2").message())
        .isEqualTo(
            "queue \"a\" has a quota of 16 devices, holds 16, and 16 more are needed; others leave"
                + " 0 idle");
  }

  @Test
  void aQueueThatWantsItSoEndsLongGangsForShortOnes() {
    nodes(2);
    configure(
        new Queue(
            "default",
            1,
            Optional.empty(),
            Optional.empty(),
            Order.SHORTEST_GANG,
            true,
            Optional.empty(),
            Set.of()));
    gang("long", 2, pod -> pod.running(Duration.ofHours(10)));
    after(700);
    gang("short", 2, pod -> pod.running(Duration.ofMinutes(10)));
    after(30);
    assertThat(live("short")).isEqualTo(2);
    assertThat(live("long")).isZero();
  }

  @Test
  void aRunThatIsInterruptedAnywhereLeavesNoHalfGang() {
    for (int at = 10_000; at < 40_000; at += 700) {
      var other = new ClusterSimulation(at, Rules.extender(NodePinPolicy.NEVER));
      other.ownersReplace = true;
      for (int i = 0; i < 2; i++) {
        other.addNode(aNode("n" + i).gpus(8).build());
      }
      create(other, "low", 0);
      other.runUntil(Duration.ofSeconds(10));
      create(other, "high", 100);
      other.runUntil(Duration.ofMillis(at));
      other.kill();
      other.startMuster();
      other.runUntil(Duration.ofMillis(at).plusSeconds(240));
      assertThat(other.faults).as("restart at %d ms", at).isEmpty();
      assertThat(other.boundOf("high")).as("restart at %d ms", at).isEqualTo(2);
      assertThat(other.boundOf("low")).as("restart at %d ms", at).isZero();
    }
  }

  private static void create(ClusterSimulation cluster, String name, int priority) {
    for (int i = 0; i < 2; i++) {
      cluster.create(
          aPod("ml", name + "-" + i)
              .gpus(8)
              .gang(name, 2)
              .priority(priority)
              .createdAt(cluster.now())
              .build());
    }
  }

  @Test
  void kubeSchedulersOwnPreemptionBreaksNoGangWhereAnotherNodeWillDo() {
    nodes(2);
    gang("low", 1, 0);
    after(5);
    cluster.create(aPod("ml", "alone").gpus(8).createdAt(cluster.now()).build());
    after(5);
    var of = new HashMap<String, Set<String>>();
    cluster
        .pods
        .values()
        .forEach(pod -> of.put(pod.progress().nodeName().orElseThrow(), Set.of(pod.key().uid())));
    var single = aPod("ml", "single").gpus(8).priority(100).build();
    var member = aPod("ml", "member").gpus(8).gang("g", 2).priority(100).build();
    var harmless = cluster.pods.get("uid-alone").progress().nodeName().orElseThrow();

    assertThat(cluster.muster().preemptable(single, of)).containsExactly(harmless);
    assertThat(cluster.muster().preemptable(member, of)).isEmpty();
    of.remove(harmless);
    assertThat(cluster.muster().preemptable(single, of)).hasSize(1);
  }

  @Test
  void kubeSchedulersOwnPreemptionMayTakeAMemberBeyondTheMinimum() {
    nodes(3);
    for (int i = 0; i < 3; i++) {
      cluster.create(
          aPod("ml", "low-" + i).gpus(8).gang("low", 2).createdAt(cluster.now()).build());
    }
    after(10);
    assertThat(cluster.boundOf("low")).isEqualTo(3);
    var single = aPod("ml", "single").gpus(8).priority(100).build();
    var of = Map.of("n0", Set.of("uid-low-0"), "n1", Set.of("uid-low-1", "uid-low-2"));
    assertThat(cluster.muster().preemptable(single, of)).containsExactly("n0");
  }

  @Test
  void nobodyEndsWhileAJobMakesRoom() {
    nodes(2);
    gang("low", 2, 0);
    after(10);
    gang("high", 2, 100);
    after(5);
    cluster
        .muster()
        .placementQueries()
        .isGivenRoom(new GangId(Dialect.KOORDINATOR, "ml", "high"), cluster.now());
    after(50);
    assertThat(live("low")).isEqualTo(2);
    after(30);
    assertThat(live("high")).isEqualTo(2);
  }
}
