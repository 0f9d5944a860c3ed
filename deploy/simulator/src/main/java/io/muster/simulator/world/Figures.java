package io.muster.simulator.world;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A result in figures. Times in seconds, shares between 0 and 1. Immutable.
 *
 * @param utilisation devices of bound pods, of all, over the makespan
 * @param fragmented idle devices while some waiting gang needs no more than that many, of all, over
 *     the makespan; room that is kept for a gang is among them
 * @param occupancy devices of bound pods, of all, over the time in which a gang waits
 * @param segments of all gangs that started, as often as they did
 * @param brokenSegments those of them that were not in one rack
 * @param jain fairness over tenants of how much longer their jobs took than undisturbed; 1 is equal
 * @param worstTenant how many times longer the jobs of the worst-off tenant took than undisturbed
 * @param wasted of the device seconds used, those that led to nothing: work that was not saved,
 *     what a life that was cut short had spent on its restart, and standing still for another size
 * @param resizes how often a job that ran was given another size
 */
public record Figures(
    long jobs,
    long unfinished,
    long impossible,
    double meanCompletion,
    double medianCompletion,
    double p99Completion,
    double meanWait,
    double p99Wait,
    double makespan,
    double utilisation,
    double fragmented,
    double occupancy,
    long segments,
    long brokenSegments,
    double jain,
    double worstTenant,
    double incompleteGpuSeconds,
    double wasted,
    long preemptions,
    long resizes) {

  private static final double MILLIS = 1000;

  /** Those of a result. */
  public static Figures of(Result result) {
    var completions = sorted(result.finished().stream().map(Result.Finished::completion).toList());
    var waits = sorted(result.finished().stream().map(Result.Finished::waited).toList());
    double capacity = Math.max(1, result.gpus() * (result.makespan().toMillis() / MILLIS));
    var tenants = slowdowns(result);
    return new Figures(
        result.finished().size(),
        result.unfinished(),
        result.impossible(),
        mean(completions),
        at(completions, 0.5),
        at(completions, 0.99),
        mean(waits),
        at(waits, 0.99),
        result.makespan().toMillis() / MILLIS,
        result.usedGpuSeconds() / capacity,
        result.fragmentedGpuSeconds() / capacity,
        result.occupancy(),
        result.segments(),
        result.brokenSegments(),
        jain(tenants),
        tenants.values().stream().mapToDouble(Double::doubleValue).max().orElse(1),
        result.incompleteGpuSeconds(),
        result.wastedGpuSeconds() / Math.max(1, result.usedGpuSeconds()),
        result.preemptions(),
        result.resizes());
  }

  /** By tenant, the sum of its completion times to that of its undisturbed durations. */
  private static Map<String, Double> slowdowns(Result result) {
    return result.finished().stream()
        .collect(
            Collectors.groupingBy(
                Result.Finished::tenant,
                LinkedHashMap::new,
                Collectors.collectingAndThen(Collectors.toList(), Figures::slowdown)));
  }

  private static double slowdown(List<Result.Finished> jobs) {
    double took = jobs.stream().mapToDouble(job -> job.completion().toMillis()).sum();
    double alone = jobs.stream().mapToDouble(job -> job.duration().toMillis()).sum();
    return alone == 0 ? 1 : took / alone;
  }

  private static double jain(Map<String, Double> values) {
    double sum = values.values().stream().mapToDouble(Double::doubleValue).sum();
    double squares = values.values().stream().mapToDouble(value -> value * value).sum();
    return squares == 0 ? 1 : sum * sum / (values.size() * squares);
  }

  /** In seconds, ascending. */
  static double[] sorted(List<Duration> durations) {
    return durations.stream().mapToDouble(each -> each.toMillis() / MILLIS).sorted().toArray();
  }

  private static double mean(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return values.length == 0 ? 0 : sum / values.length;
  }

  /** The value below which that share of them is. */
  static double at(double[] ascending, double share) {
    return ascending.length == 0
        ? 0
        : ascending[(int) Math.min(ascending.length - 1, Math.floor(share * ascending.length))];
  }
}
