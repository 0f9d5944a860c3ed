package io.muster.extender.core.decision.recovery;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.SetupFault;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Members that kube-scheduler has bound without asking Muster, because they ask for nothing that it
 * asks about: neither a device nor the marker, which the webhook would have given them. Where it
 * asks about nobody: members of a gang that has not started which had no gate on.
 *
 * <ul>
 *   <li>Each is counted, and reported with the fix, once a life.
 *   <li>One that runs while its gang waits ends after {@code repair}, if an owner makes it anew,
 *       and a gang loses some so at most once a minute. Not where anybody else of the gang has
 *       started, for then it is completed, and not where its terms are of no use, for it would
 *       never come back.
 * </ul>
 *
 * <p>Pods of a kube-scheduler that does not ask Muster about any pod are somebody else's.
 */
public final class BypassedMembers {

  /** Of one gang at a time; all are counted. */
  private static final int MOST_TOLD = 16;

  private static final Duration ENDED_APART = Duration.ofMinutes(1);

  private static final String OR_MARK_IT =
      ", or have a container of it request and limit muster.io/gang-member: 1";

  private final ClusterState cluster;

  public BypassedMembers(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** Notes a member that was bound past Muster; what Muster binds or releases has its stamp. */
  public static void note(ClusterState cluster, GangState gang, Pod pod, Instant now) {
    boolean isPast = cluster.isAsked() ? !pod.reachesMuster() : !gang.satisfied();
    if (pod.isBound()
        && isPast
        && pod.origin().placement().isEmpty()
        && !gang.burst.isBound(pod.key().uid())) {
      gang.bypasses.note(pod.key().uid(), now);
    }
  }

  public void advance(GangState gang, Instant now) {
    if (gang.bypasses.areNone()) {
      return;
    }
    var unmarked =
        gang.members.live().stream()
            .filter(pod -> gang.bypasses.include(pod.key().uid()))
            .filter(pod -> cluster.schedulerCalls().isAskedBy(pod.origin().schedulerName()))
            .toList();
    for (var pod : unmarked) {
      if (gang.bypasses.tell(pod.key().uid())) {
        cluster.metricsEvents().noticed(SetupFault.MEMBER_UNMARKED);
        if (gang.bypasses.told() <= MOST_TOLD) {
          report(gang, pod);
        }
      }
    }
    if (runsAlone(gang) && !gang.bypasses.wereEndedWithin(ENDED_APART, now)) {
      end(gang, unmarked, now);
    }
  }

  /** Whether the gang waits, by terms that let it start one day, and nobody else has started. */
  private static boolean runsAlone(GangState gang) {
    return gang.phase() == Phase.WAITING
        && !gang.waitsAgain()
        && !gang.terms.stating().isEmpty()
        && gang.counts.needed() > 0
        && gang.members.onlyUnmarkedStarted();
  }

  private void report(GangState gang, Pod pod) {
    cluster.emit(
        new Effect.Warn(
            pod.key(),
            SetupFault.MEMBER_UNMARKED.code(),
            ("kube-scheduler has started this member of gang %s without asking Muster, because it"
                    + " was created without Muster's webhook: see that the webhook is configured,"
                    + " then create the pod again%s")
                .formatted(gang.id, cluster.isAsked() ? OR_MARK_IT : "")));
  }

  private void end(GangState gang, List<Pod> unmarked, Instant now) {
    for (var pod : unmarked) {
      var since = gang.bypasses.since(pod.key().uid()).orElseThrow();
      if (pod.isMadeAnew() && !now.isBefore(since.plus(cluster.deadlines().repair()))) {
        gang.bypasses.ended(now);
        cluster.emit(
            new Effect.Evict(
                pod.key(),
                "this member was started without Muster and runs alone: gang %s cannot start yet"
                    .formatted(gang.id)));
      }
    }
  }
}
