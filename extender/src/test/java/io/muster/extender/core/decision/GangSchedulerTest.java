package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.decision.filter.Filter;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The flow of a gang in virtual time. */
final class GangSchedulerTest extends GangScenes {

  @Test
  void bindsAllMembersTogetherWhereThereIsRoom() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    cluster.runUntil(seconds(5));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    settled();
  }

  private static final Instant NOW = Instant.EPOCH;

  /** A protocol that leads, with these nodes of one GPU each. */
  private static GangScheduler leading(String... nodes) {
    var muster = new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
    for (var node : nodes) {
      muster.on(new Event.NodeSeen(aNode(node).gpus(1).build()), NOW);
    }
    muster.on(new Event.LeaseHeld(Instant.MAX, false), NOW);
    muster.on(new Event.Ready(), NOW);
    return muster;
  }

  @Test
  void aCallAboutAPodThatIsGoneBringsNothingBack() {
    var muster = leading("n0", "n1", "n2");
    for (int i = 0; i < 3; i++) {
      muster.on(new Event.PodSeen(aPod("g-" + i).gpus(1).gang("g", 3).build()), NOW);
    }
    var ghost = aPod("g-2").gpus(1).gang("g", 3).build();
    muster.on(new Event.PodGone(ghost.key()), NOW);

    assertThat(muster.filter(ghost, List.of("n0", "n1", "n2"), NOW).answer())
        .isEqualTo(new Answer.Refuse(Filter.GONE));
    for (int i = 0; i < 3; i++) {
      muster.on(new Event.PodSeen(aPod("other-" + i).gpus(1).gang("other", 3).build()), NOW);
    }
    assertThat(
            muster
                .filter(
                    aPod("other-0").gpus(1).gang("other", 3).build(),
                    List.of("n0", "n1", "n2"),
                    NOW.plusSeconds(60))
                .answer())
        .isInstanceOf(Answer.Accept.class);
  }

  @Test
  void membersThatMayOnlyGoToEachOthersNodesSwapThem() {
    var muster = leading("n0", "n1");
    var first = aPod("w-0").gpus(1).gang("g", 2).build();
    var second = aPod("w-1").gpus(1).gang("g", 2).build();
    muster.on(new Event.PodSeen(first), NOW);
    muster.on(new Event.PodSeen(second), NOW);

    assertThat(muster.filter(first, List.of("n1"), NOW).answer())
        .isEqualTo(new Answer.Accept(List.of("n1"), Filter.NOT_PLANNED));
    assertThat(muster.filter(second, List.of("n0"), NOW).answer())
        .isEqualTo(new Answer.Accept(List.of("n0"), Filter.NOT_PLANNED));
    assertThat(muster.filter(first, List.of("n1"), NOW).answer())
        .isEqualTo(new Answer.Accept(List.of("n1"), Filter.NOT_PLANNED));
  }

  @Test
  void writesARecordAndOneReportForAGangThatGoesAtOnce() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    cluster.runUntil(seconds(30));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.gangWrites).isEqualTo(2);
    settled();
  }

  @Test
  void bindsNoMemberWhereOnlyHalfFits() {
    gpuNodes(2);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    cluster.runUntil(seconds(120));
    assertThat(cluster.boundOf("g")).isZero();
    settled();
  }

  @Test
  void bindsTheWaitingGangWhenNodesJoin() {
    gpuNodes(2);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundOf("g")).isZero();
    cluster.addNode(aNode("late-0").gpus(1).label("set", "gpu").build());
    cluster.runUntil(seconds(90));
    assertThat(cluster.boundOf("g")).isZero();
    cluster.addNode(aNode("late-1").gpus(1).label("set", "gpu").build());
    cluster.runUntil(seconds(105));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  @Test
  void wakesRefusedMembersOfAGangThatFitsAtLast() {
    cluster.scheduler.eventsWakeRefused = false;
    gpuNodes(2);
    cluster.runUntil(seconds(1));
    for (int i = 0; i < 3; i++) {
      cluster.createUnseen(aPod("g-" + i).gpus(1).gang("g", 3).build());
    }
    cluster.runUntil(seconds(30));
    assertThat(cluster.boundOf("g")).isZero();
    cluster.addNode(aNode("late").gpus(1).build());
    cluster.runUntil(seconds(45));
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    settled();
  }

  @Test
  void startsTheMinimumAndLeavesTheRestPending() {
    gpuNodes(2);
    cluster.runUntil(seconds(1));
    gang("g", 4, 2);
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    cluster.addNode(aNode("late").gpus(1).label("set", "gpu").build());
    cluster.runUntil(seconds(80));
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    settled();
  }

  @Test
  void leavesRoomToSinglesWhileAGangWaits() {
    gpuNodes(2);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    cluster.runUntil(seconds(10));
    cluster.create(aPod("single").gpus(1).selecting("set", "gpu").build());
    cluster.runUntil(seconds(20));
    assertThat(cluster.pods.get("uid-single").isBound()).isTrue();
    assertThat(cluster.boundOf("g")).isZero();
    settled();
  }

  @Test
  void runsTwoGangsThatWouldDeadlockOneAfterTheOther() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    for (int i = 0; i < 4; i++) {
      cluster.create(aPod("a-" + i).gpus(1).gang("a", 4).createdAt(cluster.now()).build());
      cluster.create(aPod("b-" + i).gpus(1).gang("b", 4).createdAt(cluster.now()).build());
    }
    cluster.runUntil(seconds(30));
    assertThat(List.of(cluster.boundOf("a"), cluster.boundOf("b")))
        .containsExactlyInAnyOrder(0L, 4L);
    var first = cluster.boundOf("a") == 4 ? "a" : "b";
    for (int i = 0; i < 4; i++) {
      cluster.complete("uid-" + first + "-" + i);
    }
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundOf(first.equals("a") ? "b" : "a")).isEqualTo(4);
    settled();
  }

  @Test
  void tellsTheSentenceOfTheFirstMemberWithoutAPlace() {
    for (int i = 0; i < 3; i++) {
      cluster.addNode(
          aNode("cp-" + i)
              .taint("node-role.kubernetes.io/control-plane", "", Taint.Effect.NO_SCHEDULE)
              .build());
    }
    for (int i = 0; i < 8; i++) {
      cluster.addNode(aNode("cpu-" + i).build());
    }
    gpuNodes(2);
    cluster.runUntil(seconds(1));
    for (int i = 0; i < 4; i++) {
      cluster.create(
          aPod("dlrover", "torch-mnist-edljob-worker-" + i)
              .gpus(1)
              .gang("torch-mnist", 4)
              .selecting("set", "gpu")
              .build());
    }
    cluster.runUntil(seconds(60));
    var sentence =
        "Gang \"dlrover/torch-mnist\" gets rejected due to member Pod"
            + " \"torch-mnist-edljob-worker-2\" is unschedulable with reason \"0/13 nodes are"
            + " available: 2 Insufficient nvidia.com/gpu, 3 node(s) had untolerated taint"
            + " {node-role.kubernetes.io/control-plane: }, 8 node(s) didn't match Pod's node"
            + " affinity/selector.\"";
    assertThat(cluster.explained)
        .extracting(effect -> ((Effect.Explain) effect).sentence())
        .contains(sentence);
    assertThat(
            cluster.explained.stream()
                .filter(e -> ((Effect.Explain) e).sentence().equals(sentence)))
        .as("each member is told once")
        .hasSize(4)
        .allMatch(e -> ((Effect.Explain) e).asCondition());
    settled();
  }

  @Test
  void neverPlacesAGangWithoutUsableTerms() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    for (int i = 0; i < 2; i++) {
      cluster.createUnseen(
          aPod("dlrover", "p-" + i)
              .gpus(1)
              .unusableGang("x", "min", "4x", "min is not an integer: \"4x\"")
              .build());
    }
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundOf("x")).isZero();
    assertThat(cluster.explained)
        .extracting(effect -> ((Effect.Explain) effect).sentence())
        .contains(
            "gang has not init, gangName: dlrover/x, podName: dlrover/p-0: min is not an integer:"
                + " \"4x\"");
    settled();
  }

  @Test
  void refusesTheNominatedNodeAloneAndConcludesNothing() {
    gpuNodes(2);
    var muster = cluster.muster();
    var first = aPod("g-0").gpus(1).gang("g", 2).build();
    cluster.runUntil(seconds(1));
    muster.on(new Event.PodSeen(aPod("g-1").gpus(1).gang("g", 2).build()), cluster.now());
    var place = muster.filter(first, List.of("gpu-0", "gpu-1"), cluster.now()).answer();
    assertThat(place).isInstanceOf(Answer.Accept.class);
    var planned = ((Answer.Accept) place).nodes().getFirst();
    var other = planned.equals("gpu-0") ? "gpu-1" : "gpu-0";
    muster.on(
        new Event.PodSeen(aPod("g-0").gpus(1).gang("g", 2).nominated(other).build()),
        cluster.now());
    var nominated = aPod("g-0").gpus(1).gang("g", 2).nominated(other).build();
    assertThat(muster.filter(nominated, List.of(other), cluster.now()).answer())
        .isEqualTo(new Answer.Refuse(Filter.NOT_PLANNED));
    assertThat(muster.filter(nominated, List.of("gpu-0", "gpu-1"), cluster.now()).answer())
        .isEqualTo(place);
  }

  @Test
  void plansAnewWhenTheMembersThatComeAreOfAnotherShapeThanTheFirst() {
    gpuNodes(1);
    cluster.runUntil(seconds(1));
    for (int i = 0; i < 2; i++) {
      cluster.create(
          aPod("dlrover", "a-launcher-" + i)
              .cpuMillis(100)
              .gang("g", 4)
              .selecting("set", "gpu")
              .build());
    }
    cluster.runUntil(seconds(2));
    for (int i = 0; i < 2; i++) {
      cluster.create(
          aPod("dlrover", "b-worker-" + i).gpus(1).gang("g", 4).selecting("set", "gpu").build());
    }
    cluster.runUntil(seconds(10));
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.TOO_LARGE);
    cluster.create(aPod("single").gpus(1).selecting("set", "gpu").build());
    cluster.runUntil(seconds(15));
    assertThat(cluster.pods.get("uid-single").isBound()).as("nothing is reserved").isTrue();
    cluster.addNode(aNode("late-0").gpus(1).label("set", "gpu").build());
    cluster.addNode(aNode("late-1").gpus(1).label("set", "gpu").build());
    cluster.runUntil(seconds(35));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    settled();
  }

  @Test
  void beginsABurstOnlyIfTheLeaseOutlastsIt() {
    gpuNodes(1);
    var muster = cluster.muster();
    cluster.runUntil(seconds(1));
    var now = cluster.now();
    var pod = aPod("g-0").gpus(1).gang("g", 1).build();
    muster.on(new Event.PodSeen(pod), now);
    muster.filter(pod, List.of("gpu-0"), now);
    muster.on(new Event.LeaseHeld(now.plusSeconds(4), false), now);
    assertThat(muster.bind(new BindCall(7, pod.key(), "gpu-0"), now)).isEmpty();
    muster.on(new Event.LeaseHeld(now.plusSeconds(15), false), now);
    assertThat(muster.on(new Event.Tick(), now.plusSeconds(1)))
        .hasAtLeastOneElementOfType(Effect.WriteRecord.class);
  }

  @Test
  void placesAGangAgainAsAWholeWhenItIsMadeAnewUnderItsName() {
    gpuNodes(4);
    cluster.runUntil(seconds(1));
    gang("g", 4, 4);
    cluster.runUntil(seconds(10));
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    for (int i = 0; i < 4; i++) {
      cluster.delete("uid-g-worker-" + i);
    }
    cluster.runUntil(seconds(20));
    cluster.removeNode("gpu-3");
    for (int i = 0; i < 4; i++) {
      cluster.create(
          aPod("dlrover", "g-worker-" + i)
              .uid("again-" + i)
              .gpus(1)
              .gang("g", 4)
              .createdAt(cluster.now())
              .build());
    }
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundOf("g")).isZero();
    settled();
  }

  @Test
  void saysSoWhenAllMembersAreGone() {
    gpuNodes(2);
    cluster.runUntil(seconds(1));
    gang("g", 2, 2);
    cluster.runUntil(seconds(10));
    cluster.delete("uid-g-worker-0");
    cluster.delete("uid-g-worker-1");
    cluster.runUntil(seconds(20));
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.FINISHED);
    assertThat(cluster.report("g").message()).isEqualTo("no members are left");
  }

  /** Autoscalers count pods that are shown as unschedulable. */
  @Test
  void allMembersOfAGangThatNoNodesCouldHoldAreShownOnceAndFewAreTold() {
    gpuNodes(2);
    gang("g", 40, 40);
    cluster.runUntil(seconds(60));

    assertThat(cluster.report("g").reason()).isEqualTo(Reason.TOO_LARGE);
    assertThat(cluster.shown).hasSize(24).doesNotHaveDuplicates();
    assertThat(
            cluster.explained.stream()
                .map(effect -> ((Effect.Explain) effect).pod().name())
                .distinct())
        .hasSize(16);
    cluster.addNode(aNode("late").gpus(40).label("set", "gpu").build());
    cluster.runUntil(seconds(120));
    assertThat(cluster.boundOf("g")).isEqualTo(40);
  }
}
