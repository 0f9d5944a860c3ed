package io.muster.extender.core.decision.observe;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Pod.Grouping;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.observe.DryRunGangs.Standing;
import io.muster.extender.core.decision.report.Explanations;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.Counted;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Reason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Gangs that another scheduler starts, or the cluster's own gang scheduling: recognised, counted,
 * and told of in a Gang object with Muster's view of the room; their pods are never touched. Where
 * some members of such a gang are Muster's to start, only those count. Confined to the decision
 * thread.
 */
public final class ObservedGangs {

  private final ClusterState cluster;
  private final DryRunGangs gangs;

  public ObservedGangs(ClusterState cluster, Explanations explanations) {
    this.cluster = cluster;
    gangs =
        new DryRunGangs(
            cluster, explanations, Reason.OBSERVED, ObservedGangs::words, DryRunGangs.Watcher.NONE);
  }

  public void seen(Pod pod, Instant now) {
    member(pod)
        .ifPresent(member -> {
          ClusterState.unitOf(member).ifPresent(this::takeOver);
          gangs.seen(member, now);
        });
  }

  /**
   * The pod as it is, or as the cluster's to start: a PodGroup of which some pods wait in no queue,
   * as those that were there before their namespace got one, is never complete here, and
   * kube-scheduler counts all of them. A gang that has got places here stays.
   */
  public Pod asStarted(Pod pod) {
    return pod.origin().grouping() == Grouping.QUEUED && isStartedByTheCluster(pod)
        ? pod.leftToOthers()
        : pod;
  }

  private boolean isStartedByTheCluster(Pod pod) {
    var beside = gangs.find(pod);
    return beside.filter(gang -> gang.members.include(pod.key().uid())).isPresent()
        || (pod.origin().placement().isEmpty()
            && beside.filter(gang -> isAnyLikeIt(gang, pod)).isPresent()
            && cluster.knownGangOf(pod).filter(gang -> !gang.isWaiting()).isEmpty());
  }

  /** Pods of other schedulers wait for nobody, and nobody waits for them. */
  private static boolean isAnyLikeIt(GangState gang, Pod pod) {
    var scheduler = pod.origin().schedulerName();
    return gang.members.live().stream()
        .anyMatch(other -> other.origin().schedulerName().equals(scheduler));
  }

  /**
   * Those that wait in a queue though this one of their PodGroup does not; to be taken in again.
   */
  public List<Pod> waitingBeside(Pod pod) {
    return pod.origin().nativeGang()
        ? member(pod)
            .flatMap(ClusterState::unitOf)
            .flatMap(cluster.gangs()::find)
            .filter(gang -> gang.isWaiting() && isAnyLikeIt(gang, pod))
            .map(gang -> cluster.objects().podsBeside(pod))
            .orElse(List.of())
        : List.of();
  }

  /** What is known here of the gang that somebody else starts. */
  public Optional<GangState> find(Pod pod) {
    return member(pod).flatMap(gangs::find);
  }

  public void gone(Pod pod, Instant now) {
    member(pod).ifPresent(member -> gangs.gone(member, now));
  }

  /** What an earlier life stored of the gang was read before it was known whose it is. */
  private void takeOver(GangId id) {
    var stored = cluster.gangs().find(id);
    stored
        .filter(gang -> gang.members.isEmpty() && gang.record.isEmpty() && !gang.isReserved())
        .filter(gang -> gang.phase() != Phase.BINDING)
        .ifPresent(gang -> {
          cluster.gangs().remove(id);
          if (!gangs.has(id)) {
            DryRunGangs.inherit(gang, gangs.gang(id));
          }
        });
  }

  public void advance(Instant now) {
    gangs.advance(now, id -> cluster.gangs().find(id).isEmpty());
  }

  private static Optional<Pod> member(Pod pod) {
    return pod.observed().map(_ -> pod.asObserved());
  }

  private static String words(GangState gang, Standing standing) {
    return switch (standing) {
      case Standing.Over _ -> "all members have ended or are ending";
      case Standing.Whole(int bound, int min) ->
          "%d of at least %d members bound, by %s".formatted(bound, min, starter(gang));
      case Standing.Half(int bound, int min) -> half(gang, bound, min);
      case Standing.Below(int bound, int min) -> half(gang, bound, min);
      case Standing.Fits(int min) ->
          "%s is to start it, Muster only observes: there is room for %s"
              .formatted(starter(gang), Counted.together(min));
      case Standing.Waits(var why) ->
          "%s is to start it, Muster only observes: %s".formatted(starter(gang), why);
    };
  }

  private static String half(GangState gang, int bound, int min) {
    return "%d of at least %d members bound, by %s; Muster only observes"
        .formatted(bound, min, starter(gang));
  }

  private static String starter(GangState gang) {
    var origin = gang.counts.model().origin();
    return origin.nativeGang() || origin.grouping() == Grouping.QUEUED
        ? "the cluster's own gang scheduling"
        : "scheduler " + origin.schedulerName();
  }
}
