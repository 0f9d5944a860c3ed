package io.muster.extender.core.decision.permit;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.burst.HeldCalls.Held;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.filter.Singles;
import io.muster.extender.core.decision.observe.ShadowGangs;
import io.muster.extender.core.decision.report.PlacementWarnings;
import io.muster.extender.core.decision.report.Reporter;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.LastTold;
import io.muster.extender.core.decision.state.Locations;
import io.muster.extender.core.decision.state.Recovery;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Effect.AnswerBind;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Milestones.PlanMiss;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Holds bind calls until enough members of a gang have arrived, then lets them through together:
 * check once more, record, bind. Keyed by uid; a second call of one pod replaces the first. Where
 * kube-scheduler does not ask, members have arrived when they have places: check, record, release.
 * Guaranteed: no Binding of a gang goes out before its record is stored, and no record is written
 * before minAvailable members hold a checked place.
 */
public final class PermitBarrier {

  private static final String TAKEN = "its room was taken by a pod that Muster did not place";

  static final String NOT_AS_MADE = "the PodGroup of the gang is to be made as it is needed now";

  private final ClusterState cluster;
  private final Reservations reservations;
  private final Singles singles;
  private final ShadowGangs shadow;
  private final RecordedPlaces places;
  private final MemberBindings bindings;
  private final PlacementWarnings warnings;

  public PermitBarrier(
      ClusterState cluster, Reservations reservations, Singles singles, ShadowGangs shadow) {
    this.cluster = cluster;
    this.reservations = reservations;
    this.singles = singles;
    this.shadow = shadow;
    this.places = new RecordedPlaces(cluster);
    this.bindings = new MemberBindings(cluster);
    this.warnings = new PlacementWarnings(cluster);
  }

  public void bind(BindCall call, Instant now) {
    var pod = cluster.pod(call.pod().uid());
    if (pod.isEmpty() || !pod.get().key().equals(call.pod())) {
      refuse(call, "no pod " + call.pod() + " with this uid is known");
    } else if (pod.get().isBound()) {
      boolean there = pod.get().progress().nodeName().equals(Optional.of(call.node()));
      cluster.emit(
          new AnswerBind(
              call.id(),
              there ? Optional.empty() : Optional.of("muster: the pod is bound to another node")));
    } else if (pod.get().progress().deleting()) {
      refuse(call, "the pod is being deleted");
    } else if (shadow.covers(pod.get())) {
      singles.passThrough(call, pod.get(), now);
    } else if (pod.get().membership().isEmpty() || !cluster.isAsked()) {
      singles.bindNow(call, pod.get(), cluster.gangOf(pod.get()), now);
    } else {
      member(cluster.gangOf(pod.get()).orElseThrow(), pod.get(), call, now);
    }
  }

  private void member(GangState gang, Pod pod, BindCall call, Instant now) {
    var uid = pod.key().uid();
    if (gang.losses.isRestartDue()) {
      refuse(call, "the gang has lost a member and starts again as a whole");
      return;
    }
    if (gang.satisfied() && singles.mayBeAllThatIsLeft(gang)) {
      refuse(call, "the others have gone, but for one whose Binding has got no answer yet");
      return;
    }
    if (gang.satisfied()) {
      singles.bindNow(call, pod, Optional.of(gang), now);
      return;
    }
    var expected =
        gang.phase() == Phase.BINDING || gang.phase() == Phase.BROKEN
            ? gang.record.node(uid)
            : gang.reservation.node(uid);
    if (expected.isEmpty()) {
      refuse(call, "the gang holds no place for this member now");
      return;
    }
    if (!expected.get().equals(call.node())) {
      refuse(call, "the place of this member is on another node");
      return;
    }
    reservations.answerHeld(gang, uid, "a newer call of this pod has replaced this one");
    gang.heldCalls.hold(new Held(uid, call.id(), call.node(), now));
    gang.reservation.asked(uid);
    gang.reservation.progress(now);
    if (gang.record.names(uid)) {
      boolean ours = gang.record.isStored() && !gang.burst.isRepairedLater(now);
      if (ours
          && !gang.burst.isUnderWay(uid)
          && places.holdsItsPlaces(gang)
          && places.canGoTo(pod, call.node())) {
        bindings.send(
            gang, pod, call.node(), new Locations(gang, cluster.gangs(), cluster.inventory()), now);
      }
    } else if (gang.heldCalls.count() >= gang.reservation.size()) {
      openIfEnough(gang, now);
    }
  }

