package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.GangId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What the protocol wants done. Effects on one gang are carried out in the order given, except that
 * the Bindings of one list go out side by side. All are safe to repeat. Immutable.
 */
public sealed interface Effect {

  /**
   * Answers a bind call that was held; empty error means bound.
   *
   * @param call the id given with the call
   */
  record AnswerBind(long call, Optional<String> error) implements Effect {}

  /**
   * Stores the write-ahead record (and the Gang object, if it is not there) before any Binding;
   * must be answered by {@link Event.RecordWritten}.
   */
  record WriteRecord(GangRecord gang, GangReport report) implements Effect {}

  /**
   * A step of the decisions met a fault of Muster's own; it is to be logged and counted. What was
   * decided before goes out, and the other steps are done.
   *
   * @param gang which is left alone for a while, if the step was one gang's
   */
  record Fault(String step, Optional<GangId> gang, Throwable cause) implements Effect {}

  /** Stores state and report; only the newest one of a gang matters, failures are retried. */
  record WriteReport(GangRecord gang, GangReport report) implements Effect {}

  /**
   * Makes sure of what the gang needs before a gate is opened: its ComputeDomain, owned by its Gang
   * object, with the template of its members' claims, and the PodGroup that its members are in;
   * must be answered by {@link Event.CompanionsEnsured}.
   *
   * @param nvlink whether its members claim a domain
   * @param group what its PodGroup is to be; empty if its members are in none of Muster's
   */
  record EnsureCompanions(GangRecord gang, boolean nvlink, Optional<Group> group)
      implements Effect {}

  /**
   * A PodGroup.
   *
   * @param minCount members that are bound together at least
   * @param member one of them
   * @param hasOneController whether the controller of that member is that of all of them, which is
   *     to own the group; otherwise the Gang object is
   * @param priority that of all members; empty where they differ in it or in their preemption
   *     policy
   * @param hasStarted whether the gang has: who joins it needs a group, with this minCount or less
   */
  record Group(
      int minCount,
      Optional<PodKey> member,
      boolean hasOneController,
      Optional<Integer> priority,
      boolean hasStarted) {}

  /**
   * All members have ended: what was made for the gang may go.
   *
   * @param nvlink whether that is a ComputeDomain
   * @param group whether it is a PodGroup
   */
  record DropCompanions(GangId gang, boolean nvlink, boolean group) implements Effect {

    /** Its ComputeDomain alone may go. */
    public DropCompanions(GangId gang) {
      this(gang, true, false);
    }
  }

  /** The gang has had no member for its keeping time: its object may go. */
  record Forget(GangId gang) implements Effect {}

  /**
   * Where a member is told that it is, in annotations that its variables read.
   *
   * @param segment number of its innermost segment, from 0
   * @param domain value of the label of the level that is nearest to it
   */
  record Location(Optional<Integer> segment, Optional<String> domain) {

    /** Of a pod that is told nothing. */
    public static final Location UNTOLD = new Location(Optional.empty(), Optional.empty());
  }

  /**
   * Binds a pod to a node with its uid as precondition and stamps it with the incarnation; must be
   * answered by {@link Event.BindingEnded}. Zero incarnation: a pod without gang, no stamp.
   *
   * @param controlled whether it is stamped as a pod that has a controller
   */
  record Bind(
      GangId gang, PodKey pod, String node, long incarnation, boolean controlled, Location location)
      implements Effect {}

  /**
   * Takes Muster's own gate off a pod, other gates stay, and ties it to the pin's nodes.
   *
   * @param hasAffinity whether it is known to have affinity of its own, which stays
   * @param controlled whether it is stamped as a pod that has a controller
   */
  record Ungate(
      PodKey pod, Optional<NodePin> pin, boolean hasAffinity, boolean controlled, Location location)
      implements Effect {

    /** Takes the gate off a pod that is bound by a Binding later, or is no member. */
    public Ungate(PodKey pod, Optional<NodePin> pin) {
      this(pod, pin, false, false, Location.UNTOLD);
    }
  }

  /**
   * Takes Muster's gate off a recorded member, in the same write ties it to its one node and stamps
   * it with the incarnation: kube-scheduler will bind it there.
   *
   * @param terms the member's own node terms, each narrowed to that node, or the node alone
   * @param controlled whether it is stamped as a pod that has a controller
   */
  record Release(
      PodKey pod,
      NodePin pin,
      List<NodeTerm> terms,
      long incarnation,
      boolean controlled,
      Location location)
      implements Effect {
    public Release {
      terms = List.copyOf(terms);
    }
  }

  /** Patches an annotation of an unscheduled pod so that kube-scheduler tries it again. */
  record Wake(PodKey pod, long turn) implements Effect {}

  /**
   * Tells a pod's users why it is not scheduled: a Warning event FailedScheduling, and for a gated
   * pod also condition PodScheduled=False, reason Unschedulable, so that it looks Pending.
   */
  record Explain(PodKey pod, String sentence, boolean asCondition) implements Effect {}

  /**
   * Gives a gated pod the condition PodScheduled=False, and no event. Autoscalers count pods that
   * have it with the reason Unschedulable.
   *
   * @param unschedulable whether nodes would help it; if not, it has the reason SchedulingGated, as
   *     if it had never been counted
   */
  record Show(PodKey pod, String sentence, boolean unschedulable) implements Effect {}

  /** Warns a pod's users by an event of that reason. */
  record Warn(PodKey pod, String reason, String sentence) implements Effect {}

  /** Tells the readers of the Gang object, as an event of the given type and reason. */
  record Announce(GangId gang, boolean warning, String reason, String sentence) implements Effect {}

  /**
   * Has a member that has not started recreated by its owner, untied: as {@link Evict}, but only
   * where the owner does not take that for a failure of the job.
   */
  record Remake(PodKey pod, String sentence) implements Effect {}

  /**
   * Ends a pod: condition DisruptionTarget first, then delete by uid.
   *
   * @param reason of the condition
   * @param longest grace period that it is left, also where it is being deleted already
   * @param makesRoomFor the gang that it ends for, which its user may not know
   */
  record Evict(
      PodKey pod,
      String reason,
      String sentence,
      Optional<Duration> longest,
      Optional<GangId> makesRoomFor)
      implements Effect {

    /** Its gang is undone, starts again, or has started without Muster. */
    public static final String UNDO = "MusterUndo";

    /** It makes room for others. */
    public static final String PREEMPTION = "MusterPreemption";

    /** Its gang has run for its run-time limit. */
    public static final String RUN_TIME_LIMIT = "MusterRunTimeLimit";

    /** Ends a pod whose gang cannot go on. */
    public Evict(PodKey pod, String sentence) {
      this(pod, UNDO, sentence, Optional.empty(), Optional.empty());
    }

    /** Ends a pod that makes room for another gang, within that time. */
    public Evict(PodKey pod, String sentence, Duration longest, GangId other) {
      this(pod, PREEMPTION, sentence, Optional.of(longest), Optional.of(other));
    }
  }
}
