package io.muster.extender.core.protocol.query;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.GangId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A gang that holds devices, or a pod of none. Immutable.
 *
 * @param gang empty: a pod
 * @param pods those of it on nodes, or on their way there
 * @param ran for how long, all its lives together
 * @param end when it will be over, not in the past; empty: nobody knows
 */
public record RunningUnit(
    Optional<GangId> gang, List<PodKey> pods, Duration ran, Optional<End> end) {

  /** When, and how that is known. */
  public record End(Instant at, RunTime runTime) {}

  public RunningUnit {
    pods = List.copyOf(pods);
  }
}
