package io.muster.extender.core.decision.loss;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Wanted;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Milestones.PlanMiss;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Sees to placed members that do not come to filter, or do not come again, because kube-scheduler's
 * own rules let them go nowhere: their gang gives its places up, with kube-scheduler's sentence as
 * the reason, and is planned away from those nodes. Members beyond the minimum that are tied to
 * nodes without room are recreated.
 */
public final class Rejections {

  /** Owners need time to recreate members. */
  private static final Duration RECREATED_APART = Duration.ofSeconds(60);

  /** A rejection that came with the plan: kube-scheduler may be about to try again. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private final ClusterState cluster;
  private final GangPlans plans;
  private final Reservations reservations;

  public Rejections(ClusterState cluster, GangPlans plans, Reservations reservations) {
    this.cluster = cluster;
    this.plans = plans;
    this.reservations = reservations;
  }

  /** Notes a new version of a placed member. */
  public void seen(GangState gang, Pod pod, Optional<Pod.Progress> before, Instant now) {
    var uid = pod.key().uid();
    boolean isNews =
        pod.progress().rejection().isPresent()
            && !before.flatMap(Pod.Progress::rejection).equals(pod.progress().rejection());
    if (isNews && gang.phase() == Phase.PLANNED && !gang.heldCalls.isHeld(uid)) {
      gang.reservation.rejected(uid, now);
    }
  }

  public void advance(GangState gang, Instant now) {
    if (gang.satisfied()) {
      untieExtras(gang, now);
    }
    if (gang.phase() != Phase.PLANNED) {
      return;
    }
    for (var place : gang.reservation.places().entrySet()) {
      var uid = place.getKey();
      var rejected =
          cluster
              .pod(uid)
              .filter(pod -> !pod.isGated() && !gang.reservation.wasAsked(uid))
              .filter(_ -> !gang.heldCalls.isHeld(uid))
              .flatMap(pod -> pod.progress().rejection());
      if (rejected.isPresent() && isOver(gang, uid, now)) {
        var pod = cluster.pod(uid).orElseThrow();
        cluster.metricsEvents().missed(PlanMiss.IN_TREE_REJECTED);
        gang.setbacks.blame(place.getValue(), now);
        pod.origin().pinning().pin().stream()
            .flatMap(pin -> pin.nodes().stream())
            .forEach(node -> gang.setbacks.blame(node, now));
        reservations.abort(
            gang,
            now,
            "kube-scheduler has no node for " + pod.key().name() + ": " + rejected.get());
        return;
      }
    }
  }

  /** Members beyond the minimum whose nodes are taken, while others would do. */
  private void untieExtras(GangState gang, Instant now) {
    if (gang.setbacks.wasRecreatedWithin(RECREATED_APART, now)) {
      return;
    }
    for (var pod : gang.candidates()) {
      boolean isStuck =
          pod.progress().rejection().isPresent()
              && pod.origin().pinning().pin().isPresent()
              && pod.isMadeAnew()
              && plans.placeOne(gang, Wanted.of(gang, pod).asking(pod.shape()), now).isPresent()
              && plans.placeOne(gang, Wanted.of(gang, pod), now).isEmpty();
      if (isStuck) {
        gang.setbacks.recreated(now);
        cluster.emit(
            new Effect.Remake(
                pod.key(), "there is room elsewhere than on the nodes this member was tied to"));
      }
    }
  }

  /** A rejection older than the plan counts only once the member must have been tried again. */
  private boolean isOver(GangState gang, String uid, Instant now) {
    var since = gang.reservation.rejectedSince(uid);
    return since
        .map(at -> now.isAfter(at.plus(GRACE)))
        .orElseGet(() ->
            gang.reservation.isOlderThan(cluster.deadlines().podMaxBackoff().plus(GRACE), now));
  }
}
