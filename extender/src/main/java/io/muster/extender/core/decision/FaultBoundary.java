package io.muster.extender.core.decision;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Keeps a fault of Muster's own within the one step in which it happens: it is told, as {@link
 * Effect.Fault}, what was decided before it goes out, and what comes after it is done. A gang whose
 * step it was is left alone for a while ({@link Quarantine}) and gives back its places if nothing
 * of it is bound. Confined to the decision thread.
 */
final class FaultBoundary {

  private final Consumer<Effect> told;

  /** Gangs with a fault that are not left alone yet, and the first fault of each. */
  private final Map<GangState, Throwable> blamed = new LinkedHashMap<>();

  /**
   * @param told takes what has happened
   */
  FaultBoundary(Consumer<Effect> told) {
    this.told = told;
  }

  /** Does the step. */
  void run(String step, Runnable work) {
    var _ = passes(step, work);
  }

  /** Does the step of one gang. */
  void run(String step, GangState gang, Runnable work) {
    var _ = ask(step, Optional.of(gang), claimed(work));
  }

  /** Does the step and tells whether it came to its end. */
  boolean passes(String step, Runnable work) {
    return ask(step, Optional.empty(), claimed(work));
  }

  /** What comes out of the step of one gang; no, where it has a fault. */
  boolean ask(String step, GangState gang, BooleanSupplier work) {
    return ask(step, Optional.of(gang), work);
  }

  private static BooleanSupplier claimed(Runnable work) {
    return () -> {
      work.run();
      return true;
    };
  }

  private boolean ask(String step, Optional<GangState> gang, BooleanSupplier work) {
    try {
      return work.getAsBoolean();
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      note(step, gang, e);
      return false;
    }
  }

  /** A step, of that gang if it was one's, has met a fault. */
  void note(String step, Optional<GangState> gang, Throwable fault) {
    Optional<GangId> id = gang.map(blame -> blame.id);
    told.accept(new Effect.Fault(step, id, fault));
    gang.ifPresent(blame -> blamed.putIfAbsent(blame, fault));
  }

  /** The same where whoever asked is told of it by himself. */
  void blame(GangState gang, Throwable fault) {
    blamed.putIfAbsent(gang, fault);
  }

  /** Leaves those alone that have met a fault since the last time; to be called last. */
  void settle(Reservations reservations, ClusterState cluster, Instant now) {
    while (!blamed.isEmpty()) {
      var faults = new LinkedHashMap<>(blamed);
      blamed.clear();
      faults.forEach((gang, fault) -> {
        if (gang.quarantine.begin(now, fault)) {
          gang.activate();
          giveBack(gang, reservations, cluster, now);
        }
      });
    }
  }

  private void giveBack(
      GangState gang, Reservations reservations, ClusterState cluster, Instant now) {
    if (!isUndecided(gang, cluster)) {
      return;
    }
    var held = holdersOf(gang);
    boolean isDone =
        passes(
            "release",
            () -> {
              gang.record.uids().forEach(cluster::releaseUnbound);
              gang.record.clear();
              gang.burst.endRepair();
              reservations.abort(gang, now, gang.quarantine.sentence());
            });
    if (!isDone) {
      // Whatever it is that cannot be worked out, its room is not to be lost with it.
      held.forEach(holder -> run("release", () -> cluster.releaseUnbound(holder)));
      gang.reservation.clear();
      gang.enter(Phase.WAITING);
      cluster.planAgain();
    }
  }

  private static List<String> holdersOf(GangState gang) {
    var holders = new ArrayList<>(gang.reservation.uids());
    holders.addAll(gang.record.uids());
    gang.reservation.open().forEach(open -> holders.add(open.holder()));
    return holders;
  }

  /** Whether it holds places, and none of its members may be on its way to one. */
  private static boolean isUndecided(GangState gang, ClusterState cluster) {
    return switch (gang.phase) {
      case PLANNED -> true;
      case BINDING ->
          cluster.isAsked()
              && !gang.record.isPending()
              && !gang.burst.isAnyUnderWay()
              && gang.burst.bound().isEmpty()
              && gang.bound() == 0;
      case WAITING, RUNNING, BROKEN, FINISHED -> false;
    };
  }
}
