package io.muster.extender.core.decision.permit;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.recovery.GangRecovery;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.decision.reserve.GangPlans.Outcome;
import io.muster.extender.core.decision.reserve.StuckMembers;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Locations;
import io.muster.extender.core.decision.state.Recovery.TakenUp;
import io.muster.extender.core.decision.state.Wanted;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Completes a burst that was cut off, or undoes it, unless the gang had started after all; where
 * kube-scheduler does not ask Muster, a release, whose members count as out from the moment their
 * gates are off. In this order:
 *
 * <ol>
 *   <li>members of the record that are gone, or whose node cannot take them any more, lose their
 *       place; others take it over or it is planned anew, in a new record;
 *   <li>where nothing is bound yet and places are missing, the gang goes back to waiting;
 *   <li>what is recorded and unbound is bound directly, with its room reserved, or released again;
 *       members that mount claims are left to kube-scheduler, whose volume steps they need;
 *   <li>where kube-scheduler binds the members together and holds all of them up for a lost place,
 *       they end at once, if each is made anew: none has run;
 *   <li>what cannot be completed for {@code repair}, because a place is missing or refused, is
 *       undone: its bound members end with notice. Slowness alone undoes nothing: without an answer
 *       it goes on trying. A member without a controller is never ended: such a gang stays Broken
 *       and goes on trying to complete. Members that ran before the burst are not ended, nor is
 *       what has started of a gang that waits again: what was let go and has not started is made
 *       anew there, and planned with the others.
 * </ol>
 */
public final class Repair {

  /** Longer than the tries of one write take while the API server answers. */
  private static final Duration EVICTED_APART = Duration.ofSeconds(10);

  private final ClusterState cluster;
  private final GangPlans plans;
  private final PermitBarrier barrier;
  private final RecordedPlaces places;
  private final MemberBindings bindings;

  public Repair(ClusterState cluster, GangPlans plans, PermitBarrier barrier) {
    this.cluster = cluster;
    this.plans = plans;
    this.barrier = barrier;
    this.places = new RecordedPlaces(cluster);
    this.bindings = new MemberBindings(cluster);
  }

  public void advance(GangState gang, Instant now) {
    if (gang.satisfied() || gang.record.isPending()) {
      return;
    }
    boolean isHeldUp = places.isHeldUpByALostPlace(gang);
    if (isHeldUp && !gang.burst.isRepairDue(now)) {
      gang.burst.repairFrom(now);
    }
    if (!gang.burst.isRepairDue(now)) {
      return;
    }
    if (gang.burst.isBeingUndone()) {
      awaitUndone(gang, now);
      return;
    }
    barrier.settle(gang, now);
    if (gang.satisfied()) {
      return;
    }
    if (!gang.record.isStored()) {
      if (!gang.setbacks.isHeldOff(now)) {
        barrier.writeRecord(gang);
      }
      return;
    }
    if (replan(gang, now)) {
      return;
    }
    // No place of a member that is needed is missing in the record; all else waits for that.
    boolean isWhole = gang.counts.neededBeside(recorded(gang)) <= 0;
    if (!isWhole && places.isNobodyOut(gang, now)) {
      barrier.backToWaiting(gang, now, "members that were to be bound are gone");
      return;
    }
    if (places.lacksCompanions(gang, now)) {
      barrier.backToWaiting(gang, now, PermitBarrier.NOT_AS_MADE);
      return;
    }
    noteWhetherBlocked(gang, isWhole, now);
    var released = released(gang, now);
    if (isHeldUp && !isWhole && released.stream().allMatch(Pod::isMadeAnew)) {
      undo(gang, released, now);
      return;
    }
    if (gang.burst.isBlockedLongerThan(patience(gang), now)) {
      if (!gang.burst.isAnyUnderWay()) {
        undo(gang, out(gang), now);
      }
      if (gang.phase() != Phase.BROKEN || gang.burst.isBeingUndone()) {
        return;
      }
    }
    bindRecorded(gang, isWhole, now);
  }

  /**
   * Whether the burst cannot be completed: a needed member has no place, or somebody has refused to
   * put it on its place. An API server or kube-scheduler that has not answered yet has refused
   * nothing, however long it takes.
   */
  private void noteWhetherBlocked(GangState gang, boolean isWhole, Instant now) {
    boolean isBlocked =
        !isWhole || unboundRecorded(gang).stream().anyMatch(pod -> isRefused(gang, pod));
    gang.burst.noteWhetherBlocked(isBlocked, now);
  }

  private boolean isRefused(GangState gang, Pod pod) {
    return isLeftToKubeScheduler(gang, pod)
        ? pod.progress().rejection().isPresent()
        : pod.isGatedByOthers() || gang.burst.isRefused(pod.key().uid());
  }

