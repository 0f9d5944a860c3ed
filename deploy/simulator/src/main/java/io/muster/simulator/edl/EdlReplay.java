package io.muster.simulator.edl;

import io.muster.simulator.edl.regime.JobRun;
import io.muster.simulator.edl.regime.Regime;
import io.muster.simulator.edl.regime.ReplayPod;
import io.muster.simulator.edl.regime.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Runs a scenario under a regime, second by second. Stateless. */
final class EdlReplay {

  private static final int SIZES_AT = 520;

  private EdlReplay() {}

  /**
   * One run.
   *
   * @param isVaried whether the seed also moves arrivals and shuffles nodes; otherwise it decides
   *     ties and how long starts take
   */
  static EdlOutcome of(
      Scenario scenario, long seed, boolean isVaried, Function<World, Regime> regimes) {
    var random = new Random(seed);
    var machines = scenario.nodes().machines(new Random(isVaried ? seed : 0));
    var arrivals = isVaried ? scenario.arrivals(random) : scenario.arrivals();
    var world = new World(machines, scenario.grace(), random);
    var regime = regimes.apply(world);
    var samples = new ArrayList<EdlOutcome.Sample>();
    var sizes = new ArrayList<Integer>();
    double heldInVain = 0;
    long useful = 0;
    for (world.now = -scenario.warmUp(); world.now < scenario.stop(); world.now++) {
      submit(scenario, world, regime, arrivals);
      serve(scenario, world, regime);
      world.note();
      regime.act();
      work(world);
      world.sweep();
      if (world.now == SIZES_AT) {
        world.jobs.forEach(job -> sizes.add(job.trainersUp(world.now)));
      }
      heldInVain = Math.max(heldInVain, heldInVain(world));
      useful += useful(world);
      if (world.now >= 0) {
        samples.add(sample(scenario, world, regime));
      }
      if (world.jobs.size() == scenario.jobs() && world.jobs.stream().allMatch(JobRun::hasEnded)) {
        break;
      }
    }
    return outcome(world, scenario, heldInVain, samples, sizes, useful);
  }

  private static void submit(
      Scenario scenario, World world, Regime regime, List<Integer> arrivals) {
    for (int i = 0; i < arrivals.size(); i++) {
      if (arrivals.get(i) == world.now) {
        var job = new JobRun(i, scenario.shapeOf(i), world.now);
        world.jobs.add(job);
        regime.submitted(job);
      }
    }
  }

  private static void serve(Scenario scenario, World world, Regime regime) {
    var staying =
        world.services.stream()
            .filter(pod -> !pod.isLeaving())
            .sorted(
                Comparator.comparing(ReplayPod::isBound)
                    .thenComparing(pod -> pod.hasStarted(world.now))
                    .thenComparing(regime.firstToLeave()))
            .toList();
    int target = scenario.servicesAt(world.now);
    IntStream.range(staying.size(), target)
        .forEach(_ -> world.addService(Scenario.SERVICE_CPU).retryAt = world.now);
    staying.stream().limit(Math.max(0, staying.size() - target)).forEach(world::end);
  }

  private static void work(World world) {
    for (var job : world.jobs) {
      if (job.shape.work().isPresent() && !job.hasEnded() && job.isWhole(world.now)) {
        var work = job.shape.work().get();
        int trainers = job.trainersUp(world.now);
        double share = work.rate(trainers) / trainers;
        job.done += work.rate(trainers) - job.lost * share;
        job.lost = 0;
        if (job.done >= work.seconds()) {
          job.endedAt = OptionalInt.of(world.now);
          world.endJob(job);
        }
      }
    }
  }

  private static double heldInVain(World world) {
    return world.jobs.stream()
            .filter(job -> !job.hasEnded() && !job.holdsWholeGang())
            .flatMap(JobRun::pods)
            .filter(ReplayPod::isBound)
            .mapToInt(pod -> pod.cpuMillis)
            .sum()
        / 1_000.0;
  }

  private static long useful(World world) {
    return world.jobs.stream()
        .filter(job -> job.isWhole(world.now))
        .mapToLong(job -> job.trainersUp(world.now))
        .sum();
  }

  private static EdlOutcome.Sample sample(Scenario scenario, World world, Regime regime) {
    double total = scenario.cpuMillis();
    long system = world.machines.stream().mapToLong(machine -> machine.systemCpu).sum();
    long used =
        system
            + world
                .pods()
                .filter(pod -> pod.hasStarted(world.now))
                .mapToLong(pod -> pod.cpuMillis)
                .sum();
    long serving = world.services.stream().filter(pod -> pod.isUp(world.now)).count();
    long gpus = world.machines.stream().mapToLong(machine -> machine.gpus).sum();
    long gpusFree = world.machines.stream().mapToLong(machine -> machine.freeGpus).sum();
    return new EdlOutcome.Sample(
        used / total,
        regime.headRoom() / total,
        open(scenario, world) / total,
        world.jobs.stream().mapToInt(job -> job.trainersUp(world.now)).sum(),
        (int) Math.max(0, scenario.servicesAt(world.now) - serving),
        gpus == 0 ? 0 : (double) (gpus - gpusFree) / gpus);
  }

  private static double open(Scenario scenario, World world) {
    int trainer = scenario.shape().trainerCpu();
    return world.machines.stream().mapToInt(machine -> machine.freeCpu / trainer * trainer).sum();
  }

  private static EdlOutcome outcome(
      World world,
      Scenario scenario,
      double heldInVain,
      List<EdlOutcome.Sample> samples,
      List<Integer> sizes,
      long useful) {
    var any = new ArrayList<Integer>();
    var whole = new ArrayList<Integer>();
    var ends = new ArrayList<Integer>();
    for (var job : world.jobs) {
      any.add(job.firstTrainerAt.orElse(scenario.stop()) - job.submittedAt);
      whole.add(job.wholeAt.orElse(scenario.stop()) - job.submittedAt);
      job.endedAt.ifPresent(at -> ends.add(at - job.submittedAt));
    }
    return new EdlOutcome(
        any,
        whole,
        (int) world.jobs.stream().filter(job -> job.firstTrainerAt.isEmpty()).count(),
        (int) world.jobs.stream().filter(job -> job.wholeAt.isEmpty()).count(),
        heldInVain,
        samples,
        sizes,
        world.moved,
        useful - (long) World.MOVE_COSTS * world.moved,
        ends,
        world.jobs.stream().mapToInt(job -> job.endedAt.orElse(scenario.stop())).max().orElse(0),
        (int) world.jobs.stream().filter(job -> job.isWhole(world.now - 1)).count());
  }
}
