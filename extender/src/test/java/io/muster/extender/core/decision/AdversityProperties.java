package io.muster.extender.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/**
 * What must hold whatever goes wrong, several things at once: see {@link Troubles}. A build plays
 * the same histories each time; {@code -Dmuster.simulation.tries=N} plays so many of each kind, and
 * {@code -Dmuster.simulation.offset=N} others.
 */
final class AdversityProperties {

  private static final int MOST = 100_000_000;
  private static final int TRIES = Integer.getInteger("muster.simulation.tries", 150);
  private static final long OFFSET = Long.getLong("muster.simulation.offset", 0);

  /** Histories in which a plan counted on a member that ran, and went on without it. */
  @Example
  void aPlanThatCountsOnAMemberThatGoesIsMadeAnew() {
    for (long history : new long[] {2_179, 2_312}) {
      assertThat(Adversity.played(history)).as("history %d", history).isEmpty();
    }
  }

  @Provide
  Arbitrary<Long> histories() {
    return Arbitraries.longs().between(OFFSET, OFFSET + TRIES - 1);
  }

  @Property(
      tries = MOST,
      generation = GenerationMode.EXHAUSTIVE,
      shrinking = ShrinkingMode.OFF)
  void gangsStartWholeAndNothingIsLost(@ForAll("histories") long history) {
    assertThat(Adversity.played(history)).as("history %d", history).isEmpty();
  }

  @Property(
      tries = MOST,
      generation = GenerationMode.EXHAUSTIVE,
      shrinking = ShrinkingMode.OFF)
  void gangsStartWholeAndNothingIsLostWhereKubeSchedulerDoesNotAsk(
      @ForAll("histories") long history) {
    assertThat(Adversity.playedUnasked(history)).as("history %d", history).isEmpty();
  }
}
