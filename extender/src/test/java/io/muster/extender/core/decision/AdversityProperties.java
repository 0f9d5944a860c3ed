package io.muster.extender.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.PlacementMode;
import java.util.List;
import java.util.function.BiFunction;
import net.jqwik.api.Example;

/**
 * What must hold whatever goes wrong, several things at once: see {@link Troubles}. A build plays
 * the same histories each time; {@code -Dmuster.simulation.tries=N} plays so many of each kind, and
 * {@code -Dmuster.simulation.offset=N} others.
 */
final class AdversityProperties {

  private static final int TRIES = Integer.getInteger("muster.simulation.tries", 150);
  private static final long OFFSET = Long.getLong("muster.simulation.offset", 0);

  /** Histories in which a plan counted on a member that ran, and went on without it. */
  @Example
  void aPlanThatCountsOnAMemberThatGoesIsMadeAnew() {
    for (long history : new long[] {2_179, 2_312}) {
      assertThat(Adversity.played(history)).as("history %d", history).isEmpty();
    }
  }

  /** A member of which siblings were being deleted was bound; one told to end was not counted. */
  @Example
  void aMemberIsBoundOnlyWhileTheRecordIsWholeAndCountsUntilItHasEnded() {
    for (long history : new long[] {7_000_283, 7_007_534}) {
      assertThat(Adversity.played(history)).as("history %d", history).isEmpty();
    }
  }

  /** Records lacked members that ran; a release landed after its gang had gone back to waiting. */
  @Example
  void aRecordNamesWhoRunsAndALateReleaseResumesTheGang() {
    for (long history : new long[] {7_000_620, 7_002_601, 7_005_188, 7_007_502}) {
      assertThat(Adversity.playedUnasked(history)).as("history %d", history).isEmpty();
    }
  }

  /** Room was kept for as long as a pod that another ends for was allowed to take: for years. */
  @Example
  void whoNeverEndsKeepsNobodyWaitingForEver() {
    for (long history : new long[] {7_002_786, 7_005_124}) {
      assertThat(Adversity.played(history)).as("history %d", history).isEmpty();
    }
  }

  /**
   * A Binding without an answer had been carried out; a node was taken while the record was being
   * stored; a member that was bound and not yet seen was no member that had started; what was lost
   * while the record could not be stored stayed half in place.
   */
  @Example
  void whatIsNotSeenYetCountsAndPlacesAreCheckedWhenBindingsAreSent() {
    for (long history :
        new long[] {
          8_000_407, 8_001_204, 8_002_183, 8_004_133, 8_005_456, 8_009_088, 8_014_219, 8_017_529
        }) {
      assertThat(Adversity.played(history)).as("history %d", history).isEmpty();
    }
  }

  /** Gates came off after the gang had gone back to waiting, or were off when it was preempted. */
  @Example
  void noMemberIsLetGoForAStartThatIsOver() {
    for (long history : new long[] {8_002_804, 8_010_559, 8_012_562, 8_015_115, 9_861_988}) {
      assertThat(Adversity.playedUnasked(history)).as("history %d", history).isEmpty();
    }
  }

  /** A lost member's devices went to others of its queue, and its replacement took more. */
  @Example
  void aBurstThatIsCompletedKeepsToTheLimitOfItsQueue() {
    for (long history : new long[] {9_006_557, 9_012_503, 9_015_022}) {
      assertThat(Adversity.played(history)).as("history %d", history).isEmpty();
    }
  }

  /**
   * A gang and two pods ended for another every minute, and the pods that replaced them came first.
   */
  @Example
  void whatEndsInVainForAGangEndsMoreAndMoreSeldom() {
    assertThat(Adversity.playedUnasked(9_020_294)).isEmpty();
  }

  /**
   * A Binding without an answer had been carried out, and its gang went back to waiting; a gang was
   * found to have started while a bind call of it was held.
   */
  @Example
  void whatGetsNoAnswerMayHaveStartedAndWhatWaitsForAStartIsAnswered() {
    for (long history : new long[] {9_135_797, 9_139_409}) {
      assertThat(Adversity.played(history)).as("history %d", history).isEmpty();
    }
  }

  /** A Binding of a former leader arrived, or one got no answer, while a call was held. */
  @Example
  void whoIsSeenOnANodeWaitsForNoBindCall() {
    for (long history : new long[] {9_731_416, 9_749_676}) {
      assertThat(Adversity.played(history)).as("history %d", history).isEmpty();
    }
  }

