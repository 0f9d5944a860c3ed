package io.muster.extender.core.cluster;

import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.dialect.Hints;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A pod as the decisions see it: who it is, what it asks for, how far it has come, where it came
 * from, and which gang it belongs to. Immutable; each change in the cluster is a new value.
 *
 * @param later what one more pod of its gang asks for, as this one says: the gang's owner makes it
 *     once the members run
 * @param observed its gang, where somebody else than Muster starts it; such a pod is no member here
 * @param wishes how it wants to wait
 */
public record Pod(
    PodKey key,
    Demand demand,
    Progress progress,
    Origin origin,
    Optional<Membership> membership,
    Optional<Demand> later,
    Optional<Membership> observed,
    Wishes wishes) {

  /** The gate that Muster puts on members which cannot start yet. */
  public static final String GATE = "muster.io/gang";

  /** Phases of core/v1; Unknown is taken for Running, since its room is not known to be free. */
  public enum Phase {
    PENDING,
    RUNNING,
    SUCCEEDED,
    FAILED
  }

  /**
   * How far the pod has come.
   *
   * @param nodeName the node it is bound to
   * @param nominatedNode the node kube-scheduler nominated it to after a preemption
   * @param rejection why kube-scheduler's own rules let it go to no node; of a failed pod, why its
   *     node refused to start it
   * @param awaitsVolumes whether it mounts a claim that is not known to have its volume yet
   * @param absentClaim one that it mounts and that cannot be used: it can go nowhere before
   * @param startedAt when its node took it up
   * @param endsBy of one that is deleted: when its grace period is over
   */
  public record Progress(
      Phase phase,
      Optional<String> nodeName,
      Optional<String> nominatedNode,
      boolean deleting,
      Set<String> gates,
      Optional<String> rejection,
      boolean awaitsVolumes,
      Optional<AbsentClaim> absentClaim,
      Optional<Instant> startedAt,
      Optional<Instant> endsBy) {
    public Progress {
      gates = Set.copyOf(gates);
      startedAt = startedAt.map(Bounds::within);
      endsBy = endsBy.map(Bounds::within);
    }

    /** The same of a pod that is deleted, and whose grace period is over then. */
    public Progress endingBy(Instant end) {
      return with(true, awaitsVolumes, absentClaim, Optional.of(end));
    }

    private Progress with(
        boolean ends, boolean awaits, Optional<AbsentClaim> absent, Optional<Instant> by) {
      return new Progress(
          phase, nodeName, nominatedNode, ends, gates, rejection, awaits, absent, startedAt, by);
    }

    /** The progress of a pod that nobody has rejected, and that has not said when it started. */
    public Progress(
        Phase phase,
        Optional<String> nodeName,
        Optional<String> nominatedNode,
        boolean deleting,
        Set<String> gates) {
      this(
          phase,
          nodeName,
          nominatedNode,
          deleting,
          gates,
          Optional.empty(),
          false,
          Optional.empty(),
          Optional.empty(),
          Optional.empty());
    }

    Progress awaitingVolumes(boolean awaits, Optional<AbsentClaim> absent) {
      return with(deleting, awaits, absent, endsBy);
    }
  }

  /** Of the cluster's own gang scheduling. */
  public enum Grouping {
    /** In no group. */
    NONE,
    /** In the PodGroup that Muster makes for the gang that the pod names otherwise. */
    OWN,
    /** In one of somebody else's, whose gang waits in a queue of Muster's. */
    QUEUED,
    /** In one that Muster has nothing to do with. */
    OTHER
  }

  /**
   * Where the pod came from.
   *
   * @param controllerUid uid of the owner that makes it anew when it goes; empty for a bare pod
   * @param mountsClaims whether it mounts persistent volume claims or names resource claims
   * @param grouping whether it is in a PodGroup of the cluster's own gang scheduling, and in whose
   * @param marked whether it asks for {@link Accelerators#MARKER}
   * @param placement incarnation of the gang it was bound for by Muster, as stamped on it
   * @param controlled whether it had a controller when it got its place: whoever takes that off it
   *     later keeps nothing by it
   * @param priority as its PriorityClass has it; 0 where nothing says so
   * @param labels as they stand on it
   */
  public record Origin(
      Instant createdAt,
      String schedulerName,
      Optional<String> controllerUid,
      boolean mountsClaims,
      Grouping grouping,
      boolean marked,
      Optional<String> placement,
      boolean controlled,
      Pinning pinning,
      int priority,
      Map<String, String> labels) {

    public Origin {
      createdAt = Bounds.within(createdAt);
      labels = Map.copyOf(labels);
    }

    /** Whether the cluster's own gang scheduling manages it, and not Muster. */
    public boolean nativeGang() {
      return grouping == Grouping.OTHER;
    }

    Origin asControlled() {
      return with(true, labels);
    }

    Origin labelled(Map<String, String> others) {
      return with(controlled, others);
    }

    private Origin with(boolean wasControlled, Map<String, String> others) {
      return new Origin(
          createdAt,
          schedulerName,
          controllerUid,
          mountsClaims,
          grouping,
          marked,
          placement,
          wasControlled,
          pinning,
          priority,
          others);
    }
  }

  /**
   * How a pod wants to wait and to end.
   *
   * @param preempts whether pods of lower priority may be ended for it
   * @param grace how long it may take to end once it is told to; at most {@link
   *     Bounds#LONGEST_GRACE}
   */
  public record Wishes(Hints hints, boolean preempts, Duration grace) {

    public Wishes {
      grace = Bounds.within(grace, Bounds.LONGEST_GRACE);
    }

    /** A pod that says nothing. */
    public static final Wishes NONE = new Wishes(Hints.NONE, true, Duration.ofSeconds(30));
  }

  /**
   * Whether the pod may be tied to its place before it is scheduled.
   *
   * @param plain whether nothing but what the plan knows of decides where it can run
   * @param allowed whether it may: it is plain, and somebody makes it anew or it consents
   * @param pin the nodes it is tied to already
   */
  public record Pinning(boolean plain, boolean allowed, Optional<NodePin> pin) {

    /** Neither tied nor to be tied. */
    public static final Pinning NONE = new Pinning(false, false, Optional.empty());
  }

  /**
   * Whether it may be ended so that others start: somebody makes it anew, or would if its user had
   * left it to its controller, or it says that it may be lost.
   */
  public boolean mayEnd() {
    return isControlled() || wishes.hints().preemptible().orElse(false);
  }

  /** Whether it has asked not to be ended so that others start. */
  public boolean asksToBeLeftAlone() {
    return !wishes.hints().preemptible().orElse(true);
  }

  /** Whether it has a controller, or had one when it got its place. */
  public boolean isControlled() {
    return isMadeAnew() || origin.controlled();
  }

  /** Whether it has a controller, which makes it anew when it goes. */
  public boolean isMadeAnew() {
    return origin.controllerUid().isPresent();
  }

  /** Whether it is a member of that gang. */
  public boolean isOf(GangId gang) {
    return membership.filter(member -> member.gang().equals(gang)).isPresent();
  }

  /** Devices that it asks for, of every name. */
  public long devices() {
    return demand.requests().devices();
  }

  /** How long it takes to end from now on, where nobody shortens that. */
  public Duration endsWithin(Instant timeOfDay) {
    return progress
        .endsBy()
        .filter(timeOfDay::isBefore)
        .map(end -> Duration.between(timeOfDay, end))
        .orElse(wishes.grace());
  }

  /** Whether the pod is over and occupies nothing any more. */
  public boolean isTerminal() {
    return progress.phase() == Phase.SUCCEEDED || progress.phase() == Phase.FAILED;
  }

  /** Whether the pod has been assigned to a node. */
  public boolean isBound() {
    return progress.nodeName().isPresent();
  }

  /** Whether any scheduling gate holds the pod back. */
  public boolean isGated() {
    return !progress.gates().isEmpty();
  }

  /** Whether Muster's own gate is on the pod. */
  public boolean isGatedByMuster() {
    return progress.gates().contains(GATE);
  }

  /** Whether a gate of somebody else (quota, admission) holds the pod back. */
  public boolean isGatedByOthers() {
    return progress.gates().stream().anyMatch(gate -> !gate.equals(GATE));
  }

  /** Whether a kube-scheduler that asks Muster about some pods only asks about this one. */
  public boolean reachesMuster() {
    return origin.marked() || reachesMusterUnmarked();
  }

  /** Whether it would without the marker: kube-scheduler's configuration knows whole names only. */
  public boolean reachesMusterUnmarked() {
    return demand.requests().extended().keySet().stream().anyMatch(Accelerators.NAMES::contains);
  }

  /** The same pod once it runs on that node, which has taken it up at that time. */
  public Pod runningOn(String node, Instant since) {
    return at(
        new Progress(
            Phase.RUNNING,
            Optional.of(node),
            Optional.empty(),
            false,
            Set.of(),
            Optional.empty(),
            false,
            Optional.empty(),
            Optional.of(since),
            Optional.empty()));
  }

  /** The same pod once it has succeeded where it was. */
  public Pod succeeded() {
    return at(
        new Progress(Phase.SUCCEEDED, progress.nodeName(), Optional.empty(), false, Set.of()));
  }

  /** The same pod, further on. */
  public Pod at(Progress further) {
    return new Pod(key, demand, further, origin, membership, later, observed, wishes);
  }

  /** The same pod, which had a controller when it got its place. */
  public Pod asControlled() {
    return new Pod(
        key, demand, progress, origin.asControlled(), membership, later, observed, wishes);
  }

  /** The same pod with other labels. */
  public Pod labelled(Map<String, String> labels) {
    return new Pod(
        key, demand, progress, origin.labelled(labels), membership, later, observed, wishes);
  }

  /** The same pod as a member of the gang that somebody else starts, to be counted on paper. */
  public Pod asObserved() {
    return new Pod(
        key, demand, progress, origin, observed, Optional.empty(), Optional.empty(), wishes);
  }

  /** The same pod once it turns out that somebody else starts its gang. */
  public Pod leftToOthers() {
    return new Pod(
        key, demand, progress, origin, Optional.empty(), Optional.empty(), membership, wishes);
  }

  /** The same pod once more is known of its gang. */
  public Pod under(Membership known) {
    return new Pod(key, demand, progress, origin, Optional.of(known), later, observed, wishes);
  }

  /** The same pod once its gang turns out to be none. */
  public Pod withoutGang() {
    return new Pod(
        key, demand, progress, origin, Optional.empty(), later, Optional.empty(), wishes);
  }

  /** The same pod once more is known of the gang that somebody else starts. */
  public Pod observedUnder(Membership known) {
    return new Pod(key, demand, progress, origin, membership, later, Optional.of(known), wishes);
  }

  /** The same pod with what is known of the volumes that it mounts. */
  public Pod mounting(
      List<List<NodeTerm>> volumes, boolean awaitsVolumes, Optional<AbsentClaim> absent) {
    return new Pod(
        key,
        demand.onVolumes(volumes),
        progress.awaitingVolumes(awaitsVolumes, absent),
        origin,
        membership,
        later,
        observed,
        wishes);
  }

  /** What the pod asks for by itself, without the nodes that Muster tied it to. */
  public Demand shape() {
    return origin.pinning().pin().map(pin -> pin.untie(demand)).orElse(demand);
  }

  /** Why the pod can never be placed as a member of its gang, if that is so. */
  public Optional<Terms.Unplaceable> unplaceable() {
    return membership
        .map(Membership::terms)
        .filter(Terms.Unplaceable.class::isInstance)
        .map(Terms.Unplaceable.class::cast);
  }

  /** Position among its siblings: the index it states, else the number its name ends in. */
  public int rank() {
    var stated = membership.map(Membership::index).orElse(-1);
    return stated >= 0 ? stated : PodKey.ordinalOf(key.name()).orElse(Integer.MAX_VALUE);
  }
}
