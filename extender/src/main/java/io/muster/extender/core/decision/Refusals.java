package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.gang.Topology;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the planner has refused since the ledger last changed for others: the next gang that asks for
 * just the same need not be planned. Only for gangs about which nothing else is special. Confined to
 * the decision thread.
 */
final class Refusals {

  /** All that decides whether such a gang fits. */
  private record Request(Map<Demand, Integer> kinds, Topology topology) {}

  private final Set<Request> refused = new HashSet<>();

  /** Whether a gang that asks for just the same was refused. */
  boolean include(GangState gang, Instant now) {
    return !refused.isEmpty() && request(gang, now).filter(refused::contains).isPresent();
  }

  void add(GangState gang, Instant now) {
    request(gang, now).ifPresent(refused::add);
  }

  /** Places were given or taken back. */
  void forget() {
    refused.clear();
  }

  private static Optional<Request> request(GangState gang, Instant now) {
    boolean isPlain =
        gang.terms.gangs().size() == 1
            && gang.terms.later().isEmpty()
            && gang.excluded(now).isEmpty()
            && gang.bound() == 0;
    return isPlain
        ? Optional.of(new Request(gang.headcount.kinds(), gang.terms.topologyOf(gang.id)))
        : Optional.empty();
  }
}
