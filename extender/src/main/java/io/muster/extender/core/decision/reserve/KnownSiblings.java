package io.muster.extender.core.decision.reserve;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Topology;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Where siblings are, kept until something changes: room that comes free has all refused members of
 * a gang asked about in a row, and there may be thousands. Confined to the decision thread.
 */
final class KnownSiblings {

  /** What decides, beside the ledger, which members have places. */
  private record Stamp(
      GangState unit, Topology topology, long version, int bound, int ending, int placed) {}

  /**
   * What is known of one gang.
   *
   * @param hasStarted whether any member of its unit has
   */
  record Known(Stamp stamp, Siblings siblings, boolean hasStarted) {}

  /** Where such a segment would begin: the same for all members that ask for the same. */
  record Beginning(Demand demand, Topology.Segment segment, boolean mayUseKept) {}

  private final ClusterState cluster;
  private final Map<GangId, Known> known = new HashMap<>();
  private final Map<Beginning, String> domains = new HashMap<>();
  private long ledger = -1;

  KnownSiblings(ClusterState cluster) {
    this.cluster = cluster;
  }

  Known of(GangState unit, GangId gang) {
    forgetIfChanged();
    var stamp =
        new Stamp(
            unit,
            unit.terms.topologyOf(gang),
            unit.version(),
            unit.burst.bound().size(),
            unit.ending.count(),
            unit.reservation.size());
    var last = known.get(gang);
    if (last == null || !last.stamp().equals(stamp)) {
      last = new Known(stamp, Siblings.of(unit, gang, cluster.inventory()), unit.bound() > 0);
      known.put(gang, last);
    }
    return last;
  }

  /** The domain where it would; the question is asked once for all that ask alike. */
  String domain(Beginning beginning, Supplier<String> question) {
    forgetIfChanged();
    return domains.computeIfAbsent(beginning, _ -> question.get());
  }

  private void forgetIfChanged() {
    if (cluster.inventory().changes() != ledger) {
      ledger = cluster.inventory().changes();
      known.clear();
      domains.clear();
    }
  }
}
