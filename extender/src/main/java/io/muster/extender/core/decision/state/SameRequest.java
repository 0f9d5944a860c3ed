package io.muster.extender.core.decision.state;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.gang.Topology;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * All that decides whether a gang fits about which nothing else is special: of two gangs that ask
 * for just the same, the second fits nowhere where the first does not. Immutable.
 */
public record SameRequest(Map<Demand, Integer> kinds, Topology topology) {

  /** Gives the same object for equal requests, which are compared by the thousand. */
  public static final class Pool {

    /** Beyond that it is begun anew: what has been given out stays valid. */
    private static final int MOST = 10_000;

    private final Map<SameRequest, SameRequest> known = new HashMap<>();

    /** What the gang asks for; empty where more than that decides about it. */
    public Optional<SameRequest> of(GangState gang, Instant now) {
      boolean isPlain =
          gang.terms.gangs().size() == 1
              && gang.terms.deferred().isEmpty()
              && gang.setbacks.excluded(now).isEmpty()
              && gang.bound() == 0;
      if (!isPlain) {
        return Optional.empty();
      }
      if (known.size() > MOST) {
        known.clear();
      }
      return Optional.of(
          known.computeIfAbsent(
              new SameRequest(gang.counts.kinds(), gang.terms.topologyOf(gang.id)),
              request -> request));
    }
  }
}
