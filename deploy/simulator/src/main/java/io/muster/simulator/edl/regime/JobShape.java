package io.muster.simulator.edl.regime;

import io.muster.simulator.world.cluster.Speed;
import java.util.Optional;

/**
 * What a job is made of. CPU in thousandths of a core. Immutable.
 *
 * @param least trainers that must start together with the servers
 * @param most trainers that it may have
 * @param first trainers that it has at first where nobody decides by the room there is
 * @param work what it has to do; empty: it runs until the replay ends
 */
public record JobShape(
    int masterCpu,
    int pservers,
    int pserverCpu,
    int trainerCpu,
    int trainerGpus,
    int least,
    int most,
    int first,
    Optional<Work> work) {

  /**
   * A job that ends.
   *
   * @param seconds of one trainer alone
   * @param serial share of the work that more trainers do not make faster
   */
  public record Work(double seconds, double serial) {

    public Work times(double factor) {
      return new Work(seconds * factor, serial);
    }

    /** Seconds of one trainer that so many do in a second. */
    public double rate(int trainers) {
      return new Speed(serial).of(trainers);
    }
  }

  /** The job of the published experiment. */
  public static JobShape published(int first) {
    return new JobShape(1_000, 10, 4_000, 5_000, 0, 2, 60, first, Optional.empty());
  }

  public JobShape working(Work work) {
    return new JobShape(
        masterCpu,
        pservers,
        pserverCpu,
        trainerCpu,
        trainerGpus,
        least,
        most,
        first,
        Optional.of(work));
  }

  int servers() {
    return 1 + pservers;
  }

  /** CPU of the members that must start together. */
  int leastCpu() {
    return masterCpu + pservers * pserverCpu + least * trainerCpu;
  }
}