  /**
   * Opens the barrier if the arrived and the started members make up the minimum, and the leader
   * lease outlasts the burst.
   */
  public void openIfEnough(GangState gang, Instant now) {
    if (gang.phase() == Phase.PLANNED && !gang.hasCompanions()) {
      cluster.ensureCompanions(gang);
      return;
    }
    if (gang.phase() != Phase.PLANNED
        || gang.limit.isReached()
        || gang.setbacks.isHeldOff(now)
        || gang.counts.neededBeside(there(gang)) > 0
        || !cluster.leaseCoversBurst(now)) {
      return;
    }
    for (var uid : List.copyOf(there(gang))) {
      if (gang.phase() == Phase.PLANNED) {
        checkOnceMore(gang, uid, now);
      }
    }
    if (gang.phase() != Phase.PLANNED || gang.counts.neededBeside(there(gang)) > 0) {
      return;
    }
    warnings.tell(gang);
    gang.enter(Phase.BINDING);
    gang.record.clear();
    there(gang)
        .forEach(uid ->
            cluster
                .pod(uid)
                .filter(pod -> !pod.isBound())
                .ifPresent(
                    pod -> gang.record.enter(pod, gang.reservation.node(uid).orElseThrow())));
    // From here on the record says who goes where; places of others are free again.
    reservations.freePlaces(gang, gang.record.uids());
    writeRecord(gang);
  }

  /** Members at their places: those whose bind calls are held, or all where none come. */
  private Set<String> there(GangState gang) {
    return cluster.isAsked() ? gang.heldCalls.uids() : gang.reservation.uids();
  }

  /**
   * Members that have started stand in the record, too: it says of whom the gang is made up. Those
   * that ran before do once it has started: until then it says whom a burst may have bound.
   */
  public void writeRecord(GangState gang) {
    gang.record.enter(
        gang.members.onNodes().stream()
            .filter(pod -> gang.satisfied() || !gang.members.hasRunBefore(pod))
            .toList());
    gang.record.sent();
    var report = Reporter.report(gang, gang.id);
    var record = gang.toRecord(gang.id);
    gang.told.tell(gang.id, new LastTold.Told(record, report));
    cluster.emit(new Effect.WriteRecord(record, report));
  }

  private void checkOnceMore(GangState gang, String uid, Instant now) {
    var node = gang.reservation.node(uid).orElseThrow();
    var pod = cluster.pod(uid);
    if (pod.isEmpty() || pod.get().isTerminal() || pod.get().isBound()) {
      reservations.answerHeld(gang, uid, "the pod has changed while its bind call waited");
      return;
    }
    var obstacle =
        cluster
            .inventory()
            .room(node)
            .map(room ->
                room.obstacle(pod.get().demand())
                    .or(() ->
                        places.hasRoom(pod.get(), node) ? Optional.empty() : Optional.of(TAKEN)))
            .orElse(Optional.of("the node is gone"));
    if (obstacle.isPresent()) {
      cluster.metricsEvents().missed(PlanMiss.STALE);
      gang.setbacks.blame(node, now);
      if (!reservations.move(gang, pod.get(), Set.of(node), now)) {
        reservations.abort(gang, now, node + ": " + obstacle.get());
      }
    }
  }

  public void recordWritten(GangState gang, long epoch, boolean stored, Instant now) {
    if (!gang.record.answered(epoch, stored)) {
      return;
    }
    if (!stored) {
      gang.told.forget(gang.id);
      UnstoredRecords.tell(cluster, gang);
      if (gang.counts.needed() == 0) {
        settle(gang, now);
      } else if (!gang.burst.isToBeRepaired()) {
        keepPlaces(gang, now);
      } else {
        gang.setbacks.holdOffBurst(now);
      }
      return;
    }
    if (places.isNobodyOut(gang, now) && !places.holdsItsPlaces(gang)) {
      backToWaiting(gang, now, "a member or a node was lost while the record was being stored");
      return;
    }
    if (places.lacksCompanions(gang, now)) {
      backToWaiting(gang, now, NOT_AS_MADE);
      return;
    }
    gang.burst.begin(now);
    if (!cluster.isAsked()) {
      // kube-scheduler has as long to bind them; after that the release counts as cut.
      gang.burst.repairUnlessDue(now.plus(cluster.deadlines().burst()));
    }
    boolean isWhole = places.holdsItsPlaces(gang);
    var locations = new Locations(gang, cluster.gangs(), cluster.inventory());
    for (var entry : gang.record.places().entrySet()) {
      cluster
          .pod(entry.getKey())
          .filter(pod -> !pod.isBound() && !gang.burst.isBound(entry.getKey()))
          .filter(pod -> places.canGoTo(pod, entry.getValue().node()))
          .filter(pod ->
              isWhole
                  && (cluster.isAsked()
                      ? gang.heldCalls.isHeld(entry.getKey())
                      : pod.isGatedByMuster()))
          .ifPresent(pod -> bindings.send(gang, pod, entry.getValue().node(), locations, now));
    }
    // Those that were recorded may all have gone meanwhile: then there is nothing to send.
    settle(gang, now);
  }

