package io.muster.simulator.edl;

import java.util.List;

/**
 * What came of one replay. Waits and times in seconds, shares from 0 to 1. Immutable.
 *
 * @param waitsForAny of each job, until a first trainer ran
 * @param waitsForGang of each job, until all servers and the fewest trainers ran
 * @param neverAny jobs of which no trainer ever ran
 * @param neverWhole jobs that were never whole
 * @param heldInVain CPU cores that were bound by jobs below their least, the most in any second
 * @param samples of each second, by its number
 * @param sizes trainers of each job at 520 s
 * @param moved trainers that were taken away from jobs that went on
 * @param useful seconds that trainers of whole jobs ran, less 30 for each that was moved
 * @param ends of jobs that ended, from submission
 * @param lastEnd when the last job ended
 * @param wholeAtEnd jobs that were whole in the last second
 */
record EdlOutcome(
    List<Integer> waitsForAny,
    List<Integer> waitsForGang,
    int neverAny,
    int neverWhole,
    double heldInVain,
    List<Sample> samples,
    List<Integer> sizes,
    int moved,
    long useful,
    List<Integer> ends,
    int lastEnd,
    int wholeAtEnd) {

  /**
   * One second.
   *
   * @param used share of the CPU that pods which have started ask for
   * @param kept share of the CPU that is kept free on purpose
   * @param open share of the CPU into which further trainers would fit, what is kept included
   * @param missing pods that the online service is to have and that have not started
   * @param gpus share of the GPUs that is taken
   */
  record Sample(double used, double kept, double open, int trainers, int missing, double gpus) {}

  static double mean(List<Integer> values) {
    return values.stream().mapToInt(Integer::intValue).average().orElse(0);
  }

  double used(int from, int to) {
    return between(from, to).stream().mapToDouble(Sample::used).average().orElse(0);
  }

  double kept(int from, int to) {
    return between(from, to).stream().mapToDouble(Sample::kept).average().orElse(0);
  }

  double open(int from, int to) {
    return between(from, to).stream().mapToDouble(Sample::open).average().orElse(0);
  }

  double gpus(int from, int to) {
    return between(from, to).stream().mapToDouble(Sample::gpus).average().orElse(0);
  }

  double missing(int from, int to) {
    return between(from, to).stream().mapToInt(Sample::missing).average().orElse(0);
  }

  private List<Sample> between(int from, int to) {
    return samples.subList(Math.min(from, samples.size()), Math.min(to, samples.size()));
  }

  /** Jain's index of the sizes: 1 if all are alike. */
  double evenness() {
    double sum = sizes.stream().mapToInt(Integer::intValue).sum();
    double squares = sizes.stream().mapToDouble(size -> (double) size * size).sum();
    return squares == 0 ? 0 : sum * sum / (sizes.size() * squares);
  }
}
