package io.muster.extender.core.decision.recovery;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.member.Members;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Recovery.TakenUp;
import io.muster.extender.core.gang.Terms.OnLoss;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Takes a gang up where an earlier life of Muster left it, from its record and its pods alone.
 * Places of a recorded burst stay reserved; those of a reservation without a record, of which
 * nothing was bound, are given back by {@code SchedulingCycle.restore}.
 */
public final class GangRecovery {

  private static final Duration WORTH_KEEPING = Duration.ofMinutes(10);

  private static final Pattern INCARNATION = Pattern.compile("[0-9]{1,15}");

  private GangRecovery() {}

  public static void resume(ClusterState cluster, GangState gang, Instant now) {
    if (gang.recovery.isUnderWay() && !gang.satisfied()) {
      // What ran before Muster had ever seen its gang is left as it is.
      gang.members.all().forEach(pod -> BypassedMembers.note(cluster, gang, pod, now));
    }
    boolean isUnrecorded = !gang.recovery.isUnderWay();
    gang.recovery.end();
    if (gang.recovery.wasEnding()) {
      goOnEnding(gang);
    }
    if (!gang.members.isAnyLive()) {
      leaveOver(gang, now);
      return;
    }
    if (isAnotherLife(gang)) {
      gang.startAgain(now);
      gang.members.all().forEach(pod -> BypassedMembers.note(cluster, gang, pod, now));
    }
    gang.recovery.takeUp(new TakenUp(now, isUnrecorded, Set.copyOf(gang.record.uids())));
    if (isUnrecorded) {
      goOnFromStamps(gang);
    }
    gang.members.takeUp();
    boolean isOpen = isUnrecorded || gang.phase() == Phase.BINDING || gang.phase() == Phase.BROKEN;
    gang.members.noteRanBefore(
        pod -> !gang.satisfied() && (!isOpen || (!isUnrecorded && isBeside(gang, pod))));
    if (gang.satisfied()) {
      gang.enter(Phase.RUNNING);
      if (gang.counts.isBelow() && gang.terms.onLoss() != OnLoss.OWNER) {
        gang.losses.since(now);
      }
    } else if (gang.counts.needed() == 0) {
      gang.satisfy();
      gang.record.enter(gang.members.onNodes());
      gang.enter(Phase.RUNNING);
    } else if (isOpen && !(gang.record.isEmpty() && gang.members.onlyUnmarkedStarted())) {
      if (isUnrecorded && hadStarted(cluster, gang, now)) {
        declareStarted(gang, now);
      } else {
        resumeBurst(cluster, gang, now);
      }
    } else {
      // Who runs though it waits has come to it otherwise than by a burst, and nothing ends there.
      gang.recovery.takeUp(TakenUp.NOT);
      gang.enter(Phase.WAITING);
      gang.record.clear();
      gang.members.live().stream()
          .filter(pod -> !pod.isGated())
          .forEach(pod -> gang.refused.add(pod.key().uid()));
    }
  }

  /** Whether no burst of the gang can have bound it: none does before the member is recorded. */
  private static boolean isBeside(GangState gang, Pod pod) {
    return gang.members.isPlaced(pod) && !gang.record.names(pod.key().uid());
  }

  /** Members that were to end so that it starts again, and of which some have not heard it. */
  private static void goOnEnding(GangState gang) {
    gang.members.live().stream()
        .filter(pod -> pod.isMadeAnew() && !pod.isGated() && gang.members.isPlacedBefore(pod))
        .forEach(pod -> gang.ending.add(pod.key().uid()));
    gang.changed();
  }

  /** Nobody is left of it. A burst has ended with its members: who comes now waits. */
  private static void leaveOver(GangState gang, Instant now) {
    if (gang.members.isEmpty() && gang.arrivals.emptySince().isAfter(now)) {
      gang.arrivals.empty(now);
    }
    boolean wasBinding = gang.phase() == Phase.BINDING;
    if (wasBinding || (!gang.satisfied() && gang.phase() != Phase.FINISHED)) {
      gang.enter(Phase.WAITING);
      if (!gang.members.isEmpty()) {
        gang.record.clear();
      }
    }
  }