  /** Where kube-scheduler does not ask, its volume steps come after the record. */
  private Duration patience(GangState gang) {
    return gang.reservation.awaitsVolumes() && !cluster.isAsked()
        ? cluster.deadlines().volume()
        : cluster.deadlines().repair();
  }

  private List<Pod> unboundRecorded(GangState gang) {
    return gang.candidates().stream().filter(pod -> gang.record.names(pod.key().uid())).toList();
  }

  private Set<String> recorded(GangState gang) {
    return unboundRecorded(gang).stream().map(pod -> pod.key().uid()).collect(Collectors.toSet());
  }

  /** Whether a new record had to be written first. */
  private boolean replan(GangState gang, Instant now) {
    dropLost(gang, now);
    var recorded = recorded(gang);
    if (gang.counts.neededBeside(recorded) <= 0) {
      return false;
    }
    if (place(gang, gang.counts.chosenBeside(recorded), now)) {
      return true;
    }
    var stuck = StuckMembers.of(gang, cluster);
    if (stuck.isEmpty()) {
      return false;
    }
    var others = gang.counts.chosenBeside(recorded, stuck);
    var all = new HashSet<>(recorded);
    others.forEach(pod -> all.add(pod.key().uid()));
    return gang.counts.neededBeside(all) <= 0 && place(gang, others, now);
  }

  private boolean place(GangState gang, List<Pod> unplaced, Instant now) {
    if (unplaced.isEmpty()) {
      return false;
    }
    var refusal = cluster.queues().refusal(gang, unplaced);
    if (refusal.isPresent()) {
      gang.verdict.missing(refusal.get().sentence());
      return false;
    }
    var wanted = unplaced.stream().map(pod -> Wanted.of(gang, pod)).toList();
    return switch (plans.decide(gang, wanted, now)) {
      case Outcome.Refused refused -> {
        gang.verdict.missing(refused.tally());
        yield false;
      }
      case Outcome.Placed(var nodes) -> {
        for (int i = 0; i < unplaced.size(); i++) {
          enter(gang, unplaced.get(i), nodes.get(i));
        }
        gang.verdict.complete();
        barrier.writeRecord(gang);
        yield true;
      }
    };
  }

  private void enter(GangState gang, Pod pod, String node) {
    cluster.inventory().occupy(pod.key().uid(), node, pod.demand().requests());
    gang.record.enter(pod, node);
    ungateIfAsked(gang, pod);
  }

  /** Also one whose gate was to be removed when an earlier life of Muster ended. */
  private void ungateIfAsked(GangState gang, Pod pod) {
    if (cluster.isAsked() && pod.isGatedByMuster() && !gang.gateRemovals.isSent(pod.key().uid())) {
      cluster.ungate(gang, pod, Optional.empty());
    }
  }

  private void dropLost(GangState gang, Instant now) {
    for (var entry : new ArrayList<>(gang.record.places().entrySet())) {
      var uid = entry.getKey();
      if (gang.burst.isUnderWay(uid)) {
        continue;
      }
      var pod = gang.members.find(uid);
      if (pod.isEmpty() || pod.get().progress().deleting() || pod.get().isTerminal()) {
        if (pod.filter(gang.members::hasStarted).isEmpty()) {
          barrier.drop(gang, uid);
        }
      } else if (!gang.members.hasStarted(pod.get())
          && !places.canGoTo(pod.get(), entry.getValue().node())) {
        gang.setbacks.blame(entry.getValue().node(), now);
        barrier.drop(gang, uid);
      }
    }
  }

  private void bindRecorded(GangState gang, boolean isWhole, Instant now) {
    if (!cluster.leaseCoversBurst(now)) {
      return;
    }
    var locations = new Locations(gang, cluster.gangs(), cluster.inventory());
    for (var pod : unboundRecorded(gang)) {
      var uid = pod.key().uid();
      ungateIfAsked(gang, pod);
      if (isLeftToKubeScheduler(gang, pod)) {
        if (gang.refused.remove(uid)) {
          cluster.wake(pod.key());
        }
      } else if (gang.burst.maySend(uid, now) && mayBeSent(pod, isWhole)) {
        bindings.send(gang, pod, gang.record.node(uid).orElseThrow(), locations, now);
      }
    }
  }

  /**
   * Whether kube-scheduler alone may bind the member: for its steps for volumes and claims, or
   * because it does not ask. It would not know of a Binding of ours, and could fill the same room
   * with another pod.
   */
  private boolean isLeftToKubeScheduler(GangState gang, Pod pod) {
    return cluster.isAsked()
        ? pod.origin().mountsClaims() || takesClaims(gang, pod)
        : !pod.isGated();
  }

