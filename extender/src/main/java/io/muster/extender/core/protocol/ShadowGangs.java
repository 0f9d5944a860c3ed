package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Gangs of namespaces that only look on: recognised, counted and planned on paper, to tell what
 * would become of them. Their pods pass through as if Muster were not there: nothing of theirs is
 * reserved, held or ended, and a gate of ours comes off. A gang whose burst is under way when its
 * namespace steps back is brought to its end first. Confined to the decision thread.
 */
final class ShadowGangs {

  private static final Duration LOOKED_AT_APART = Duration.ofSeconds(5);

  private final World world;
  private final Reservations reservations;
  private final Set<String> namespaces = new HashSet<>();
  private final Map<GangId, GangState> gangs = new TreeMap<>();
  private final Map<GangId, Look> looks = new HashMap<>();
  private boolean released;

  /** The members and the room in which a gang was last looked at, and when. */
  private record Look(long members, long room, Instant at) {}

  ShadowGangs(World world, Reservations reservations) {
    this.world = world;
    this.reservations = reservations;
  }

  /** Whether Muster must not stand in this pod's way. */
  boolean covers(Pod pod) {
    return looksOn(pod.key().namespace()) && world.knownGangOf(pod).isEmpty();
  }

  private boolean looksOn(String namespace) {
    return released || namespaces.contains(namespace);
  }

  /** A namespace says how far it lets Muster in; empty: it has gone. */
  void enrolled(String namespace, Optional<Enrolment> enrolment, Instant now) {
    boolean changed =
        enrolment.equals(Optional.of(Enrolment.SHADOW))
            ? namespaces.add(namespace)
            : namespaces.remove(namespace);
    if (changed) {
      follow(now);
    }
  }

  /** Muster is to let go of the whole cluster, or to come back. */
  void released(boolean now, Instant at) {
    if (released != now) {
      released = now;
      follow(at);
    }
  }

  /** Gangs change sides with their namespaces. */
  private void follow(Instant now) {
    for (var gang : List.copyOf(gangs.values())) {
      if (!looksOn(gang.id.namespace())) {
        gangs.remove(gang.id);
        looks.remove(gang.id);
        var taken = world.gang(gang.id);
        inherit(gang, taken);
        gang.members.values().forEach(pod -> taken.memberSeen(pod, now));
        TakeUp.resume(world, taken, now);
      }
    }
    stepBack(now);
    world.planAgain();
  }

  private void stepBack(Instant now) {
    for (var gang : List.copyOf(world.gangs().values())) {
      if (looksOn(gang.id.namespace()) && !isMidBurst(gang)) {
        reservations.release(gang, "the namespace only looks on now");
        world.gangs().remove(gang.id);
        inherit(gang, gangs.computeIfAbsent(gang.id, GangState::new));
        gang.members.values().forEach(pod -> seen(pod, now));
        gang.refused.stream().flatMap(uid -> world.pod(uid).stream()).forEach(this::wake);
      }
    }
    List.copyOf(world.refusedSingles().values()).stream()
        .filter(this::covers)
        .forEach(pod -> {
          world.refusedSingles().remove(pod.key().uid());
          wake(pod);
        });
  }

  /** It is the same life of the gang on the other side; its members follow one by one. */
  private static void inherit(GangState from, GangState to) {
    to.goOn(from.toRecord(from.id));
    to.emptySince = from.emptySince;
    to.told.putAll(from.told);
  }

  private void wake(Pod pod) {
    if (!pod.isBound() && !pod.isGated()) {
      world.wake(pod.key());
    }
  }

  private static boolean isMidBurst(GangState gang) {
    return gang.phase == Phase.BINDING || (gang.phase == Phase.BROKEN && !gang.satisfied);
  }

  /** A record of an earlier life; true if nothing of it is left to be brought to an end. */
  boolean takes(GangRecord found, Instant now) {
    boolean isMidBurst = found.phase() == Phase.BINDING || found.phase() == Phase.BROKEN;
    if (!looksOn(found.gang().namespace()) || (isMidBurst && !found.satisfied())) {
      return false;
    }
    var gang = gangs.computeIfAbsent(found.gang(), GangState::new);
    gang.goOn(found);
    gang.emptySince = now;
    return true;
  }

  void seen(Pod pod, Instant now) {
    if (pod.isGatedByMuster()) {
      world.emit(new Effect.Ungate(pod.key(), Optional.empty()));
    }
    World.unitOf(pod)
        .ifPresent(id -> gangs.computeIfAbsent(id, GangState::new).memberSeen(pod, now));
  }

  void gone(Pod pod, Instant now) {
    World.unitOf(pod)
        .flatMap(id -> Optional.ofNullable(gangs.get(id)))
        .ifPresent(gang -> gang.memberGone(pod.key().uid(), now));
  }

  void advance(Instant now) {
    if (released || !namespaces.isEmpty()) {
      stepBack(now);
    }
    for (var gang : List.copyOf(gangs.values())) {
      gang.recovering = false;
      if (gang.isForgotten(now)) {
        gangs.remove(gang.id);
        looks.remove(gang.id);
        gang.terms.gangs().forEach(id -> world.emit(new Effect.Forget(id)));
      } else if (isDue(gang, now)) {
        tell(gang, now);
      }
    }
  }

  private boolean isDue(GangState gang, Instant now) {
    var room = world.inventory().generation();
    var last = looks.get(gang.id);
    if (last != null
        && ((last.members() == gang.version && last.room() == room)
            || now.isBefore(last.at().plus(LOOKED_AT_APART)))) {
      return false;
    }
    looks.put(gang.id, new Look(gang.version, room, now));
    return !gang.members.isEmpty();
  }

  private void tell(GangState gang, Instant now) {
    var message = outlook(gang, now);
    for (var id : gang.terms.stating().isEmpty() ? Set.of(gang.id) : gang.terms.stating()) {
      var plain = Reporter.report(gang, id);
      var report =
          new GangReport(
              gang.phase, plain.members(), plain.bound(), Reason.SHADOW, "shadow: " + message, "");
      var told = new GangState.Told(gang.toRecord(id), report);
      if (!Objects.equals(gang.told.put(id, told), told)) {
        world.emit(new Effect.WriteReport(told.record(), told.report()));
      }
    }
  }

  /** What has become of the gang without Muster, or would become of it now with it. */
  private String outlook(GangState gang, Instant now) {
    gang.phase = Phase.WAITING;
    if (!gang.hasLiveMember()) {
      gang.phase = Phase.FINISHED;
      return "all members have ended or are ending";
    }
    int bound = gang.bound();
    if (gang.terms.quorum().isPresent() && gang.headcount.needed() == 0) {
      gang.phase = Phase.RUNNING;
      return "%d of at least %d members bound, by kube-scheduler alone"
          .formatted(bound, gang.terms.minAvailable());
    }
    gang.verdict = Optional.empty();
    gang.trigger = Optional.empty();
    boolean fits = gang.headcount.isComplete() && reservations.explain(gang, now);
    if (fits && bound == 0) {
      return "would start now, there is room for %d members together"
          .formatted(gang.terms.minAvailable());
    }
    return bound > 0
        ? "%d of at least %d members were bound without the others; with Muster none would be"
            .formatted(bound, gang.terms.minAvailable())
        : "would wait: " + Reporter.waitingMessage(gang);
  }
}
