package io.muster.extender.core.decision.observe;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.member.Members;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Makes known what has come to be said about gangs, by objects or by other members. A gang that has
 * places but no record gives them back and is planned anew under the new terms. One that has begun
 * goes on under what it began with until its object says otherwise: that the object has gone says
 * nothing. Confined to the decision thread.
 */
public final class TermsUpdates {

  private static final Comparator<Pod> OLDEST_FIRST =
      Comparator.comparing((Pod pod) -> pod.origin().createdAt()).thenComparing(Members.ORDER);

  private final ClusterState cluster;
  private final Reservations reservations;
  private final ShadowGangs shadow;
  private final ObservedGangs observed;

  public TermsUpdates(
      ClusterState cluster, Reservations reservations, ShadowGangs shadow, ObservedGangs observed) {
    this.cluster = cluster;
    this.observed = observed;
    this.reservations = reservations;
    this.shadow = shadow;
  }

  /** An object says that; the pods to be taken in again. */
  public List<Pod> stated(TermsObject object, Optional<Terms> terms) {
    return cluster.objects().state(object, terms) ? restated(object, true) : List.of();
  }

  /** An object is gone; the pods to be taken in again. */
  public List<Pod> withdrawn(TermsObject object) {
    return cluster.objects().withdraw(object) ? restated(object, false) : List.of();
  }

  private List<Pod> restated(TermsObject object, boolean isThere) {
    var pods = cluster.objects().podsOf(object);
    pods.stream()
        .flatMap(pod -> gangOf(pod).stream())
        .distinct()
        .forEach(gang -> restate(gang, isThere));
    return pods;
  }

  private Optional<GangState> gangOf(Pod pod) {
    return cluster.knownGangOf(pod).or(() -> shadow.find(pod)).or(() -> observed.find(pod));
  }

  private void restate(GangState gang, boolean isThere) {
    if (gang.phase() == Phase.PLANNED) {
      reservations.giveUp(gang, "the terms of the gang have changed");
    }
    boolean hasBegun =
        gang.satisfied() || gang.phase() == Phase.BINDING || gang.phase() == Phase.BROKEN;
    if (isThere || !hasBegun) {
      gang.terms.withdraw(gang.id);
      gang.companions.gone(gang.id);
    }
    tryAnew(gang);
  }

  /**
   * A gang that has not started goes by what its members state now. Its pods may have been made
   * anew under other terms before the last of the old ones had gone. Where owners of both make
   * theirs again, as the ReplicaSets of a Deployment that is rolled out do, the oldest pod decides.
   */
  public void advance(GangState gang) {
    if (!gang.isWaiting() && gang.phase() != Phase.PLANNED) {
      return;
    }
    if (isYetToStart(gang)
        && gang.entry.requeue(() -> gang.members.live().stream(), OLDEST_FIRST)) {
      gang.members.all().forEach(cluster.queues()::seen);
      tryAnew(gang);
    }
    var outlived = outlived(gang);
    if (outlived.isEmpty()) {
      return;
    }
    if (gang.phase() == Phase.PLANNED) {
      reservations.giveUp(gang, "the terms of the gang have changed");
    }
    outlived.forEach(gang.companions::gone);
    gang.terms.hearAnew(outlived, gang.members.live().stream().sorted(order(gang)).toList());
    tryAnew(gang);
  }

  private void tryAnew(GangState gang) {
    gang.lastTry.forget();
    gang.changed();
    cluster.planAgain();
  }

  private static boolean isYetToStart(GangState gang) {
    return gang.isWaiting() && gang.counts.started() == 0;
  }

  private static Set<GangId> outlived(GangState gang) {
    var others = gang.terms.others();
    var outlived =
        isYetToStart(gang)
            ? others.overtaking(gang.members::live, order(gang))
            : others.outliving(gang.members::live);
    return outlived.isEmpty() && !gang.waitsAgain() ? others.garbled(gang.members::live) : outlived;
  }

  /** Pods that come later state less, and are asked last. */
  private static Comparator<Pod> order(GangState gang) {
    return Comparator.comparing(gang.deferred::includes).thenComparing(OLDEST_FIRST);
  }
}
