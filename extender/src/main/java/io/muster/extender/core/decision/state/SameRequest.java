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
          gang.terms.neighbours().size() == 1
              && gang.terms.deferred().isEmpty()
              && gang.setbacks.excluded(now).isEmpty()
              && gang.members.started() == 0;
      if (!isPlain) {
        return Optional.empty();
      }
      if (known.size() > MOST) {
        known.clear();
      }
      var kinds = gang.counts.kinds();
      var topology = gang.terms.topologyOf(gang.terms.neighbours().getFirst());
      if (topology.joins().isPresent() || (kinds.size() > 1 && !topology.segments().isEmpty())) {
        // Which of them are in one segment is not said by how many there are of each.
        return Optional.empty();
      }
      return Optional.of(
          known.computeIfAbsent(new SameRequest(kinds, topology), request -> request));
    }
  }
}
