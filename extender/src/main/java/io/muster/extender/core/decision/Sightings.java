package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Milestones.PlanMiss;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What follows for gangs where a pod or a node has changed or gone. Confined to the decision
 * thread.
 */
final class Sightings {

  private final World world;
  private final Reservations reservations;
  private final LaterRoom later;
  private final Rejections rejections;
  private final Departures departures;
  private final Losses losses;
  private final ShadowGangs shadow;
  private final ObservedGangs observed;
  private final Barrier barrier;

  /** What members are placed by, and what is done about those that are lost. */
  record Parts(
      Reservations reservations,
      LaterRoom later,
      Rejections rejections,
      Departures departures,
      Losses losses,
      Barrier barrier) {}

  Sightings(World world, Parts parts, ShadowGangs shadow, ObservedGangs observed) {
    this.world = world;
    this.reservations = parts.reservations();
    this.later = parts.later();
    this.rejections = parts.rejections();
    this.departures = parts.departures();
    this.losses = parts.losses();
    this.barrier = parts.barrier();
    this.shadow = shadow;
    this.observed = observed;
  }

  void podSeen(Pod seen, Instant now) {
    var pod = world.objects().seen(seen);
    var uid = pod.key().uid();
    world.seen(pod);
    if (pod.isGatedByMuster()) {
      world.noteAsking(pod.origin().schedulerName());
    }
    boolean leaves = pod.isTerminal() && world.inventory().nodeOf(uid).isPresent();
    if (pod.isTerminal()) {
      world.release(uid);
    } else if (pod.isBound()) {
      world
          .inventory()
          .occupy(uid, pod.progress().nodeName().orElseThrow(), pod.demand().requests());
    }
    world.queues().seen(pod);
    observed.seen(pod, now);
    if (shadow.covers(pod)) {
      shadow.seen(pod, now);
    } else {
      if (pod.isGatedByMuster() && pod.membership().isEmpty()) {
        world.emit(new Effect.Ungate(pod.key(), Optional.empty()));
      }
      world.gangOf(pod).ifPresent(gang -> memberSeen(gang, pod, now));
      if (leaves && pod.progress().phase() == Pod.Phase.SUCCEEDED) {
        world.knownGangOf(pod).ifPresent(gang -> departures.left(gang, pod, now));
      }
    }
  }

  private void memberSeen(GangState gang, Pod pod, Instant now) {
    var uid = pod.key().uid();
    var before = Optional.ofNullable(gang.members.get(uid)).map(Pod::progress);
    int comeLater = gang.terms.later().size();
    gang.memberSeen(pod, now);
    if (gang.phase == Phase.PLANNED
        && gang.terms.later().size() != comeLater
        && gang.headcount.neededBeside(gang.places.keySet()) > 0) {
      reservations.giveUp(gang, "one that has a place turns out to come later than the others");
    }
    if (!world.isReady() || before.filter(pod.progress()::equals).isPresent()) {
      return;
    }
    if (gang.hasSucceeded()) {
      world.queues().ended(gang, now);
    }
    UnmarkedMembers.note(world, gang, pod, now);
    if (pod.progress().deleting() || pod.isTerminal()) {
      memberLost(gang, uid, "member " + pod.key() + " has gone", now);
      if (pod.progress().phase() == Pod.Phase.FAILED && pod.isBound()) {
        losses.lost(gang, pod, now);
        losses.advance(gang, now);
      }
    } else if (gang.satisfied) {
      boolean isSeated = later.seat(gang, pod, now) || losses.seat(gang, pod, now);
      losses.reassemble(gang);
      if (!isSeated && pod.isGatedByMuster() && gang.satisfied && !gang.restartDue) {
        world.ungate(gang, pod, Optional.empty());
      }
    } else if (gang.phase == Phase.PLANNED && pod.isBound()) {
      // Bound past Muster: it is where it is, and not at its place.
      gang.places.remove(uid);
    } else if (gang.phase == Phase.PLANNED) {
      leaveUnsuitable(gang, pod, now);
      rejections.seen(gang, pod, before, now);
    }
    if (!world.isAsked() && pod.isBound()) {
      barrier.settle(gang, now);
    }
    world.planAgain();
  }