  /**
   * A slow apiserver is no fault of the gang: it stays where it is, and is recorded anew once its
   * hold-off is over. Thousands of gangs must not write at every tick to an apiserver that refuses.
   */
  private void keepPlaces(GangState gang, Instant now) {
    var record = Map.copyOf(gang.record.places());
    gang.record.clear();
    gang.enter(Phase.PLANNED);
    gang.reservation.progress(now);
    gang.setbacks.holdOff(now);
    record.forEach((uid, place) ->
        cluster
            .pod(uid)
            .filter(pod -> gang.isCandidate(pod) && places.canGoTo(pod, place.node()))
            .ifPresentOrElse(_ -> gang.reservation.put(uid, place.node()), () -> drop(gang, uid)));
    reservations.refill(gang, now, "a member or a node was lost while the record was being stored");
  }

  /** A gate cannot be put back: the gang is completed from what it holds now, or undone. */
  public void resume(GangState gang, Instant now) {
    gang.record.clear();
    for (var place : gang.reservation.places().entrySet()) {
      cluster.pod(place.getKey()).ifPresent(pod -> gang.record.enter(pod, place.getValue()));
    }
    reservations.freePlaces(gang, gang.record.uids());
    for (var pod : gang.candidates()) {
      pod.origin()
          .pinning()
          .pin()
          .map(pin -> pin.nodes().getFirst())
          .filter(_ -> places.isOut(gang, pod) && !gang.record.names(pod.key().uid()))
          .filter(node -> places.canGoTo(pod, node))
          .ifPresent(node -> gang.record.enter(pod, node));
    }
    gang.enter(Phase.BINDING);
    gang.burst.repairFrom(now);
    writeRecord(gang);
  }

  /** Takes the record back, of which nothing was bound; the gang waits in line again. */
  void backToWaiting(GangState gang, Instant now, String why) {
    for (var uid : List.copyOf(gang.record.uids())) {
      drop(gang, uid);
    }
    gang.recovery.takeUp(Recovery.TakenUp.NOT);
    gang.burst.endRepair();
    gang.burst.forgetBound();
    reservations.abort(gang, now, why);
  }

  /** Takes one place out of the record. */
  void drop(GangState gang, String uid) {
    gang.record.remove(uid);
    reservations.answerHeld(gang, uid, "the place of this member is lost");
    cluster.releaseUnbound(uid);
  }

  public void bindingEnded(GangState gang, Event.BindingEnded ended, Instant now) {
    bindings.ended(gang, ended, now);
    settle(gang, now);
  }

  /** Ends the burst when it has nothing more to send: satisfied, or to be repaired. */
  public void settle(GangState gang, Instant now) {
    if (gang.satisfied()
        || gang.record.isPending()
        || gang.burst.isBeingUndone()
        || (gang.phase() != Phase.BINDING && gang.phase() != Phase.BROKEN)
        || gang.burst.isAnyUnderWay()) {
      return;
    }
    if (gang.counts.needed() > 0) {
      gang.burst.repairUnlessDue(now);
      return;
    }
    boolean isFirst = !gang.waitsAgain();
    gang.satisfy();
    if (isFirst) {
      cluster.metricsEvents().started(gang, now);
    }
    gang.record.enter(gang.members.onNodes());
    gang.discounted.clear();
    gang.enter(Phase.RUNNING);
    gang.burst.endRepair();
    gang.setbacks.forgetFailures();
    gang.verdict.clear();
    for (var uid : List.copyOf(gang.record.uids())) {
      if (cluster.pod(uid).filter(gang.members::hasStarted).isEmpty()) {
        gang.record.remove(uid);
        cluster.releaseUnbound(uid);
      }
    }
    for (var late : gang.heldCalls.all()) {
      gang.heldCalls.take(late.uid());
      cluster
          .pod(late.uid())
          .ifPresentOrElse(
              pod -> bind(new BindCall(late.call(), pod.key(), late.node()), now),
              () ->
                  cluster.emit(
                      new AnswerBind(late.call(), Optional.of("muster: the pod has gone"))));
    }
    releaseExtras(gang);
    cluster.planAgain();
  }

  /** From now on members beyond the minimum are gangs of one. */
  void releaseExtras(GangState gang) {
    for (var pod : gang.candidates()) {
      if (pod.isGatedByMuster()) {
        cluster.ungate(gang, pod, Optional.empty());
      } else if (gang.refused.contains(pod.key().uid())) {
        cluster.refusedSingles().put(pod.key().uid(), pod);
      }
    }
    gang.refused.clear();
  }

  /** A member that is bound needs its call no more, however it came there. */
  public void boundMemberSeen(GangState gang, Pod pod) {
    gang.heldCalls
        .take(pod.key().uid())
        .ifPresent(held -> {
          boolean isAsCalled = pod.progress().nodeName().filter(held.node()::equals).isPresent();
          cluster.emit(
              new AnswerBind(
                  held.call(),
                  isAsCalled
                      ? Optional.empty()
                      : Optional.of("muster: the pod has been bound to another node")));
        });
  }

  private void refuse(BindCall call, String error) {
    cluster.emit(new AnswerBind(call.id(), Optional.of("muster: " + error)));
  }
}
