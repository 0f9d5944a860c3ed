package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Effect.AnswerBind;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangRecord.Place;
import io.muster.extender.core.protocol.GangState.Held;
import io.muster.extender.core.protocol.Milestones.PlanMiss;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Holds bind calls until enough members of a gang have arrived, then lets them through together:
 * check once more, record, bind. Keyed by uid; a second call of one pod replaces the first.
 * Guaranteed: no Binding of a gang goes out before its record is stored, and no record is written
 * before minAvailable members hold a checked place.
 */
final class Barrier {

  private static final String TAKEN = "its room was taken by a pod that Muster did not place";

  private final World world;
  private final Reservations reservations;
  private final Singles singles;
  private final ShadowGangs shadow;

  Barrier(World world, Reservations reservations, Singles singles, ShadowGangs shadow) {
    this.world = world;
    this.reservations = reservations;
    this.singles = singles;
    this.shadow = shadow;
  }

  void bind(BindCall call, Instant now) {
    var pod = world.pod(call.pod().uid());
    if (pod.isEmpty() || !pod.get().key().equals(call.pod())) {
      refuse(call, "no pod " + call.pod() + " with this uid is known");
    } else if (pod.get().isBound()) {
      boolean there = pod.get().progress().nodeName().equals(Optional.of(call.node()));
      world.emit(
          new AnswerBind(
              call.id(),
              there ? Optional.empty() : Optional.of("muster: the pod is bound to another node")));
    } else if (pod.get().progress().deleting()) {
      refuse(call, "the pod is being deleted");
    } else if (shadow.covers(pod.get())) {
      singles.passThrough(call, pod.get(), now);
    } else if (pod.get().membership().isEmpty()) {
      singles.bindNow(call, pod.get(), Optional.empty(), now);
    } else {
      member(world.gangOf(pod.get()).orElseThrow(), pod.get(), call, now);
    }
  }

  private void member(GangState gang, Pod pod, BindCall call, Instant now) {
    var uid = pod.key().uid();
    if (gang.restartDue) {
      refuse(call, "the gang has lost a member and starts again as a whole");
      return;
    }
    if (gang.satisfied) {
      singles.bindNow(call, pod, Optional.of(gang), now);
      return;
    }
    var expected =
        gang.phase == Phase.BINDING || gang.phase == Phase.BROKEN
            ? Optional.ofNullable(gang.record.get(uid)).map(Place::node)
            : Optional.ofNullable(gang.places.get(uid));
    if (expected.isEmpty()) {
      refuse(call, "the gang holds no place for this member now");
      return;
    }
    if (!expected.get().equals(call.node())) {
      refuse(call, "the place of this member is on another node");
      return;
    }
    reservations.answerHeld(gang, uid, "a newer call of this pod has replaced this one");
    gang.arrived.put(uid, new Held(call.id(), call.node(), now));
    gang.lastProgress = now;
    if (gang.record.containsKey(uid)) {
      boolean ours = gang.recordStored && gang.repairSince.filter(now::isBefore).isEmpty();
      if (ours && !gang.bindingSince.containsKey(uid)) {
        send(gang, pod, call.node(), now);
      }
    } else {
      openIfEnough(gang, now);
    }
  }

  /**
   * Opens the barrier if the arrived and the started members make up the minimum, and the leader
   * lease outlasts the burst.
   */
  void openIfEnough(GangState gang, Instant now) {
    if (gang.phase != Phase.PLANNED
        || gang.headcount.neededBeside(gang.arrived.keySet()) > 0
        || !world.leaseCoversBurst(now)) {
      return;
    }
    for (var uid : List.copyOf(gang.arrived.keySet())) {
      checkOnceMore(gang, uid, now);
    }
    if (gang.phase != Phase.PLANNED || gang.headcount.neededBeside(gang.arrived.keySet()) > 0) {
      return;
    }
    gang.phase = Phase.BINDING;
    gang.speculative = false;
    gang.record.clear();
    gang.members.values().stream()
        .filter(gang::hasStarted)
        .filter(Pod::isBound)
        .forEach(pod -> enter(gang, pod, pod.progress().nodeName().orElseThrow()));
    gang.arrived.forEach(
        (uid, held) -> world.pod(uid).ifPresent(pod -> enter(gang, pod, held.node())));
    // From here on the record says who goes where; places of others are free again.
    reservations.freePlaces(gang, gang.record.keySet());
    writeRecord(gang);
  }

  static void enter(GangState gang, Pod pod, String node) {
    gang.record.put(pod.key().uid(), new Place(pod.key().name(), node));
  }

  void writeRecord(GangState gang) {
    gang.epoch++;
    gang.recordPending = true;
    gang.recordStored = false;
    var report = Reporter.report(gang, gang.id);
    var record = gang.toRecord(gang.id);
    gang.told.put(gang.id, new GangState.Told(record, report));
    world.emit(new Effect.WriteRecord(record, report));
  }

