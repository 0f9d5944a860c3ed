package io.muster.bench;

import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Waiting;
import io.muster.simulator.world.JobStart;
import io.muster.simulator.world.PolicyNames;
import io.muster.simulator.world.Simulation;
import io.muster.simulator.world.cluster.Costs;
import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Timed work through {@code muster simulate}, as the sandbox and its Muster are set. Stateless. */
final class Replayed {

  /** Of each pod, see {@link Manifests#member}. */
  private static final long CPU_MILLIS = 100;

  // Of a node, see NodeShape.GPU8.
  private static final long NODE_CPU_MILLIS = 128_000;
  private static final long NODE_MEMORY_MIB = 1024L * 1024;
  private static final int NODE_GPUS = 8;

  private Replayed() {}

  /** The starts, in their order. */
  static List<JobStart> of(TimedWork work) {
    return of(work, PlacementMode.EXTENDER);
  }

  static List<JobStart> of(TimedWork work, PlacementMode mode) {
    var setup =
        PolicyNames.setup(
                PolicyNames.oneQueue(Order.PRIORITY), Waiting.DEFAULT.ageing(), Costs.DEFAULT, true)
            .placing(mode);
    var starts = new ArrayList<JobStart>();
    var simulation = new Simulation(trace(work), setup, _ -> {});
    simulation.onStart(starts::add);
    simulation.run(work.name());
    return starts;
  }

  private static Trace trace(TimedWork work) {
    var machines =
        IntStream.range(0, TimedWork.NODES)
            .mapToObj(i ->
                new Machine(
                    Arena.NODE_PREFIX + "-" + i, "", NODE_CPU_MILLIS, NODE_MEMORY_MIB, NODE_GPUS))
            .toList();
    return new Trace(
        work.name(), machines, work.gangs().stream().map(Replayed::job).toList(), List.of());
  }

  private static TraceJob job(TimedGang timed) {
    var gang = timed.gang();
    return new TraceJob(
        gang.name(),
        Manifests.NAMESPACE,
        "",
        0,
        timed.arrival(),
        timed.runs(),
        List.of(new TraceJob.Part("", gang.members(), CPU_MILLIS, 0, gang.gpus(), Set.of())));
  }
}
