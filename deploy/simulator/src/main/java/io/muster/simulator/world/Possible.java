package io.muster.simulator.world;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.core.plan.Planner;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.plan.packing.PackingPolicy;
import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.SegmentRule;
import io.muster.simulator.world.cluster.TraceJob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Whether empty nodes could hold a job, as Muster's planner says. Not safe for concurrent use. */
final class Possible {

  private final Inventory empty = new Inventory();
  private final Planner planner = new Planner(PackingPolicy.DEFAULT);
  private final SegmentRule segments;
  private final Map<List<TraceJob.Part>, Boolean> known = new HashMap<>();

  Possible(List<Machine> machines, SegmentRule segments) {
    this.segments = segments;
    empty.levels(Life.levels());
    machines.forEach(machine -> empty.seen(Life.node(machine)));
  }

  boolean holds(TraceJob job) {
    return known.computeIfAbsent(
        job.parts(),
        parts -> {
          var members = new ArrayList<Demand>();
          for (var part : parts) {
            var demand = Life.demand(part);
            for (int i = 0; i < part.pods(); i++) {
              members.add(demand);
            }
          }
          var all = new GangRequest.Part(members, Life.topology(job, segments));
          var request = new GangRequest(List.of(all), Set.of(), true);
          return planner.decide(empty.snapshot(), request) instanceof Verdict.Placed;
        });
  }
}
