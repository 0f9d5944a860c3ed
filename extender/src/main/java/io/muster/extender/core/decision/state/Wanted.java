package io.muster.extender.core.decision.state;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import java.util.List;

/**
 * Somebody to be placed: of which gang, what it asks for, and whether it need not be close.
 *
 * @param rank its position among its siblings; {@link Integer#MAX_VALUE} where that is not known
 */
public record Wanted(GangId gang, Demand demand, boolean comesLater, int rank) {

  public static Wanted deferred(GangId gang, Demand demand) {
    return new Wanted(gang, demand, true, Integer.MAX_VALUE);
  }

  public static Wanted of(GangState unit, Pod pod) {
    return new Wanted(
        pod.membership().map(Membership::gang).orElse(unit.id), pod.demand(), false, pod.rank());
  }

  /** The same, asking for something else. */
  public Wanted asking(Demand other) {
    return new Wanted(gang, other, comesLater, rank);
  }

  /** Devices that all of them ask for. */
  public static long devices(List<Wanted> all) {
    return all.stream().mapToLong(each -> each.demand().requests().devices()).sum();
  }
}
