package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.NamespaceQuota;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.protocol.query.StartEstimate;
import io.muster.extender.core.queue.Queues;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** What the protocol is told of the world. Immutable. */
public sealed interface Event {

  /** A node was added or has changed. */
  record NodeSeen(Node node) implements Event {}

  /** A node was deleted. */
  record NodeGone(String name) implements Event {}

  /** A pod was added or has changed. */
  record PodSeen(Pod pod) implements Event {}

  /** A pod was deleted. */
  record PodGone(PodKey pod) implements Event {}

  /**
   * An object in which the terms of a gang stand was added or has changed.
   *
   * @param terms empty where it says that its pods are no gang
   */
  record TermsSeen(TermsObject object, Optional<Terms> terms) implements Event {}

  /** Such an object, or a PodGroup of Muster's, was deleted, or nobody serves its kind any more. */
  record TermsGone(TermsObject object) implements Event {}

  /**
   * A record that an earlier life left in the cluster; told before {@link Ready} only.
   *
   * @param since when its phase was reached, where that is stored
   */
  record RecordFound(GangRecord gang, Optional<Instant> since) implements Event {

    public RecordFound(GangRecord gang) {
      this(gang, Optional.empty());
    }
  }

  /** The object in which a gang's record stands has been deleted, by Muster or by somebody else. */
  record RecordGone(GangId gang) implements Event {}

  /** A namespace was added or has changed. */
  record NamespaceSeen(String name, Enrolment enrolment) implements Event {}

  /** A namespace was deleted. */
  record NamespaceGone(String name) implements Event {}

  /** A PodDisruptionBudget was added or has changed. */
  record BudgetSeen(Budget budget) implements Event {}

  /** A PodDisruptionBudget is there no more. */
  record BudgetGone(String namespace, String name) implements Event {}

  /** What a ResourceQuota leaves of devices is now known, or has changed. */
  record NamespaceQuotaSeen(NamespaceQuota quota) implements Event {}

  /** A ResourceQuota that limited devices does so no more. */
  record NamespaceQuotaGone(String namespace, String name) implements Event {}

  /** The queues are these from now on. */
  record QueuesSet(Queues queues) implements Event {}

  /** The levels of the network are these from now on. */
  record LevelsSet(Levels levels) implements Event {}

  /** Muster is to let go of the cluster, or to come back. */
  record Released(boolean released) implements Event {}

  /**
   * The leader lease is held until then; told before {@link Ready} and whenever it is renewed.
   *
   * @param followsAnother whether another process held it before and may have been cut off
   */
  record LeaseHeld(Instant until, boolean followsAnother) implements Event {}

  /**
   * A clock was set: the time that comes with each event and call is ahead of the time of day by so
   * much, by none until this is told.
   */
  record ClockSet(Duration ahead) implements Event {}

  /** Everything stored has been told; decisions may begin. */
  record Ready() implements Event {}

  /** A {@link Effect.WriteRecord} has ended. */
  record RecordWritten(GangId gang, long epoch, boolean stored) implements Event {}

  /** A record or report was not written, because a later one of the gang is stored. */
  record RecordAhead(GangId gang, long incarnation, long epoch) implements Event {}

  /**
   * An {@link Effect.EnsureCompanions} has ended.
   *
   * @param incarnation of the gang, for which it was asked
   * @param obstacle what keeps the gang's objects from being there; empty if they are
   */
  record CompanionsEnsured(GangId gang, long incarnation, Optional<Obstacle> obstacle)
      implements Event {

    /** A sentence about what is so, and one about what would do. */
    public record Obstacle(Reason reason, String message, String remedy) {

      /** One that keeps the NVLink domain from being there. */
      public Obstacle(String message, String remedy) {
        this(Reason.NVLINK_DOMAIN, message, remedy);
      }
    }
  }

  /** Whether the cluster has ComputeDomains; taken for true until it is told. */
  record DomainsServed(boolean served) implements Event {}

  /** A {@link Effect.Bind} has ended. */
  record BindingEnded(GangId gang, PodKey pod, String node, BindingOutcome outcome)
      implements Event {}

  /**
   * It has been worked out when gangs that wait would start, on a copy of that moment.
   *
   * @param starts of those that have an estimate
   */
  record StartsEstimated(Instant takenAt, Map<GangId, StartEstimate> starts) implements Event {
    public StartsEstimated {
      starts = Map.copyOf(starts);
    }
  }

  /** Calls that waited have been answered: a search that was left for them goes on for a while. */
  record Idle() implements Event {}

  /**
   * Time has passed; told at least once a second.
   *
   * @param tells whether users are told what has changed; a replay has none, and finding out why
   *     each gang waits is most of the work where thousands do
   */
  record Tick(boolean tells) implements Event {

    /** The tick of a cluster with users. */
    public Tick() {
      this(true);
    }
  }
}