  private void checkOnceMore(GangState gang, String uid, Instant now) {
    var held = gang.arrived.get(uid);
    var pod = world.pod(uid);
    if (pod.isEmpty() || pod.get().isTerminal() || pod.get().isBound()) {
      reservations.answerHeld(gang, uid, "the pod has changed while its bind call waited");
      return;
    }
    var obstacle =
        world
            .inventory()
            .room(held.node())
            .map(room ->
                room.obstacle(pod.get().demand())
                    .or(() -> hasRoom(pod.get(), held) ? Optional.empty() : Optional.of(TAKEN)))
            .orElse(Optional.of("the node is gone"));
    if (obstacle.isPresent()) {
      world.chronicle().missed(PlanMiss.STALE);
      reservations.blame(gang, held.node(), now);
      if (!reservations.move(gang, pod.get(), Set.of(held.node()), now)) {
        reservations.abort(gang, now, held.node() + ": " + obstacle.get());
      }
    }
  }

  /** Pods of other schedulers, or devices that fail, may have taken the room meanwhile. */
  private boolean hasRoom(Pod pod, Held held) {
    return world.inventory().reserve(pod.key().uid(), held.node(), pod.demand().requests());
  }

  void recordWritten(GangState gang, long epoch, boolean stored, Instant now) {
    if (!gang.recordPending || epoch != gang.epoch) {
      return;
    }
    gang.recordPending = false;
    if (!stored) {
      gang.told.remove(gang.id);
      if (gang.repairSince.isEmpty()) {
        gang.record.keySet().forEach(world::releaseUnbound);
        gang.record.clear();
        reservations.abort(gang, now, "the record of the gang could not be stored");
      }
      return;
    }
    gang.recordStored = true;
    gang.burstStarted = now;
    for (var entry : gang.record.entrySet()) {
      world
          .pod(entry.getKey())
          .filter(pod -> !pod.isBound() && !gang.boundHere.contains(entry.getKey()))
          .filter(pod -> gang.arrived.containsKey(entry.getKey()))
          .ifPresent(pod -> send(gang, pod, entry.getValue().node(), now));
    }
  }

  void send(GangState gang, Pod pod, String node, Instant now) {
    gang.bindingSince.put(pod.key().uid(), now);
    world.emit(new Effect.Bind(gang.id, pod.key(), node, gang.incarnation));
  }

  void bindingEnded(GangState gang, Event.BindingEnded ended, Instant now) {
    var uid = ended.pod().uid();
    gang.bindingSince.remove(uid);
    switch (ended.outcome()) {
      case BindingOutcome.Bound _ -> {
        if (gang.members.containsKey(uid)) {
          gang.boundHere.add(uid);
        } else {
          world.release(uid);
        }
        answer(gang, uid, Optional.empty());
      }
      case BindingOutcome.Lost(String message) -> {
        gang.record.remove(uid);
        world.releaseUnbound(uid);
        answer(gang, uid, Optional.of("muster: " + message));
      }
      case BindingOutcome.Failed(String _) -> gang.retryAt.put(uid, now);
    }
    settle(gang, now);
  }

  /** Ends the burst when it has nothing more to send: satisfied, or to be repaired. */
  void settle(GangState gang, Instant now) {
    if (gang.satisfied
        || gang.recordPending
        || gang.undoing
        || (gang.phase != Phase.BINDING && gang.phase != Phase.BROKEN)
        || !gang.bindingSince.isEmpty()) {
      return;
    }
    if (gang.headcount.needed() > 0) {
      if (gang.repairSince.isEmpty()) {
        gang.repairSince = Optional.of(now);
      }
      return;
    }
    gang.satisfied = true;
    world.chronicle().started(gang, now);
    gang.phase = Phase.RUNNING;
    gang.repairSince = Optional.empty();
    gang.failures = 0;
    gang.verdict = Optional.empty();
    gang.trigger = Optional.empty();
    for (var uid : List.copyOf(gang.record.keySet())) {
      if (world.pod(uid).filter(gang::hasStarted).isEmpty()) {
        gang.record.remove(uid);
        world.releaseUnbound(uid);
      }
    }
    gang.retryAt.clear();
    for (var late : List.copyOf(gang.arrived.entrySet())) {
      gang.arrived.remove(late.getKey());
      world
          .pod(late.getKey())
          .ifPresentOrElse(
              pod ->
                  bind(
                      new BindCall(late.getValue().call(), pod.key(), late.getValue().node()), now),
              () ->
                  world.emit(
                      new AnswerBind(
                          late.getValue().call(), Optional.of("muster: the pod has gone"))));
    }
    releaseExtras(gang);
    world.planAgain();
  }

  /** From now on members beyond the minimum are gangs of one. */
  private void releaseExtras(GangState gang) {
    for (var pod : gang.candidates()) {
      if (pod.isGatedByMuster()) {
        world.emit(new Effect.Ungate(pod.key(), Optional.empty()));
      } else if (gang.refused.contains(pod.key().uid())) {
        world.refusedSingles().put(pod.key().uid(), pod);
      }
    }
    gang.refused.clear();
  }

  private void answer(GangState gang, String uid, Optional<String> error) {
    Optional.ofNullable(gang.arrived.remove(uid))
        .ifPresent(held -> world.emit(new AnswerBind(held.call(), error)));
  }

  private void refuse(BindCall call, String error) {
    world.emit(new AnswerBind(call.id(), Optional.of("muster: " + error)));
  }
}
