package io.muster.extender.core.decision;

import io.muster.extender.core.cluster.Pin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.Birth;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Instant;
import java.util.Optional;

/**
 * Gives members their places before they are stored: the first one has its whole gang planned, the
 * others take the places kept for them. A place that was handed out and is not seen as a pod within
 * {@code assembly} is handed out again; nothing but the reservation, which ends by itself, is left
 * of a pod that never comes.
 */
final class Births {

  private static final Birth FREE = new Birth.Free();
  private static final Birth GATED = new Birth.Gated();

  private final World world;
  private final Reservations reservations;
  private final OpenPlaces openPlaces;
  private final LaterRoom later;

  Births(World world, Reservations reservations, OpenPlaces openPlaces, LaterRoom later) {
    this.world = world;
    this.reservations = reservations;
    this.openPlaces = openPlaces;
    this.later = later;
  }

  /** Decides about a member that has neither uid nor, where it is generated, a name yet. */
  Birth of(Pod pod, Instant now) {
    var membership = pod.membership();
    if (membership.isEmpty() || !mayStart(membership.get().terms())) {
      return FREE;
    }
    var gang = world.gangOf(pod).orElseThrow();
    gang.expect(pod, now);
    if (!world.isAsked() && (!gang.satisfied || gang.restartDue)) {
      return GATED;
    }
    boolean mayBeTied = world.pins() && pod.origin().pinning().allowed();
    if (gang.later.includes(pod)) {
      return mayBeTied && gang.satisfied
          ? later.pin(gang, pod).<Birth>map(Birth.Placed::new).orElse(FREE)
          : unplaced(gang);
    }
    boolean isBeingBound = gang.phase == Phase.BINDING || gang.phase == Phase.BROKEN;
    if (gang.satisfied ? gang.openPlaces.isEmpty() : isBeingBound) {
      return FREE;
    }
    if (!gang.isReserved() && !startsNow(gang, pod, now)) {
      return GATED;
    }
    gang.lastProgress = now;
    return mayBeTied ? handOut(gang, pod, now).<Birth>map(Birth.Placed::new).orElse(FREE) : FREE;
  }

  /** Under terms that are known, or will be once their object is there. */
  private static boolean mayStart(Terms terms) {
    return switch (terms) {
      case Terms.Usable _, Terms.InObject _ -> true;
      case Terms.Unusable _, Terms.Unplaceable _ -> false;
    };
  }

  /** Such a pod waits for its gang, and then takes the room that is kept when it is seen. */
  private static Birth unplaced(GangState gang) {
    return gang.isWaiting() ? GATED : FREE;
  }

  /** One gang incarnation is planned before all its members are there, and not after a failure. */
  private boolean startsNow(GangState gang, Pod pod, Instant now) {
    return !gang.speculated
        && gang.terms.quorum().isPresent()
        && gang.isOfGroup(pod)
        && !now.isBefore(gang.holdOffUntil)
        && reservations.plan(gang, pod, now);
  }

  private Optional<Pin> handOut(GangState gang, Pod pod, Instant now) {
    var known = pod.origin().pinning().pin();
    var again =
        gang.openPlaces.stream()
            .flatMap(open -> open.pin().stream())
            .filter(pin -> known.filter(pin::equals).isPresent())
            .findFirst();
    return again.isPresent() ? again : openPlaces.handOut(gang, pod, now);
  }
}
