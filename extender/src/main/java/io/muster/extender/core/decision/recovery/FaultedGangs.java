package io.muster.extender.core.decision.recovery;

import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Leaves gangs alone that have met a fault of Muster's own: each for a while ({@code Quarantine}),
 * and it gives back its places if nothing of it is bound. Confined to the decision thread.
 */
public final class FaultedGangs {

  private final ClusterState cluster;
  private final Reservations reservations;

  public FaultedGangs(ClusterState cluster, Reservations reservations) {
    this.cluster = cluster;
    this.reservations = reservations;
  }

  /** Leaves those alone that have met a fault since the last time; to be called last. */
  public void settle(Instant now) {
    for (var faults = cluster.faults().takeBlamed();
        !faults.isEmpty();
        faults = cluster.faults().takeBlamed()) {
      faults.forEach((gang, fault) -> {
        if (gang.quarantine.begin(now, fault)) {
          gang.activate();
          giveBack(gang, now);
        }
      });
    }
  }

  private void giveBack(GangState gang, Instant now) {
    if (!isUndecided(gang, now)) {
      return;
    }
    var held = holdersOf(gang);
    boolean isDone =
        cluster
            .faults()
            .passes(
                "release",
                () -> {
                  gang.record.uids().forEach(cluster::releaseUnbound);
                  gang.record.clear();
                  gang.burst.endRepair();
                  reservations.abort(gang, now, gang.quarantine.sentence());
                });
    if (!isDone) {
      // Whatever it is that cannot be worked out, its room is not to be lost with it.
      held.forEach(holder -> cluster.faults().run("release", () -> cluster.releaseUnbound(holder)));
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
  private boolean isUndecided(GangState gang, Instant now) {
    return switch (gang.phase()) {
      case PLANNED -> true;
      case BINDING ->
          cluster.isAsked()
              && !gang.record.isPending()
              && !gang.burst.mayBind(now)
              && gang.burst.bound().isEmpty()
              && gang.members.started() == 0;
      case WAITING, RUNNING, BROKEN, FINISHED -> false;
    };
  }
}