  void podGone(PodKey pod, Instant now) {
    var known = world.pod(pod.uid());
    world.noteGone(pod.uid(), now);
    world.refusedSingles().remove(pod.uid());
    world.release(pod.uid());
    world.queues().gone(pod.uid());
    known.ifPresent(last -> shadow.gone(last, now));
    known.ifPresent(last -> observed.gone(last, now));
    known
        .flatMap(world::knownGangOf)
        .ifPresent(gang -> {
          known
              .filter(last -> last.isBound() && !last.isTerminal())
              .ifPresent(last -> losses.lost(gang, last, now));
          gang.memberGone(pod.uid(), now);
          if (gang.hasSucceeded()) {
            world.queues().ended(gang, now);
          }
          memberLost(gang, pod.uid(), "member " + pod + " has gone", now);
          losses.advance(gang, now);
          known
              .filter(last -> last.isBound() && !last.isTerminal() && !gang.hasLiveMember())
              .ifPresent(last -> departures.left(gang, last, now));
          departures.advance(gang, now);
          world.planAgain();
        });
  }

  /**
   * Gives up pods that only a call has named, and that no watch has shown since; not those that are
   * on their way to a node.
   */
  void giveUpHearsay(Instant now) {
    for (var pod : world.hearsay().overdue(now)) {
      var gang = world.pod(pod.uid()).flatMap(world::knownGangOf);
      boolean isOnItsWay =
          gang.isPresent()
              ? isCommitted(gang.get(), pod.uid())
              : world.inventory().nodeOf(pod.uid()).isPresent();
      if (!isOnItsWay) {
        podGone(pod, now);
        world.hearsay().giveUp(pod.uid(), now);
      }
    }
  }

  private static boolean isCommitted(GangState gang, String uid) {
    return gang.arrived.containsKey(uid)
        || gang.record.containsKey(uid)
        || gang.bindingSince.containsKey(uid)
        || gang.boundHere.contains(uid);
  }

  /** Before the record a lost member's place goes to another, or the gang gives up at once. */
  private void memberLost(GangState gang, String uid, String why, Instant now) {
    reservations.answerHeld(gang, uid, why);
    gang.refused.remove(uid);
    if (gang.phase != Phase.PLANNED) {
      return;
    }
    if (gang.places.remove(uid) != null) {
      world.releaseUnbound(uid);
    }
    // One that had started may have counted for the plan of the others.
    reservations.refill(gang, now, why);
  }

  void nodeChanged(String name, Instant now) {
    world.planAgain();
    if (!world.isReady()) {
      return;
    }
    world
        .gangs()
        .active(gang -> gang.phase == Phase.PLANNED)
        .forEach(gang -> world.faults().run("node", gang, () -> leaveNode(gang, name, now)));
  }

  /** A volume that has been bound meanwhile may be elsewhere. */
  private void leaveUnsuitable(GangState gang, Pod pod, Instant now) {
    Optional.ofNullable(gang.places.get(pod.key().uid()))
        .filter(node -> !world.inventory().isOpenTo(node, pod.demand()))
        .ifPresent(node -> leaveNode(gang, node, now));
  }

  private void leaveNode(GangState gang, String node, Instant now) {
    for (var place : Map.copyOf(gang.places).entrySet()) {
      var pod = world.pod(place.getKey());
      if (place.getValue().equals(node)
          && gang.places.containsKey(place.getKey())
          && pod.isPresent()
          && !world.inventory().isOpenTo(node, pod.get().demand())) {
        world.chronicle().missed(PlanMiss.STALE);
        if (reservations.move(gang, pod.get(), Set.of(node), now)) {
          reservations.letGo(gang, pod.get());
        } else {
          reservations.abort(gang, now, "node " + node + " can no longer be used");
        }
      }
    }
    if (!later.leave(gang, node, now)) {
      reservations.abort(gang, now, "node " + node + " can no longer be used");
    }
  }
}
