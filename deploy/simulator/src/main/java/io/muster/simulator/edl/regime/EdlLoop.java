package io.muster.simulator.edl.regime;

import io.muster.controller.core.elastic.CapacityOracle.Amounts;
import io.muster.controller.core.elastic.EdlRule;
import java.util.HashMap;
import java.util.Map;

/**
 * One round of EDL's controller as it was in 2017, around the rule itself. Confined to one thread.
 */
public final class EdlLoop {

  /**
   * How it runs.
   *
   * @param load share of the CPU that may be asked for
   * @param hasWrongSign whether a planned worker adds to what is idle on its node, as in the
   *     controller that was measured; here alone, to show that the replay is true
   */
  record Setting(double load, boolean hasWrongSign) {}

  private static final long ENOUGH_MEMORY = Long.MAX_VALUE / 4;

  private final World world;
  private final Setting setting;

  EdlLoop(World world, Setting setting) {
    this.world = world;
    this.setting = setting;
  }

  /** Gives every job that takes part the size that the rule says. */
  void decide() {
    var running = world.jobs.stream().filter(job -> !job.hasEnded()).toList();
    boolean isAnyPending = running.stream().anyMatch(this::isPending);
    var taking = running.stream().filter(job -> isAnyPending || isStable(job)).toList();
    var changes =
        EdlRule.plan(taking.stream().map(EdlLoop::seen).toList(), cluster(), new IdleNodes());
    taking.forEach(job -> job.size += changes.getOrDefault(job.key(), 0));
  }

  private boolean isPending(JobRun job) {
    return job.trainers.stream().noneMatch(pod -> pod.isLeaving() || pod.hasStarted(world.now));
  }

  private boolean isStable(JobRun job) {
    return job.trainers.stream().allMatch(pod -> pod.isUp(world.now));
  }

  private static EdlRule.Job seen(JobRun job) {
    var shape = job.shape;
    return new EdlRule.Job(
        job.key(),
        job.size,
        shape.least(),
        shape.most(),
        new Amounts(shape.trainerCpu(), 0, shape.trainerGpus()));
  }

  private EdlRule.Cluster cluster() {
    long cpu = 0;
    long gpus = 0;
    long system = 0;
    for (var machine : world.machines) {
      cpu += machine.cpuMillis;
      gpus += machine.gpus;
      system += machine.systemCpu;
    }
    long cpuAsked = system + world.pods().mapToLong(pod -> pod.cpuMillis).sum();
    long gpusAsked = world.pods().mapToLong(pod -> pod.gpus).sum();
    return new EdlRule.Cluster(
        new Amounts(cpu, ENOUGH_MEMORY, gpus), new Amounts(cpuAsked, 0, gpusAsked), setting.load());
  }

  /** What is idle on each node while a round is planned. GPUs were not counted by node. */
  private final class IdleNodes implements EdlRule.Nodes {

    private final Map<EdlMachine, Integer> idle = new HashMap<>();

    IdleNodes() {
      world.machines.forEach(machine -> idle.put(machine, machine.freeCpu));
    }

    @Override
    public boolean take(EdlRule.Job job) {
      int asked = Math.toIntExact(job.worker().cpuMillis());
      var open = world.machines.stream().filter(machine -> idle.get(machine) >= asked).toList();
      if (open.isEmpty()) {
        return false;
      }
      var chosen = open.get(world.random.nextInt(open.size()));
      idle.merge(chosen, setting.hasWrongSign() ? asked : -asked, Integer::sum);
      return true;
    }
  }
}
