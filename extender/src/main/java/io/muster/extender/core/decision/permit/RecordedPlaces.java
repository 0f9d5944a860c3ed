package io.muster.extender.core.decision.permit;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What is so of the places that a gang's record names, and of the members on their way to them.
 * Answers questions and changes nothing but the ledger's room for the member that is asked about.
 * Confined to the decision thread.
 */
public final class RecordedPlaces {

  private final ClusterState cluster;

  public RecordedPlaces(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** Pods of other schedulers, or devices that fail, may have taken the room meanwhile. */
  boolean hasRoom(Pod pod, String node) {
    return cluster.inventory().reserve(pod.key().uid(), node, pod.demand().requests());
  }

  /** Whether nobody has started, nor may start at any time: giving up undoes nothing. */
  boolean isNobodyOut(GangState gang, Instant now) {
    return !gang.burst.mayBind(now)
        && gang.members.live().stream().noneMatch(pod -> isOut(gang, pod));
  }

  /**
   * Whether nobody is let go yet, and what is made for the gang is not known to be there as it is
   * needed now.
   */
  boolean lacksCompanions(GangState gang, Instant now) {
    return !cluster.isAsked() && !gang.hasCompanions() && isNobodyOut(gang, now);
  }

  /**
   * Whether the member has started or, where kube-scheduler does not ask, may start at any time: a
   * gate cannot be put back. Not one that ran before: nothing of the gang has let it go.
   */
  boolean isOut(GangState gang, Pod pod) {
    return !gang.members.hasRunBefore(pod)
        && (gang.members.hasStarted(pod)
            || (!cluster.isAsked() && !pod.isTerminal() && !pod.isGated()));
  }

  /**
   * Whether kube-scheduler may bind the member though its gang waits: its release was sent before
   * the gang went back to waiting, and has been carried out since.
   */
  public boolean isReleasedLate(GangState gang, Pod pod) {
    return !cluster.isAsked()
        && (gang.phase() == Phase.WAITING || gang.phase() == Phase.PLANNED)
        && isOut(gang, pod)
        && !(gang.waitsAgain() && gang.members.hasStarted(pod))
        && pod.origin().placement().equals(Optional.of(Long.toString(gang.incarnation())));
  }

  /** Whether as many recorded members as are needed still have a place that will do. */
  boolean holdsItsPlaces(GangState gang) {
    var holding =
        gang.candidates().stream()
            .filter(pod -> gang.record.names(pod.key().uid()))
            .filter(pod -> canGoTo(pod, gang.record.node(pod.key().uid()).orElseThrow()))
            .map(pod -> pod.key().uid())
            .collect(Collectors.toSet());
    return gang.counts.neededBeside(holding) <= 0;
  }

  /**
   * Whether nobody of a released gang has started, nor will before a lost place is found anew:
   * kube-scheduler binds its members together.
   */
  boolean isHeldUpByALostPlace(GangState gang) {
    return !cluster.isAsked()
        && gang.phase() == Phase.BINDING
        && gang.record.isStored()
        && isBoundAsOne(gang)
        && gang.members.live().stream().noneMatch(gang.members::hasStarted)
        && gang.candidates().stream().anyMatch(pod -> hasLostItsPlace(gang, pod))
        && !holdsItsPlaces(gang);
  }

  /** Whether kube-scheduler binds enough of it together or nobody; no gang of a group is alone. */
  static boolean isBoundAsOne(GangState gang) {
    return gang.terms.gangs().size() == 1
        && gang.terms.gangs().stream().allMatch(gang.terms::areBoundTogether);
  }

  /** A member that has gone itself says nothing of the places of the others. */
  private boolean hasLostItsPlace(GangState gang, Pod pod) {
    return gang.record.node(pod.key().uid()).filter(node -> !canGoTo(pod, node)).isPresent();
  }

  /** Whether the node is there, takes the pod, and has its room. */
  boolean canGoTo(Pod pod, String node) {
    return cluster.inventory().isOpenTo(node, pod.demand()) && hasRoom(pod, node);
  }
}