  /** Where nothing is stored, members still say for which incarnation they were bound. */
  private static void goOnFromStamps(GangState gang) {
    gang.members.all().stream()
        .flatMap(pod -> pod.origin().placement().stream())
        .filter(stamp -> INCARNATION.matcher(stamp).matches())
        .mapToLong(Long::parseLong)
        .max()
        .ifPresent(latest -> gang.goOnWith(latest));
  }

  /**
   * Whether a gang whose burst seems to have been cut off had started after all. Where nothing is
   * stored of it: a member that Muster bound has run for longer than any burst and its repair take.
   * Where a recorded member is gone nobody knows whether it had started. Then the others go on if
   * what becomes of them after a loss is not Muster's to decide, none of them is unbound, and they
   * had run for so long before this life of Muster that to start again would cost them more than
   * half a gang costs everybody.
   */
  public static boolean hadStarted(ClusterState cluster, GangState gang, Instant now) {
    var recorded = gang.recovery.takenUp().recorded();
    if (gang.recovery.takenUp().isUnrecorded()) {
      return hasRun(
          cluster, gang, cluster.deadlines().burst().plus(cluster.deadlines().repair()), now);
    }
    boolean isLeftAlone =
        gang.terms.onLoss() == OnLoss.OWNER || gang.terms.onLoss() == OnLoss.SHRINK;
    return isLeftAlone
        && hasRun(cluster, gang, WORTH_KEEPING, gang.recovery.takenUp().at())
        && gang.members.live().stream()
            .filter(pod -> recorded.contains(pod.key().uid()))
            .allMatch(gang.members::hasStarted);
  }

  /** Whether a member that Muster bound had run for longer than that by then. */
  private static boolean hasRun(ClusterState cluster, GangState gang, Duration time, Instant then) {
    return gang.members.live().stream()
        .filter(pod -> pod.isBound() && pod.origin().placement().isPresent())
        .filter(pod -> !gang.members.hasRunBefore(pod))
        .flatMap(pod -> pod.progress().startedAt().stream())
        .map(cluster.timeOfDay()::latest)
        .anyMatch(started -> started.plus(time).isBefore(then));
  }

  /** It runs; what it has lost is a loss after the start. */
  public static void declareStarted(GangState gang, Instant now) {
    gang.satisfy();
    gang.record.enter(gang.members.onNodes());
    gang.burst.endUndoing();
    gang.burst.endRepair();
    gang.enter(Phase.RUNNING);
    if (gang.counts.isBelow() && gang.terms.onLoss() != OnLoss.OWNER) {
      gang.losses.since(now);
    }
  }

  /**
   * Whether the members that live now were never recorded: they are of a later life, unless one was
   * bound after the start of this one, or let go for it, or they replace failed siblings of
   * recorded ones that have succeeded for the same owner.
   */
  private static boolean isAnotherLife(GangState gang) {
    var recorded = gang.record.uids();
    var stamp = Optional.of(Long.toString(gang.incarnation()));
    var live = gang.members.live();
    return !recorded.isEmpty()
        && live.stream().noneMatch(pod -> recorded.contains(pod.key().uid()))
        && live.stream().noneMatch(pod -> pod.origin().placement().equals(stamp))
        && gang.members.all().stream()
            .filter(pod -> recorded.contains(pod.key().uid()))
            .noneMatch(old -> live.stream().anyMatch(pod -> Members.hasSucceededFor(pod, old)));
  }

  private static void resumeBurst(ClusterState cluster, GangState gang, Instant now) {
    gang.enter(Phase.BINDING);
    if (cluster.followsAnother()) {
      // Its last Bindings may be under way; then the record is taken over by an epoch of our own.
      gang.record.distrust();
      gang.burst.takeUp(now.plus(cluster.deadlines().burst()));
    } else {
      gang.record.trust();
      gang.burst.takeUp(now);
    }
    for (var entry : Map.copyOf(gang.record.places()).entrySet()) {
      gang.members
          .find(entry.getKey())
          .filter(pod -> !pod.isBound() && !pod.isTerminal())
          .ifPresent(pod ->
              cluster
                  .inventory()
                  .reserve(entry.getKey(), entry.getValue().node(), pod.demand().requests()));
    }
  }
}