  /** While a member ended, a further one was planned in its stead: both were in the queue. */
  @Example
  void whoIsPlannedInsteadOfAMemberThatEndsKeepsToTheLimitOfTheQueue() {
    assertThat(Adversity.played(9_827_606)).isEmpty();
  }

  /**
   * It started again for a loss while its limit was being stored, and said that it ends by that.
   */
  @Example
  void aLimitThatIsNotStoredYetIsNoReasonToEnd() {
    assertThat(Adversity.playedWithLimits(9_900_662, PlacementMode.EXTENDER)).isEmpty();
  }

  /** All others of its start were lost, and the next leader took it for a member of another. */
  @Example
  void whoWasLetGoForAStartThatIsLostDoesNotRunAlone() {
    assertThat(Adversity.playedWithLimits(9_961_095, PlacementMode.AFFINITY)).isEmpty();
  }

  /** A Binding that a newer call had replaced was carried out, and that one was not. */
  @Example
  void aPodThatABindingOfAnOldCallHasBoundCountsInItsQueueBeforeItIsSeen() {
    assertThat(Adversity.played(9_972_271)).isEmpty();
  }

  /** It had its reservation for a start that came at the moment of its limit, and started. */
  @Example
  void whoHasAReservationWhenItsLimitComesDoesNotStart() {
    assertThat(Adversity.playedWithLimits(9_906_619, PlacementMode.AFFINITY)).isEmpty();
  }

  /** Members that had succeeded were counted in the minCount of those that started again. */
  @Example
  void whoHasSucceededIsNotWaitedForByKubeScheduler() {
    assertThat(Adversity.playedUnasked(9_917_482, PlacementMode.NATIVE)).isEmpty();
  }

  /** kube-scheduler had seen the devices of a node come back, and Muster had not yet. */
  @Example
  void aPodWithoutAGangGoesToANodeWhoseDevicesAreNotSeenYet() {
    assertThat(Adversity.playedWithLimits(9_902_956, PlacementMode.EXTENDER)).isEmpty();
  }

  /** The estimate ahead never came to an end: a replacement was woken and refused at one moment. */
  @Example
  void whoIsWokenAndRefusedAtOneMomentKeepsNoEstimateFromItsEnd() {
    assertThat(Adversity.playedWithLimits(9_902_792, PlacementMode.EXTENDER)).isEmpty();
  }

  /**
   * Members that are being deleted count for kube-scheduler's minCount; a PodGroup with fewer
   * members than that has none bound.
   */
  @Example
  void whoJoinsANativeGangWaitsForNobodyButKubeScheduler() {
    for (long history : new long[] {9_900_058, 9_900_399, 9_900_436, 9_901_830, 9_906_319}) {
      assertThat(Adversity.playedUnasked(history, PlacementMode.NATIVE))
          .as("history %d", history)
          .isEmpty();
    }
  }

  /** A member that was let go while its gang ran took the node that another was released to. */
  @Example
  void whoHasNoNodeAffinityDoesNotStandInTheWayOfItsGangForEver() {
    assertThat(Adversity.playedUnasked(9_943_767, PlacementMode.NATIVE)).isEmpty();
  }

  @Example
  void gangsStartWholeAndNothingIsLost() {
    Histories.hold(OFFSET, TRIES, history -> assertThat(Adversity.played(history)).isEmpty());
  }

  /** kube-scheduler ends one or the other member for pods that belong to no gang. */
  @Example
  void gangsStartWholeAndNothingIsLostWhereMembersArePreempted() {
    hold(List.of(PlacementMode.values()), Adversity::playedWithPreemption);
  }

  /** No gang runs for longer than it may, none ends in part, and none starts again after that. */
  @Example
  void gangsEndWholeAtTheirLimitsAndDoNotStartAgain() {
    hold(List.of(PlacementMode.values()), Adversity::playedWithLimits);
  }

  @Example
  void gangsStartWholeAndNothingIsLostWhereKubeSchedulerDoesNotAsk() {
    hold(List.of(PlacementMode.AFFINITY, PlacementMode.NATIVE), Adversity::playedUnasked);
  }

  /** Plays histories in each of the modes; nothing is to be told of any. */
  private static void hold(
      List<PlacementMode> modes, BiFunction<Long, PlacementMode, List<String>> play) {
    for (var mode : modes) {
      Histories.hold(
          OFFSET, TRIES, history -> assertThat(play.apply(history, mode)).as("%s", mode).isEmpty());
    }
  }
}
