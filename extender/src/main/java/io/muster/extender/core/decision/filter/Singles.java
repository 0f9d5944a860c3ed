package io.muster.extender.core.decision.filter;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.BackfillHolds;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Locations;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Effect.AnswerBind;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.queue.Refusal;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Binds at once what is a gang of one: pods without a gang, and members of a satisfied gang.
 * kube-scheduler has such a pod on the node already, so it wins over a gang's place there whose
 * member has not arrived; that place moves, or its gang gives up and waits.
 */
public final class Singles {

  /** So long a Binding that got no answer may take to be seen. */
  public static final Duration UNSEEN_FOR = Duration.ofSeconds(10);

  private final ClusterState cluster;
  private final Reservations reservations;
  private final NominatedRoom nominated;
  private final Map<String, BindCall> pending = new HashMap<>();

  /** Pods whose last Binding got no answer, which may have been carried out: until when. */
  private final Map<String, Instant> unanswered = new LinkedHashMap<>();

  public Singles(ClusterState cluster, Reservations reservations) {
    this.cluster = cluster;
    this.reservations = reservations;
    this.nominated = new NominatedRoom(cluster);
  }

  /** Binds a pod that Muster must not stand in the way of, whatever room was meant for others. */
  public void passThrough(BindCall call, Pod pod, Instant now) {
    var uid = pod.key().uid();
    var requests = pod.demand().requests();
    if (!reserve(call.node(), pod)) {
      makeWay(call.node(), pod, now);
      cluster.inventory().occupy(uid, call.node(), requests);
      cluster.backfillHolds().hold();
    }
    send(call, pod, Optional.empty());
  }

  public void bindNow(BindCall call, Pod pod, Optional<GangState> gang, Instant now) {
    var uid = pod.key().uid();
    var refused =
        isBinding(uid)
            ? Optional.<Refusal>empty()
            : cluster.queues().refusal(pod, nominated.held(pod));
    if (refused.isPresent()) {
      // Others that filter let pass before have taken what was left.
      cluster.releaseUnbound(uid);
      cluster.refusedSingles().put(uid, pod);
      cluster.emit(new AnswerBind(call.id(), refused.map(Filter::words)));
      return;
    }
    if (!reserve(call.node(), pod)) {
      makeWay(call.node(), pod, now);
      boolean hasRoom = reserve(call.node(), pod);
      cluster.backfillHolds().hold();
      if (!hasRoom) {
        cluster.emit(new AnswerBind(call.id(), Optional.of(Filter.NO_ROOM)));
        return;
      }
    }
    send(call, pod, gang);
  }

  private void send(BindCall call, Pod pod, Optional<GangState> gang) {
    var uid = pod.key().uid();
    var earlier = Optional.ofNullable(pending.put(uid, call));
    unanswered.remove(uid);
    cluster.queues().taken(pod);
    earlier.ifPresent(old ->
        cluster.emit(
            new AnswerBind(
                old.id(), Optional.of("muster: a newer call of this pod has replaced this one"))));
    cluster.emit(
        new Effect.Bind(
            gang.map(g -> g.id).orElseGet(() -> ofOne(pod)),
            pod.key(),
            call.node(),
            gang.map(g -> g.incarnation()).orElse(0L),
            pod.isControlled(),
            gang.map(g ->
                    new Locations(g, cluster.gangs(), cluster.inventory())
                        .of(pod, List.of(call.node())))
                .orElse(Effect.Location.UNTOLD)));
  }

  /** Whether a Binding of that pod is under way, or may have been carried out. */
  public boolean isBinding(String uid) {
    return pending.containsKey(uid)
        || (unanswered.containsKey(uid) && cluster.pod(uid).isPresent());
  }

  /** Whether all of the gang has gone, if Bindings that got no answer were not carried out. */
  public boolean mayBeAllThatIsLeft(GangState gang) {
    return gang.members.uids().stream().anyMatch(unanswered::containsKey)
        && gang.members.all().stream()
            .noneMatch(pod -> gang.members.hasStarted(pod) || pending.containsKey(pod.key().uid()));
  }

  /** Gives up on Bindings that got no answer and were not seen to be carried out. */
  public void advance(Instant now) {
    for (var entry : List.copyOf(unanswered.entrySet())) {
      if (!now.isBefore(entry.getValue())) {
        forget(entry.getKey());
      }
    }
  }

