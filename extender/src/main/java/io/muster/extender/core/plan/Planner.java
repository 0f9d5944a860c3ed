package io.muster.extender.core.plan;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.plan.packing.Idle;
import io.muster.extender.core.plan.packing.PackingPolicy;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Finds a place for every member of a gang, or of several gangs that start together, or for none.
 *
 * <ol>
 *   <li>What cannot fit by the totals is refused without a walk over the nodes.
 *   <li>Parts of the request that must be close are placed first, then those that had better be,
 *       each in the nearest domain that holds it; then all others.
 *   <li>Members are taken largest first. Each goes to the node that the policy ranks best among
 *       those with room beside the members placed before it.
 *   <li>The first member without a node ends the attempt, and what was placed is taken back. Two
 *       further orders are tried: members that fewest nodes can take first, and as given.
 * </ol>
 *
 * <p>Guaranteed: all or none; no node above what it offers; the same input gives the same plan; the
 * snapshot stays as it is. Members that are alike are placed if and only if they fit, so that for
 * them a node more never makes a plan impossible. With members of different shape, or parts with
 * topologies of their own, all orders may miss a placement that exists. Stateless; the snapshot
 * alone confines it to a thread.
 */
public final class Planner {

  private final PackingPolicy policy;

  public Planner(PackingPolicy policy) {
    this.policy = policy;
  }

  /** A place for each member, or the first one that has none and why. */
  public Verdict decide(Snapshot snapshot, GangRequest request) {
    var grid = snapshot.grid();
    if (snapshot.mayHold(request)) {
      var placed = new Attempt(policy, grid, request).placed();
      if (placed.isPresent()) {
        return new Verdict.Placed(placed.get());
      }
    }
    return new Verdict.NoRoom(() -> new Attempt(policy, grid, request).refusal());
  }

  /** What the levels lack where members are not placed for their topology. */
  public Optional<Shortage> lack(Snapshot snapshot, GangRequest request) {
    return new Attempt(policy, snapshot.grid(), request).lack();
  }

  /** These nodes, the best first for the pod, whether or not it fits there. */
  public List<NodeState> ranked(Demand demand, List<NodeState> rooms) {
    record Scored(NodeState room, long score) {}

    var device = Accelerators.first(demand.requests());
    long units = device.map(demand.requests()::of).orElse(0L);
    return rooms.stream()
        .map(room -> {
          long free = device.map(room::free).orElseGet(() -> room.freeDevices());
          long cpu = room.freeCpu();
          return new Scored(
              room,
              policy.score(
                  Idle.whole(cpu, free),
                  Idle.whole(cpu - demand.requests().cpuMillis(), free - units)));
        })
        .sorted(
            Comparator.comparingLong(Scored::score)
                .reversed()
                .thenComparing(scored -> scored.room().node().name()))
        .map(Scored::room)
        .toList();
  }
}
