package io.muster.extender.core.decision.burst;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What a burst remembers of its Bindings, and for how long. */
final class BurstTest {

  private static final Instant NOW = Instant.EPOCH;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Burst burst = new Burst();

  private static Instant after(long seconds) {
    return NOW.plusSeconds(seconds);
  }

  @Test
  void aBindingWithoutAnAnswerMayHaveBeenCarriedOutUntilItMustHaveBeenSeen() {
    burst.sent("a");
    burst.ended("a");
    burst.unanswered("a", after(2), after(10));
    assertThat(burst.isAnyUnderWay()).isFalse();
    assertThat(burst.mayBind(after(9))).isTrue();
    assertThat(burst.mayBind(after(10))).isFalse();
  }

  @Test
  void aRefusalSaysThatTheOneBeforeItWasNotCarriedOut() {
    burst.unanswered("a", after(2), after(10));
    burst.refused("a", after(3));
    assertThat(burst.mayBind(after(4))).isFalse();
    assertThat(burst.isRefused("a")).isTrue();
  }

  @Test
  void whatGotNoAnswerIsSentAgainAfterAWhile() {
    burst.unanswered("a", after(2), after(10));
    assertThat(burst.maySend("a", after(1))).isFalse();
    assertThat(burst.maySend("a", after(2))).isTrue();
    burst.sent("a");
    assertThat(burst.maySend("a", after(3))).as("under way").isFalse();
  }

  @Test
  void theTimeInWhichItIsBlockedCountsWithoutABreak() {
    burst.noteWhetherBlocked(true, after(0));
    burst.noteWhetherBlocked(true, after(20));
    assertThat(burst.isBlockedLongerThan(PATIENCE, after(31))).isTrue();
    burst.noteWhetherBlocked(false, after(31));
    burst.noteWhetherBlocked(true, after(32));
    assertThat(burst.isBlockedLongerThan(PATIENCE, after(62))).isFalse();
  }

  @Test
  void whatKeptItUpIsForgottenWithItsRepair() {
    burst.repairFrom(after(0));
    burst.noteWhetherBlocked(true, after(0));
    burst.refused("a", after(5));
    burst.endRepair();
    assertThat(burst.isToBeRepaired()).isFalse();
    assertThat(burst.isRefused("a")).isFalse();
    assertThat(burst.isBlockedLongerThan(PATIENCE, after(60))).isFalse();
    assertThat(burst.maySend("a", NOW)).isTrue();
  }

  @Test
  void aRepairThatIsDueIsNotPutOff() {
    burst.repairUnlessDue(after(5));
    burst.repairUnlessDue(after(50));
    assertThat(burst.isRepairedLater(after(4))).isTrue();
    assertThat(burst.isRepairDue(after(5))).isTrue();
  }
}
