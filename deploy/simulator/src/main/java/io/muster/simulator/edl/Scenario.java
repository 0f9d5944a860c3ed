package io.muster.simulator.edl;

import io.muster.simulator.edl.regime.JobShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * What comes in and when, in seconds. Immutable.
 *
 * @param gap between two submissions
 * @param warmUp before the first second of the experiment, when the online service comes up
 * @param services how many pods the online service is to have from when on, in order of time
 * @param stop when all is over; jobs that never started have waited until then
 */
record Scenario(
    NodeMix nodes,
    JobShape shape,
    int jobs,
    double firstAt,
    double gap,
    int warmUp,
    List<Target> services,
    int stop,
    int grace) {

  /** So many pods of the online service from then on. */
  record Target(int from, int pods) {}

  static final int SERVICE_CPU = 3_000;

  private static final double SPREAD = 0.2;
  private static final double LEAST_WORK = 0.5;
  private static final int STRIDE = 7;
  private static final double MEASURED_GAP = 12.8;
  private static final int GRACE = 30;
  private static final int STOP = 596;

  Scenario {
    services = List.copyOf(services);
  }

  /** Training jobs alone. */
  static Scenario caseOne() {
    return new Scenario(
        NodeMix.FITTED, JobShape.published(2), 20, 5, MEASURED_GAP, 0, List.of(), STOP, GRACE);
  }

  /** The same with jobs of one size, which were submitted somewhat later. */
  static Scenario caseOneFixed() {
    var elastic = caseOne();
    return new Scenario(
        elastic.nodes, JobShape.published(60), 20, 5, 14.0, 0, List.of(), 613, GRACE);
  }

  /** Training jobs beside an online service that becomes smaller and larger again. */
  static Scenario caseTwo(int firstTrainers) {
    return new Scenario(
        NodeMix.FITTED,
        JobShape.published(firstTrainers),
        6,
        0,
        6.5,
        40,
        List.of(
            new Target(0, 400),
            new Target(112, 300),
            new Target(203, 200),
            new Target(295, 100),
            new Target(387, 200),
            new Target(480, 300),
            new Target(573, 400)),
        705,
        GRACE);
  }

  Scenario on(NodeMix mix) {
    return new Scenario(mix, shape, jobs, firstAt, gap, warmUp, services, stop, grace);
  }

  Scenario every(double seconds) {
    return new Scenario(nodes, shape, jobs, firstAt, seconds, warmUp, services, stop, grace);
  }

  Scenario of(JobShape other) {
    return new Scenario(nodes, other, jobs, firstAt, gap, warmUp, services, stop, grace);
  }

  Scenario until(int end) {
    return new Scenario(nodes, shape, jobs, firstAt, gap, warmUp, services, end, grace);
  }

  /** When each job comes in, every gap as it was measured. */
  List<Integer> arrivals() {
    var times = new ArrayList<Integer>();
    for (int i = 0; i < jobs; i++) {
      times.add((int) (firstAt + Math.floor(gap * i)));
    }
    return times;
  }

  /** The same with every gap up to a fifth shorter or longer. */
  List<Integer> arrivals(Random random) {
    var times = new ArrayList<Integer>();
    double at = firstAt;
    for (int i = 0; i < jobs; i++) {
      times.add((int) Math.floor(at));
      at += gap * (1 - SPREAD + 2 * SPREAD * random.nextDouble());
    }
    return times;
  }

  /** The shape of a job; of jobs that end, each has another amount of work. */
  JobShape shapeOf(int number) {
    double factor = LEAST_WORK + (number * STRIDE % jobs) / (double) jobs;
    return shape.work().map(work -> shape.working(work.times(factor))).orElse(shape);
  }

  int servicesAt(int now) {
    int pods = services.isEmpty() ? 0 : services.getFirst().pods();
    for (var target : services) {
      pods = now >= target.from() ? target.pods() : pods;
    }
    return pods;
  }

  /** CPU of all nodes. */
  long cpuMillis() {
    return nodes.sizes().stream().mapToLong(size -> 1_000L * size.nodes() * size.cores()).sum();
  }
}
