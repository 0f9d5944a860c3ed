package io.muster.extender.core.decision.reserve;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.burst.Reservation.OpenPlace;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Wanted;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps room for pods that are not there: for replacements of lost members, and for pods that come
 * later, as far as it may be kept for those. Confined to the decision thread.
 */
public final class OpenPlaces {

  /** Anybody may ask for room for pods to come: at most this part of all devices, rounded up. */
  private static final long LATER_PART = 4;

  private final ClusterState cluster;

  public OpenPlaces(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** Keeps room for the replacement of a member. */
  public void keepForReplacement(GangState gang, Demand demand, String node) {
    gang.reservation.keepOpen(kept(demand, node));
  }

  /**
   * Those of the pods that come later for which room may be kept: devices only within the quota and
   * the limit of the gang's queue, within what ResourceQuotas leave for pods that could still be
   * made, and as long as little of the cluster is kept so. What is kept stays when a ResourceQuota
   * leaves less: it counts the pod for whom that is before the pod is seen.
   *
   * @param members that get places beside them and have none yet
   */
  Set<Wanted> mayBeKept(GangState gang, List<Wanted> members, List<Wanted> later) {
    var may = new HashSet<Wanted>();
    if (later.isEmpty()) {
      return may;
    }
    long most = Math.ceilDiv(cluster.inventory().totals().offered().devices(), LATER_PART);
    long kept =
        cluster.gangs().active().stream().mapToLong(other -> other.deferred.devices()).sum();
    long own = Wanted.devices(members);
    var unmade = unmade(gang.id.namespace());
    for (var each : later) {
      var asked = each.demand().requests();
      long devices = asked.devices();
      boolean isMade = gang.deferred.there(each.gang()).isPresent();
      if (devices == 0
          || (kept + devices <= most
              && cluster.queues().mayHoldForGood(gang, own + devices)
              && (isMade || cluster.namespaceQuotas().admit(gang.id.namespace(), asked, unmade)))) {
        kept += devices;
        own += devices;
        unmade = isMade ? unmade : unmade.plus(asked);
        may.add(each);
      }
    }
    return may;
  }

  /** What has been promised to pods of the namespace that do not count in its quotas yet. */
  private Resources unmade(String namespace) {
    return cluster.namespaceQuotas().limit(namespace)
        ? cluster.gangs().active().stream()
            .filter(other -> other.id.namespace().equals(namespace))
            .map(other -> other.deferred.unmade())
            .reduce(Resources.NONE, Resources::plus)
        : Resources.NONE;
  }

  /** Keeps room for a pod that comes later, beside the places of members. */
  void keepLater(GangState gang, Wanted wanted, String node) {
    Optional.ofNullable(gang.deferred.places.put(wanted.gang(), kept(wanted.demand(), node)))
        .ifPresent(former -> cluster.release(former.holder()));
  }

  /** Ends what is kept for pods that come later. */
  public void dropLater(GangState gang) {
    gang.deferred.places.values().forEach(open -> cluster.release(open.holder()));
    gang.deferred.places.clear();
  }

  private OpenPlace kept(Demand demand, String node) {
    var open = new OpenPlace("open#" + cluster.nextTurn(), demand, node);
    cluster.inventory().occupy(open.holder(), node, demand.requests());
    return open;
  }
}
