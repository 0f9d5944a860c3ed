package io.muster.simulator.world;

import java.time.Duration;
import java.util.List;

/**
 * What came of a replay. Times are since the beginning of the trace. Immutable.
 *
 * @param unfinished jobs that had not ended when nothing more could happen
 * @param impossible jobs that the nodes could not hold if they were empty
 * @param incompleteGpuSeconds devices held by gangs with fewer bound pods than their minimum, times
 *     how long
 * @param occupancy share of the devices that bound pods held while a gang waited; 1 if none did
 * @param segments of all gangs that started, as often as they did
 * @param brokenSegments those of them that were not in one rack
 * @param resizes how often a job that ran was given another size
 */
public record Result(
    String policy,
    long gpus,
    List<Finished> finished,
    long unfinished,
    long impossible,
    Duration makespan,
    double usedGpuSeconds,
    double wastedGpuSeconds,
    double fragmentedGpuSeconds,
    double incompleteGpuSeconds,
    double occupancy,
    long segments,
    long brokenSegments,
    long preemptions,
    long resizes,
    List<Sample> samples) {

  public Result {
    finished = List.copyOf(finished);
    samples = List.copyOf(samples);
  }

  /**
   * A job that has ended.
   *
   * @param waited from its submission to its first start
   * @param completion from its submission to its end
   */
  public record Finished(
      String id,
      String tenant,
      long gpus,
      Duration submit,
      Duration waited,
      Duration completion,
      Duration duration,
      int preemptions) {}

  /**
   * Means over a stretch of time that ends then.
   *
   * @param used devices of bound pods
   * @param waiting gangs that wait
   */
  public record Sample(Duration at, double used, double waiting) {}
}
