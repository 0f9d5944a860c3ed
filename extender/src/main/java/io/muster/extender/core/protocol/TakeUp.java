package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Takes a gang up where an earlier life of Muster left it, from its record and its pods alone.
 * Places of a recorded burst stay reserved; a reservation without a record is gone, nothing of it
 * was bound.
 */
final class TakeUp {

  private TakeUp() {}

  static void resume(World world, GangState gang, Instant now) {
    gang.recovering = false;
    if (!gang.hasLiveMember()) {
      if (gang.members.isEmpty()) {
        gang.emptySince = now;
      }
      return;
    }
    if (isAnotherLife(gang)) {
      gang.beginIncarnation();
      List.copyOf(gang.members.values()).forEach(pod -> gang.memberSeen(pod, now));
    }
    boolean burstWasOpen = gang.phase == Phase.BINDING || gang.phase == Phase.BROKEN;
    if (gang.satisfied) {
      gang.phase = Phase.RUNNING;
    } else if (gang.bound() >= gang.minAvailable()) {
      gang.satisfied = true;
      gang.phase = Phase.RUNNING;
    } else if ((burstWasOpen && !gang.record.isEmpty()) || gang.bound() > 0) {
      resumeBurst(world, gang, now);
    } else {
      gang.phase = Phase.WAITING;
      gang.record.clear();
      gang.live().stream()
          .filter(pod -> !pod.isGated())
          .forEach(pod -> gang.refused.add(pod.key().uid()));
    }
    if (gang.satisfied) {
      gang.candidates().stream()
          .filter(Pod::isGatedByMuster)
          .forEach(pod -> world.emit(new Effect.Ungate(pod.key())));
    }
  }

  /** Whether none of the members recorded is left, so that these are of a later life. */
  private static boolean isAnotherLife(GangState gang) {
    return !gang.record.isEmpty()
        && gang.live().stream().noneMatch(pod -> gang.record.containsKey(pod.key().uid()))
        && gang.members.values().stream()
            .noneMatch(pod -> gang.record.containsKey(pod.key().uid()));
  }

  private static void resumeBurst(World world, GangState gang, Instant now) {
    gang.phase = Phase.BINDING;
    gang.recordStored = !gang.record.isEmpty();
    gang.repairSince = Optional.of(now);
    gang.burstStarted = Instant.EPOCH;
    for (var entry : Map.copyOf(gang.record).entrySet()) {
      Optional.ofNullable(gang.members.get(entry.getKey()))
          .filter(pod -> !pod.isBound() && !pod.isTerminal())
          .ifPresent(
              pod ->
                  world
                      .inventory()
                      .reserve(entry.getKey(), entry.getValue().node(), pod.demand().requests()));
    }
  }
}
