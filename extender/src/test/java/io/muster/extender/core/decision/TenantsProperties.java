package io.muster.extender.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Example;

/**
 * Whatever a tenant does in his namespace, gangs of another within the quota of their queue start
 * as if he was not there, but for the time that it takes to get borrowed devices back, and none of
 * them ends. A build plays the same acts each time; {@code -Dmuster.simulation.acts=N} plays so
 * many, and {@code -Dmuster.simulation.offset=N} others.
 */
final class TenantsProperties {

  private static final int ACTS = Integer.getInteger("muster.simulation.acts", 1_000);
  private static final long OFFSET = Long.getLong("muster.simulation.offset", 0);

  @Example
  void gangsOfOthersStartAsWithoutHimAndNoneEnds() {
    Histories.hold(
        OFFSET,
        ACTS / TenantsHistory.ACTS,
        history -> {
          var outcome = TenantsHistory.played(history);
          assertThat(outcome.faults()).as(() -> String.join("\n", outcome.acts())).isEmpty();
        });
  }
}
