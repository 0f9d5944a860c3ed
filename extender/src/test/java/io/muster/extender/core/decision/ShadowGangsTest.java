package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.shadow.ShadowCounts;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Namespaces that only look on: nothing is changed for their pods, and their gangs say what if. */
final class ShadowGangsTest extends GangScenes {

  private void lookOn() {
    cluster.enrol("dlrover", Enrolment.SHADOW);
    cluster.runUntil(seconds(1));
  }

  @Test
  void membersGoWhereKubeSchedulerSendsThemThoughTheirGangIsNotWhole() {
    gpuNodes(2);
    lookOn();
    gang("g", 4, 4);
    cluster.runUntil(seconds(30));

    assertThat(cluster.boundOf("g")).isEqualTo(2);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.SHADOW);
    assertThat(cluster.report("g").message())
        .isEqualTo(
            "shadow: 2 of at least 4 members were bound without the others; with Muster none would"
                + " be");
    assertThat(cluster.explained).isEmpty();
    settled();
  }

  @Test
  void aGangWhosePodsAreAllDeletedAtOnceIsFinished() {
    gpuNodes(2);
    lookOn();
    gang("g", 3, 4);
    cluster.runUntil(seconds(30));
    // It is looked at as the fourth comes, and then not for some seconds.
    cluster.create(aPod("dlrover", "g-worker-3").gpus(1).gang("g", 4).build());
    cluster.runUntil(seconds(31));
    for (int i = 0; i < 4; i++) {
      cluster.delete("uid-g-worker-" + i);
    }
    cluster.runUntil(seconds(120));
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.FINISHED);
  }

  @Test
  void aGangThatHasNoRoomSaysThatItWouldWait() {
    lookOn();
    gang("g", 2, 2);
    cluster.runUntil(seconds(20));

    assertThat(cluster.report("g").phase()).isEqualTo(Phase.WAITING);
    assertThat(cluster.report("g").message())
        .startsWith("shadow: would wait: no room for 2 members together: ");
  }

  @Test
  void aGangThatHasRoomSaysThatItWouldStart() {
    gpuNodes(2);
    lookOn();
    gang("g", 2, 2);
    // Something that Muster does not look at keeps them from starting.
    cluster.pods.keySet().forEach(cluster.scheduler::reject);
    cluster.runUntil(seconds(20));

    assertThat(cluster.report("g").message())
        .isEqualTo("shadow: would start now, there is room for 2 members together");
    settled();
  }

  @Test
  void aGangThatIsWholeWithoutMusterSaysSo() {
    gpuNodes(2);
    lookOn();
    gang("g", 2, 2);
    cluster.runUntil(seconds(30));

    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.report("g").message())
        .isEqualTo("shadow: 2 of at least 2 members bound, by kube-scheduler alone");
  }

  @Test
  void termsThatCannotBeHonouredAreToldAndPass() {
    gpuNodes(1);
    lookOn();
    cluster.create(
        aPod("dlrover", "g-0")
            .gpus(1)
            .unusableGang("g", "muster.io/gang-min", "four", "gang: min is four")
            .selecting("set", "gpu")
            .build());
    cluster.runUntil(seconds(20));

    assertThat(cluster.pods.values()).allMatch(Pod::isBound);
    assertThat(cluster.report("g").message()).isEqualTo("shadow: would wait: gang: min is four");
  }

  @Test
  void roomThatIsKeptForAGangElsewhereIsTakenAndTheGangWaitsWhole() {
    gpuNodes(2);
    lookOn();
    for (int i = 0; i < 2; i++) {
      cluster.create(
          aPod("enrolled", "h-" + i).gpus(1).gang("h", 2).selecting("set", "gpu").build());
    }
    cluster.create(aPod("dlrover", "single").gpus(1).selecting("set", "gpu").build());
    cluster.runUntil(seconds(120));

    // Whoever was first: the gang is whole or waits whole, and the other was never refused.
    assertThat(cluster.boundOf("h")).isIn(0L, 2L);
    settled();
  }

  @Test
  void aWaitingGangIsLetGoWhenItsNamespaceStepsBack() {
    gpuNodes(2);
    gang("g", 4, 4);
    cluster.runUntil(seconds(20));
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.pods.values()).anyMatch(Pod::isGatedByMuster);

    cluster.enrol("dlrover", Enrolment.SHADOW);
    cluster.runUntil(seconds(60));

    assertThat(cluster.pods.values()).noneMatch(Pod::isGatedByMuster);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.SHADOW);
    settled();
  }

  @Test
  void aReservationEndsWithTheEnrolment() {
    gpuNodes(4);
    for (int i = 0; i < 3; i++) {
      cluster.createUnseen(
          aPod("dlrover", "g-" + i).gpus(1).gang("g", 4).selecting("set", "gpu").build());
    }
    cluster.runUntil(seconds(2));
    cluster.enrol("dlrover", Enrolment.SHADOW);
    cluster.runUntil(seconds(40));

    assertThat(cluster.boundOf("g")).isEqualTo(3);
    settled();
  }

  @Test
  void aNamespaceThatComesBackHasItsGangsPlacedWholeAgain() {
    lookOn();
    gang("g", 2, 2);
    cluster.runUntil(seconds(20));
    cluster.enrol("dlrover", Enrolment.GANG);
    cluster.runUntil(seconds(25));
    cluster.addNode(aNode("gpu-0").gpus(1).label("set", "gpu").build());
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundOf("g")).isZero();

    cluster.addNode(aNode("gpu-1").gpus(1).label("set", "gpu").build());
    cluster.runUntil(seconds(120));

    assertThat(cluster.boundOf("g")).isEqualTo(2);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.SATISFIED);
    settled();
  }

  @Test
  void aReleasedMusterStandsInNobodysWayAlsoAfterARestart() {
    gpuNodes(1);
    gang("g", 2, 2);
    cluster.runUntil(seconds(20));
    cluster.release(true);
    cluster.runUntil(seconds(40));
    assertThat(cluster.boundOf("g")).isEqualTo(1);

    cluster.restartAfter(Duration.ofSeconds(1));
    cluster.addNode(aNode("gpu-1").gpus(1).label("set", "gpu").build());
    cluster.runUntil(seconds(80));

    assertThat(cluster.boundOf("g")).isEqualTo(2);
    assertThat(List.copyOf(cluster.reports.values()))
        .extracting(GangReport::reason)
        .containsExactly(Reason.SHADOW);
    settled();
  }

  @Test
  void aGangThatRunsKeepsItsLifeThroughTheShadow() {
    gpuNodes(2);
    gang("g", 2, 2);
    cluster.runUntil(seconds(20));
    var before = cluster.records.values().iterator().next();
    assertThat(before.satisfied()).isTrue();

    cluster.enrol("dlrover", Enrolment.SHADOW);
    cluster.runUntil(seconds(40));
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    cluster.restartAfter(Duration.ofSeconds(1));
    cluster.runUntil(seconds(60));
    cluster.enrol("dlrover", Enrolment.GANG);
    cluster.runUntil(seconds(80));

    var after = cluster.records.values().iterator().next();
    assertThat(after.incarnation()).isEqualTo(before.incarnation());
    assertThat(after.epoch()).isEqualTo(before.epoch());
    assertThat(after.satisfied()).isTrue();
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.SATISFIED);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    settled();
  }

  private ShadowCounts counted() {
    return cluster
        .muster()
        .takeShadowCounts(cluster.now())
        .getOrDefault("dlrover", ShadowCounts.NONE);
  }

  @Test
  void whatAGangHoldsInPartIsCountedFromItsStart() {
    gpuNodes(2);
    lookOn();
    gang("g", 4, 4);
    cluster.runUntil(seconds(8));
    assertThat(counted()).isEqualTo(new ShadowCounts(1, 0, 0, 0, 0, 0));

    cluster.runUntil(seconds(60));
    var first = counted();
    assertThat(first.inPart()).isEqualTo(1);
    assertThat(first.podsEarly()).isEqualTo(2);
    assertThat(first.deviceSeconds()).isBetween(90L, 118L);

    cluster.runUntil(seconds(160));
    assertThat(counted()).isEqualTo(new ShadowCounts(0, 0, 0, 0, 200, 0));
  }

  @Test
  void aGangThatIsWholeAfterAMomentHoldsNothingInPart() {
    gpuNodes(4);
    lookOn();
    gang("g", 4, 4);
    cluster.runUntil(seconds(60));

    assertThat(counted()).isEqualTo(new ShadowCounts(1, 1, 0, 0, 0, 0));
  }

  @Test
  void aGangThatIsGoneBeforeItIsLookedAtAgainHasBeenWhole() {
    gpuNodes(2);
    lookOn();
    gang("g", 1, 2);
    cluster.runUntil(seconds(2));
    cluster.create(
        aPod("dlrover", "g-worker-1").gpus(1).gang("g", 2).selecting("set", "gpu").build());
    cluster.runUntil(seconds(4));
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    List.copyOf(cluster.pods.keySet()).forEach(cluster::delete);
    cluster.runUntil(seconds(30));

    assertThat(counted()).isEqualTo(new ShadowCounts(1, 1, 0, 0, 0, 0));
  }

  @Test
  void aGangThatHasSucceededBeforeItIsLookedAtHasBeenWhole() {
    gpuNodes(2);
    lookOn();
    gang("g", 2, 2);
    while (cluster.boundOf("g") < 2) {
      cluster.runUntil(cluster.sinceStart().plusMillis(1));
    }
    List.copyOf(cluster.pods.keySet()).forEach(cluster::complete);
    cluster.runUntil(seconds(30));

    assertThat(counted()).isEqualTo(new ShadowCounts(1, 1, 0, 0, 0, 0));
  }

  @Test
  void aMemberThatIsLostIsNoStartInPart() {
    gpuNodes(2);
    lookOn();
    gang("g", 2, 2);
    cluster.runUntil(seconds(20));
    cluster.delete(cluster.pods.keySet().iterator().next());
    cluster.runUntil(seconds(60));

    assertThat(cluster.report("g").message())
        .isEqualTo("shadow: 1 of at least 2 members bound, and once it was whole");
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    cluster.restartAfter(Duration.ofSeconds(1));
    cluster.runUntil(seconds(120));
    assertThat(counted()).isEqualTo(ShadowCounts.NONE);
  }

  @Test
  void theNextLifeOfMusterCountsWhatIsHeldAndNoGangAgain() {
    gpuNodes(2);
    lookOn();
    gang("g", 4, 4);
    cluster.runUntil(seconds(60));
    counted();
    cluster.restartAfter(Duration.ofSeconds(1));
    cluster.runUntil(seconds(100));

    var more = counted();
    assertThat(more.gangs()).isZero();
    assertThat(more.inPart()).isZero();
    assertThat(more.podsEarly()).isZero();
    assertThat(more.deviceSeconds()).isBetween(60L, 80L);
  }

  @Test
  void nothingIsCountedOnceTheMembersAreGoneOrTheNamespaceIsEnrolled() {
    gpuNodes(2);
    lookOn();
    gang("g", 4, 4);
    cluster.runUntil(seconds(59));
    // The gang is looked at once more, and not again before its members are gone.
    cluster.addNode(aNode("cpu-0").build());
    cluster.runUntil(seconds(60));
    counted();
    List.copyOf(cluster.pods.keySet()).forEach(cluster::delete);
    cluster.runUntil(seconds(70));
    counted();
    cluster.runUntil(seconds(200));
    assertThat(counted()).isEqualTo(ShadowCounts.NONE);

    gang("h", 4, 4);
    cluster.runUntil(seconds(260));
    assertThat(counted().inPart()).isEqualTo(1);
    cluster.enrol("dlrover", Enrolment.GANG);
    cluster.runUntil(seconds(270));
    counted();
    cluster.runUntil(seconds(330));
    assertThat(counted()).isEqualTo(ShadowCounts.NONE);
  }

  @Test
  void gangsThatAreEnrolledAreNotCounted() {
    gpuNodes(2);
    gang("g", 2, 2);
    cluster.runUntil(seconds(60));

    assertThat(cluster.muster().takeShadowCounts(cluster.now())).isEmpty();
  }
}