  private boolean takesClaims(GangState gang, Pod pod) {
    return gang.record
        .node(pod.key().uid())
        .flatMap(cluster.inventory()::room)
        .filter(room -> room.node().takesClaims(pod.demand().requests()))
        .isPresent();
  }

  private boolean mayBeSent(Pod pod, boolean isWhole) {
    return isWhole && !(cluster.isAsked() ? pod.isGated() : pod.isGatedByOthers());
  }

  private List<Pod> out(GangState gang) {
    return gang.members.live().stream().filter(pod -> places.isOut(gang, pod)).toList();
  }

  /** Those that are out, or will be by a release that is under way. */
  private List<Pod> released(GangState gang, Instant now) {
    return gang.members.live().stream()
        .filter(pod -> places.isOut(gang, pod) || !gang.burst.maySend(pod.key().uid(), now))
        .toList();
  }

  private void undo(GangState gang, List<Pod> out, Instant now) {
    if (out.isEmpty() || gang.waitsAgain()) {
      barrier.backToWaiting(gang, now, "the gang could not be completed in time");
      remakeUnstarted(gang, out);
      return;
    }
    if (GangRecovery.hadStarted(cluster, gang, now)) {
      unboundRecorded(gang).forEach(pod -> barrier.drop(gang, pod.key().uid()));
      GangRecovery.declareStarted(gang, now);
      barrier.releaseExtras(gang);
      return;
    }
    gang.enter(Phase.BROKEN);
    boolean mayEnd =
        out.stream()
            .allMatch(pod ->
                pod.isMadeAnew()
                    && (!gang.members.hasStarted(pod)
                        || pod.origin().placement().isPresent()
                        || gang.bypasses.include(pod.key().uid())
                        || gang.burst.isBound(pod.key().uid())));
    if (!mayEnd) {
      return;
    }
    gang.burst.undo();
    for (var pod : unboundRecorded(gang)) {
      barrier.drop(gang, pod.key().uid());
    }
    evict(gang, out, now);
  }

  /**
   * Members that were let go and that kube-scheduler does not bind: those let go while the gang ran
   * have no node affinity, and may take the nodes that others have been let go to.
   */
  private void remakeUnstarted(GangState gang, List<Pod> out) {
    var why =
        "gang %s could not be completed; its members without a node are planned anew"
            .formatted(gang.id);
    out.stream()
        .filter(pod -> !gang.members.hasStarted(pod) && pod.isMadeAnew())
        .forEach(pod -> cluster.emit(new Effect.Remake(pod.key(), why)));
  }

  private void evict(GangState gang, List<Pod> out, Instant now) {
    gang.burst.evicted(now);
    var why =
        "gang %s could not be completed; its %d %s members start again together"
            .formatted(gang.id, out.size(), cluster.isAsked() ? "bound" : "released");
    boolean mayHaveStarted = !RecordedPlaces.isBoundAsOne(gang);
    out.forEach(pod ->
        cluster.emit(
            mayHaveStarted || gang.members.hasStarted(pod)
                ? new Effect.Evict(pod.key(), why)
                : new Effect.Remake(pod.key(), why)));
  }

  /** A write that was lost is made again: half a gang would stay for ever. */
  private void evictAgain(GangState gang, Instant now) {
    if (!gang.burst.wasEvictedWithin(EVICTED_APART, now)) {
      var out =
          gang.members.live().stream()
              .filter(Pod::isMadeAnew)
              .filter(pod -> places.isOut(gang, pod))
              .toList();
      evict(gang, out, now);
    }
  }

  private void awaitUndone(GangState gang, Instant now) {
    if (RecordedPlaces.isBoundAsOne(gang) && gang.counts.needed() <= 0) {
      // kube-scheduler was faster: all of it runs, which was not seen here.
      GangRecovery.declareStarted(gang, now);
      barrier.releaseExtras(gang);
      return;
    }
    evictAgain(gang, now);
    boolean stillThere =
        gang.members.all().stream()
            .anyMatch(pod ->
                !pod.isTerminal()
                    && !gang.members.hasRunBefore(pod)
                    && (pod.isBound()
                        || gang.burst.isBound(pod.key().uid())
                        || places.isOut(gang, pod)));
    if (!stillThere) {
      gang.burst.endUndoing();
      gang.recovery.takeUp(TakenUp.NOT);
      gang.burst.endRepair();
      gang.record.clear();
      gang.burst.forgetBound();
      gang.enter(Phase.WAITING);
      gang.members.live().stream()
          .filter(pod -> !pod.isGated())
          .forEach(pod -> gang.refused.add(pod.key().uid()));
      cluster.planAgain();
    }
  }
}
