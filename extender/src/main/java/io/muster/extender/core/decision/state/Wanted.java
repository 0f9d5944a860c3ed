package io.muster.extender.core.decision.state;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.terms.GroupTerms.Neighbours;
import io.muster.extender.core.gang.GangId;
import java.util.List;

/**
 * Somebody to be placed: with whom, what it asks for, and whether it need not be close.
 *
 * @param rank its position among its siblings; {@link Integer#MAX_VALUE} where that is not known
 */
public record Wanted(Neighbours neighbours, Demand demand, boolean comesLater, int rank) {

  public static Wanted deferred(GangId gang, Demand demand) {
    return new Wanted(new Neighbours(gang, ""), demand, true, Integer.MAX_VALUE);
  }

  public static Wanted of(GangState unit, Pod pod) {
    return new Wanted(unit.terms.neighboursOf(pod), pod.demand(), false, pod.rank());
  }

  /** Its gang. */
  public GangId gang() {
    return neighbours.gang();
  }

  /** The same, asking for something else. */
  public Wanted asking(Demand other) {
    return new Wanted(neighbours, other, comesLater, rank);
  }

  /** Devices that all of them ask for. */
  public static long devices(List<Wanted> all) {
    return all.stream().mapToLong(each -> each.demand().requests().devices()).sum();
  }
}
