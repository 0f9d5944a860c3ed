package io.muster.extender.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/**
 * Whatever a tenant does in his namespace, gangs of another within the quota of their queue start
 * as if he was not there, but for the time that it takes to get borrowed devices back, and none of
 * them ends. A build plays the same acts each time; {@code -Dmuster.simulation.acts=N} plays so
 * many, and {@code -Dmuster.simulation.offset=N} others.
 */
final class TenantsProperties {

  private static final int MOST = 100_000_000;
  private static final int ACTS = Integer.getInteger("muster.simulation.acts", 1_000);
  private static final long OFFSET = Long.getLong("muster.simulation.offset", 0);

  @Provide
  Arbitrary<Long> histories() {
    return Arbitraries.longs().between(OFFSET, OFFSET + ACTS / TenantsHistory.ACTS - 1);
  }

  @Property(tries = MOST, generation = GenerationMode.EXHAUSTIVE, shrinking = ShrinkingMode.OFF)
  void gangsOfOthersStartAsWithoutHimAndNoneEnds(@ForAll("histories") long history) {
    var outcome = TenantsHistory.played(history);
    assertThat(outcome.faults())
        .as("history %d%n%s", history, String.join("\n", outcome.acts()))
        .isEmpty();
  }
}
