package io.muster.extender.core.decision.reserve;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.terms.GroupTerms.Neighbours;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Topology;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Where siblings are, kept until something changes: room that comes free has all refused members of
 * a gang asked about in a row, and there may be thousands. Confined to the decision thread.
 */
final class KnownSiblings {

  /** What decides, beside the ledger, which members of a gang have places. */
  private record GangVersion(GangState unit, long version, int bound, int ending, int placed) {

    static GangVersion of(GangState unit) {
      return new GangVersion(
          unit,
          unit.version(),
          unit.burst.bound().size(),
          unit.ending.count(),
          unit.reservation.size());
    }
  }

  /** The same of a gang and of those that it joins. */
  private record Stamp(Topology topology, List<GangVersion> versions) {}

  /**
   * What is known of one gang or role.
   *
   * @param hasStarted whether any member of its unit has
   */
  record Known(Stamp stamp, Siblings siblings, boolean hasStarted) {}

  /**
   * Where such a segment would begin: the same for all members that ask for the same.
   *
   * @param members how many it has
   */
  record Beginning(Demand demand, Topology.Segment segment, int members, boolean mayUseKept) {}

  /** Places that a gang holds open are room for itself alone. */
  private record Question(Optional<GangId> holder, Beginning beginning) {}

  private final ClusterState cluster;
  private final Map<Neighbours, Known> known = new HashMap<>();
  private final Map<Question, String> domains = new HashMap<>();
  private long ledger = -1;

  KnownSiblings(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** What the search finds. */
  Known of(GangState unit, Neighbours neighbours, Supplier<Siblings> search) {
    forgetIfChanged();
    var joined = cluster.gangs().joinedBy(unit, neighbours);
    var stamp =
        new Stamp(
            unit.terms.topologyOf(neighbours),
            Stream.concat(Stream.of(unit), joined.stream()).map(GangVersion::of).toList());
    var last = known.get(neighbours);
    if (last == null || !last.stamp().equals(stamp)) {
      last = new Known(stamp, search.get(), unit.members.started() > 0);
      known.put(neighbours, last);
    }
    return last;
  }

  /**
   * The domain where it would; it is looked for once for all that ask alike.
   *
   * @param search leaves the ledger as it is
   */
  String domain(GangState unit, Beginning beginning, Supplier<String> search) {
    forgetIfChanged();
    var holder = Optional.of(unit.id).filter(_ -> !unit.reservation.open().isEmpty());
    var found = domains.computeIfAbsent(new Question(holder, beginning), _ -> search.get());
    ledger = cluster.inventory().changes();
    return found;
  }

  private void forgetIfChanged() {
    if (cluster.inventory().changes() != ledger) {
      ledger = cluster.inventory().changes();
      known.clear();
      domains.clear();
    }
  }
}
