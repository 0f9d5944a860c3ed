package io.muster.extender.core.decision;

import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Ends what has lasted too long before a gang has started, each by its own deadline: bind calls
 * that are held, and reservations. Confined to the decision thread.
 */
final class Expiry {

  private final World world;
  private final Reservations reservations;
  private final Barrier barrier;

  Expiry(World world, Reservations reservations, Barrier barrier) {
    this.world = world;
    this.reservations = reservations;
    this.barrier = barrier;
  }

  void advance(GangState gang, Instant now) {
    var deadlines = world.deadlines();
    if (gang.phase == Phase.PLANNED) {
      for (var held : Map.copyOf(gang.arrived).entrySet()) {
        if (now.isAfter(held.getValue().since().plus(deadlines.hold()))) {
          reservations.answerHeld(
              gang, held.getKey(), "the other members have not arrived yet; try again");
        }
      }
      if (isOver(gang, now)) {
        reservations.abort(gang, now, "members did not arrive at their places in time");
      }
      barrier.openIfEnough(gang, now);
    } else if ((gang.phase == Phase.BINDING || gang.phase == Phase.BROKEN)
        && !gang.recordPending
        && now.isAfter(gang.burstStarted.plus(deadlines.burst()))) {
      for (var uid : List.copyOf(gang.arrived.keySet())) {
        reservations.answerHeld(gang, uid, "the Binding is still being tried; try again");
      }
    }
  }

  /** Volumes may take minutes to be made, in which no member arrives anywhere. */
  private boolean isOver(GangState gang, Instant now) {
    var deadlines = world.deadlines();
    return gang.awaitsVolumes
        ? now.isAfter(gang.reservedAt.plus(deadlines.volume()))
        : now.isAfter(gang.lastProgress.plus(deadlines.gangStall()))
            || now.isAfter(gang.reservedAt.plus(deadlines.gangTotal()));
  }
}
