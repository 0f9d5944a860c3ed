package io.muster.extender.core.decision.permit;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.Reservations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.QueueEntry.Withheld;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What follows once it is known whether a gang has its NVLink domain and its PodGroup: its gates
 * are opened, or it waits, with a reason and for a while alone. Confined to the decision thread.
 */
public final class CompanionAnswers {

  private final ClusterState cluster;
  private final Reservations reservations;
  private final PermitBarrier barrier;

  public CompanionAnswers(ClusterState cluster, Reservations reservations, PermitBarrier barrier) {
    this.cluster = cluster;
    this.reservations = reservations;
    this.barrier = barrier;
  }

  /** An {@link Effect.EnsureCompanions} of the gang, or of one of its group, has ended. */
  public void ensured(GangState gang, Event.CompanionsEnsured answer, Instant now) {
    if (answer.incarnation() != gang.incarnation()) {
      return;
    }
    if (answer.obstacle().isPresent()) {
      gang.companions.failed(answer.gang());
      fail(gang, answer.obstacle().get(), now);
    } else {
      gang.companions.made(answer.gang());
      if (gang.phase() == Phase.PLANNED && gang.hasCompanions()) {
        for (var uid : List.copyOf(gang.reservation.uids())) {
          cluster.pod(uid).ifPresent(pod -> reservations.letGo(gang, pod));
        }
        barrier.openIfEnough(gang, now);
      } else if (gang.phase() == Phase.PLANNED) {
        // What was made is not what is needed by now.
        cluster.ensureCompanions(gang);
      } else if (gang.satisfied() && gang.hasCompanions()) {
        gang.candidates().stream()
            .filter(Pod::isGatedByMuster)
            .forEach(pod -> reservations.letGo(gang, pod));
      }
    }
    gang.activate();
    cluster.planAgain();
  }

  /** The PodGroup that Muster has made for the gang, or for one of its group, was deleted. */
  public void gone(GangState gang, GangId of) {
    gang.companions.gone(of);
    if (gang.phase() == Phase.PLANNED) {
      cluster.ensureCompanions(gang);
    }
    gang.activate();
  }

  private void fail(GangState gang, Event.CompanionsEnsured.Obstacle obstacle, Instant now) {
    if (gang.phase() == Phase.PLANNED) {
      reservations.abort(gang, now, obstacle.message());
    } else if (gang.isWaiting() || gang.satisfied()) {
      gang.setbacks.holdOff(now);
    } else {
      gang.setbacks.holdOffBurst(now);
    }
    if (gang.isWaiting()) {
      gang.entry.withheld(
          Optional.of(new Withheld(obstacle.reason(), obstacle.message(), obstacle.remedy())));
    }
  }

  /** Whether there are ComputeDomains has changed: gangs that claim some are sorted anew. */
  public void served(boolean served) {
    cluster.servesDomains(served);
    for (var gang : cluster.gangs().all()) {
      if (!gang.terms.claimingNvlink().isEmpty()) {
        gang.activate();
      }
    }
    cluster.planAgain();
  }

  /**
   * Has the domains go that nobody uses any more, since all members have ended; and made again what
   * those who join a gang that has started wait for, or those whom kube-scheduler is to bind.
   */
  public void advance(GangState gang, Instant now) {
    if ((gang.satisfied() || isReleased(gang))
        && !gang.hasCompanions()
        && !gang.setbacks.isHeldOff(now)
        && gang.candidates().stream().anyMatch(pod -> lacks(gang, pod))) {
      cluster.ensureCompanions(gang);
    }
    if (!gang.terms.claimingNvlink().isEmpty()
        && gang.members.all().stream().allMatch(Pod::isTerminal)
        && gang.companions.takeLeft()) {
      gang.terms.claimingNvlink().forEach(id -> cluster.emit(new Effect.DropCompanions(id)));
    }
  }

  private static boolean isReleased(GangState gang) {
    return (gang.phase() == Phase.BINDING || gang.phase() == Phase.BROKEN)
        && !gang.burst.isBeingUndone();
  }

  /** Whether the member cannot be bound before they are there. */
  private boolean lacks(GangState gang, Pod pod) {
    return (gang.satisfied() && pod.isGatedByMuster()) || cluster.mayBeBound(gang, pod);
  }
}
