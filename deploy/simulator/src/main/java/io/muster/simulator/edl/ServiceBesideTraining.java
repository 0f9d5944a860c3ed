package io.muster.simulator.edl;

import io.muster.simulator.edl.regime.Regimes;
import io.muster.simulator.edl.regime.WholeGangs;
import java.util.List;
import java.util.Random;

/**
 * Case 2 of the published experiment, the whole of it or a part, for those who run it elsewhere and
 * hold it against its replay. Times in seconds from its beginning. Immutable.
 */
public final class ServiceBesideTraining {

  /** CPU that pods of the system take of each node, in thousandths of a core. */
  public static final int SYSTEM_CPU_MILLIS = NodeMix.SYSTEM_CPU;

  private static final int SMALL_NODES = 86;
  private static final int SMALL_CORES = 12;
  private static final int LARGE_NODES = 47;
  private static final int LARGE_CORES = 28;
  private static final int FIRST_TRAINERS = 15;

  private final Scenario scenario;

  private ServiceBesideTraining(Scenario scenario) {
    this.scenario = scenario;
  }

  /** A node. */
  public record Node(String name, int cores) {}

  /** What every job is made of; CPU in thousandths of a core. */
  public record Shape(
      int masterCpu, int pservers, int pserverCpu, int trainerCpu, int least, int most) {}

  /**
   * One second.
   *
   * @param used share of all CPU that pods which have started ask for
   * @param missing pods that the service is to have and that are not up
   */
  public record Second(double used, int trainers, int missing) {}

  /**
   * One run of the replay.
   *
   * @param moved trainers that were taken away from jobs that went on
   * @param neverWhole jobs that never had all servers and the fewest trainers
   */
  public record Run(List<Second> seconds, int moved, int neverWhole, double meanWait) {

    public Run {
      seconds = List.copyOf(seconds);
    }
  }

  /**
   * So large a part of it: nodes, jobs and service alike.
   *
   * @param scale above 0; 1 is all of it
   */
  public static ServiceBesideTraining scaled(double scale) {
    var whole = Scenario.caseTwo(FIRST_TRAINERS);
    return new ServiceBesideTraining(
        new Scenario(
            NodeMix.cpu(
                part(SMALL_NODES, scale), SMALL_CORES, part(LARGE_NODES, scale), LARGE_CORES),
            whole.shape(),
            part(whole.jobs(), scale),
            whole.firstAt(),
            whole.gap(),
            whole.warmUp(),
            whole.services().stream()
                .map(target -> new Scenario.Target(target.from(), part(target.pods(), scale)))
                .toList(),
            whole.stop(),
            whole.grace()));
  }

  private Scenario later(int by) {
    return new Scenario(
        scenario.nodes(),
        scenario.shape(),
        scenario.jobs(),
        scenario.firstAt() + by,
        scenario.gap(),
        scenario.warmUp(),
        scenario.services().stream()
            .map(target -> new Scenario.Target(target.from() + by, target.pods()))
            .toList(),
        scenario.stop() + by,
        scenario.grace());
  }

  private static int part(int count, double scale) {
    return Math.max(1, (int) Math.round(count * scale));
  }

  /** In the order in which the replay has them; their names decide ties. */
  public List<Node> nodes() {
    return scenario.nodes().machines(new Random(0)).stream()
        .map(machine -> new Node(machine.name, machine.cpuMillis / 1_000))
        .toList();
  }

  /** When each job comes in. */
  public List<Integer> arrivals() {
    return scenario.arrivals();
  }

  public Shape shape() {
    var shape = scenario.shape();
    return new Shape(
        shape.masterCpu(),
        shape.pservers(),
        shape.pserverCpu(),
        shape.trainerCpu(),
        shape.least(),
        shape.most());
  }

  public int serviceCpu() {
    return Scenario.SERVICE_CPU;
  }

  /** Pods that the service is to have at that time. */
  public int serviceAt(int now) {
    return scenario.servicesAt(now);
  }

  /** So long the service runs alone before. */
  public int warmUp() {
    return scenario.warmUp();
  }

  public int stop() {
    return scenario.stop();
  }

  /** Grace of a trainer. */
  public int grace() {
    return scenario.grace();
  }

  public long cpuMillis() {
    return scenario.cpuMillis();
  }

  /**
   * Muster as it is set up by default, in virtual time. The seed decides ties and starts, and at
   * which moment of Muster's rounds it all begins, which nobody chooses live either.
   */
  public Run replay(long seed) {
    int begin = (int) (seed % WholeGangs.ROUND);
    var outcome = EdlReplay.of(later(begin), seed, false, Regimes.muster());
    return new Run(
        outcome.samples().stream()
            .skip(begin)
            .map(sample -> new Second(sample.used(), sample.trainers(), sample.missing()))
            .toList(),
        outcome.moved(),
        outcome.neverWhole(),
        EdlOutcome.mean(outcome.waitsForGang()));
  }
}
