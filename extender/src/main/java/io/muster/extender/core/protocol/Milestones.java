package io.muster.extender.core.protocol;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What has happened since this was last asked for, in no order. Immutable.
 *
 * @param outcomes how starts compare with what was expected
 */
public record Milestones(
    List<Start> starts,
    Map<ExpectedStart.Outcome, Integer> outcomes,
    Map<PlanMiss, Integer> planMisses,
    Map<SetupFault, Integer> setupFaults) {

  /** Nothing. */
  public static final Milestones NONE = new Milestones(List.of(), Map.of(), Map.of(), Map.of());

  /**
   * A gang has been bound, at least its minimum.
   *
   * @param sinceCreation of its first member; the apiserver notes whole seconds
   * @param sincePlanned of the reservation it was bound by; empty if that was made by an earlier
   *     life of Muster
   */
  public record Start(Duration sinceCreation, Optional<Duration> sincePlanned) {}

  /** Why a member cannot go to its place. */
  public enum PlanMiss {
    /** kube-scheduler offered other nodes and may not have checked that one. */
    NOT_IN_SAMPLE,
    /** kube-scheduler has checked that one and will not have it. */
    IN_TREE_REJECTED,
    /** The node has gone, or has changed so that it cannot take the member. */
    STALE
  }

  public Milestones {
    starts = List.copyOf(starts);
    outcomes = Map.copyOf(outcomes);
    planMisses = Map.copyOf(planMisses);
    setupFaults = Map.copyOf(setupFaults);
  }
}