  private void forget(String uid) {
    unanswered.remove(uid);
    cluster.queues().settled(uid, false);
    cluster.releaseUnbound(uid);
  }

  /** Takes the end of a Binding in; false if it was not one of a single. */
  public boolean bindingEnded(Event.BindingEnded ended, Instant now) {
    var uid = ended.pod().uid();
    var call = Optional.ofNullable(pending.remove(uid));
    if (call.isEmpty()) {
      if (ended.outcome() instanceof BindingOutcome.Bound) {
        boundAfterAll(ended);
      }
      return false;
    }
    var error =
        switch (ended.outcome()) {
          case BindingOutcome.Bound _ -> Optional.<String>empty();
          case BindingOutcome.Lost(String message) -> Optional.of("muster: " + message);
          case BindingOutcome.Refused(String message) -> Optional.of("muster: " + message);
          case BindingOutcome.Unanswered(String message) -> Optional.of("muster: " + message);
        };
    if (error.isEmpty()) {
      // It counts as started from now on, though no watch has shown it on its node yet.
      cluster
          .pod(uid)
          .flatMap(cluster::knownGangOf)
          .filter(gang -> gang.members.include(uid))
          .ifPresent(gang -> gang.burst.bound(uid));
    }
    if (ended.outcome() instanceof BindingOutcome.Unanswered && cluster.pod(uid).isPresent()) {
      unanswered.put(uid, now.plus(UNSEEN_FOR));
    } else {
      cluster.queues().settled(uid, error.isEmpty());
      if (error.isPresent() || cluster.pod(uid).isEmpty()) {
        cluster.releaseUnbound(uid);
      }
    }
    cluster.emit(new AnswerBind(call.get().id(), error));
    return true;
  }

  /** By a Binding that a newer call had replaced, and that one was not carried out. */
  private void boundAfterAll(Event.BindingEnded ended) {
    cluster
        .pod(ended.pod().uid())
        .filter(pod -> !pod.isBound() && cluster.knownGangOf(pod).isEmpty())
        .ifPresent(pod -> {
          cluster.inventory().occupy(pod.key().uid(), ended.node(), pod.demand().requests());
          cluster.queues().taken(pod);
        });
  }

  private boolean reserve(String node, Pod pod) {
    var uid = pod.key().uid();
    var requests = pod.demand().requests();
    if (cluster.knownGangOf(pod).isPresent()) {
      return cluster.inventory().reserve(uid, node, requests);
    }
    boolean hasRoom =
        cluster
            .inventory()
            .roomWithout(uid, node)
            .filter(room -> room.hasListedRoomFor(requests))
            .isPresent();
    if (hasRoom) {
      cluster.inventory().occupy(uid, node, requests);
    }
    return hasRoom;
  }

  private void makeWay(String node, Pod pod, Instant now) {
    BackfillHolds.names(cluster.backfillHolds().openTo(pod)).stream()
        .filter(holder -> cluster.inventory().nodeOf(holder).equals(Optional.of(node)))
        .forEach(cluster.inventory()::setAside);
    nominated.take(pod, node, this::isBinding);
    for (var gang : cluster.gangs().active(planned -> planned.phase() == Phase.PLANNED)) {
      for (var open : List.copyOf(gang.deferred.places.values())) {
        if (open.node().equals(node) && !roomNow(node, pod)) {
          reservations.giveUp(gang, "room was needed for a pod that was there first");
        }
      }
      for (var place : gang.reservation.places().entrySet()) {
        var member = cluster.pod(place.getKey());
        if (place.getValue().equals(node)
            && member.isPresent()
            && !gang.heldCalls.isHeld(place.getKey())
            && gang.reservation.holds(place.getKey())
            && !roomNow(node, pod)
            && !reservations.move(gang, member.get(), Set.of(node), now)) {
          reservations.abort(gang, now, "a place was lost to a pod that was there first");
        }
      }
    }
  }

  private boolean roomNow(String node, Pod pod) {
    return cluster.inventory().hasListedRoomFor(node, pod.demand().requests());
  }

  private static GangId ofOne(Pod pod) {
    return new GangId(Dialect.MUSTER, pod.key().namespace(), pod.key().name());
  }
}
