package io.muster.bench;

import io.muster.sandbox.AuditLog.Write;
import io.muster.sandbox.Await;
import io.muster.sandbox.MusterProcess;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * TrainingJobs of 8 workers, created all at once where all fit: how long until all run, how long
 * one look at a job takes with all its writes, and whether a job costs the API server more writes
 * among many than among few.
 */
final class JobCrowd {

  private static final int WORKERS = 8;
  private static final int CLIENTS = 16;
  private static final int FEW = 25;
  private static final int MANY = 100;
  private static final double RUNNING_BAR_SECONDS = 90;
  private static final double RECONCILE_BAR_SECONDS = 0.05;
  private static final double GROWTH_BAR = 1.05;
  private static final double RARE = 0.99;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  Verdict measure() {
    try (var arena = Arena.with(MANY)) {
      arena.turnTo(Side.MUSTER);
      var muster = arena.muster().orElseThrow();
      System.out.println("  warming up:");
      round(arena, muster, "w", FEW);
      clean(arena);
      var few = round(arena, muster, "f", FEW);
      clean(arena);
      var many = round(arena, muster, "m", MANY);
      return verdict(few, many);
    }
  }

  /** So many jobs run, and are gone. */
  static void rehearse(Arena arena, MusterProcess muster, int jobs) {
    round(arena, muster, "r", jobs);
    clean(arena);
  }

  private static Verdict verdict(Round few, Round many) {
    double growth = many.writesPerJob() / few.writesPerJob();
    double rare = many.looks().quantile(RARE);
    System.out.printf(
        "%n  %5s %10s %12s %12s %12s%n", "jobs", "seconds", "median ms", "p99 ms", "writes/job");
    for (var round : List.of(few, many)) {
      System.out.printf(
          "  %5d %10.1f %12.1f %12.1f %12.1f%n",
          round.jobs(),
          round.seconds(),
          round.looks().quantile(0.5) * 1000,
          round.looks().quantile(RARE) * 1000,
          round.writesPerJob());
    }
    return new Verdict(
        "jobs",
        "s",
        Verdict.LOWER,
        new EnumMap<>(Map.of(Side.MUSTER, many.seconds())),
        OptionalDouble.empty(),
        "muster < %s, reconcileP99Millis < %s, writesGrowth <= %s, execs = 0"
            .formatted(RUNNING_BAR_SECONDS, RECONCILE_BAR_SECONDS * 1000, GROWTH_BAR),
        Optional.of(
            many.seconds() < RUNNING_BAR_SECONDS
                && rare < RECONCILE_BAR_SECONDS
                && growth <= GROWTH_BAR
                && many.execs() == 0),
        Map.of(
            "secondsOf25",
            few.seconds(),
            "reconcileMedianMillis",
            many.looks().quantile(0.5) * 1000,
            "reconcileP99Millis",
            rare * 1000,
            "reconcileP99MillisOf25",
            few.looks().quantile(RARE) * 1000,
            "writesPerJob",
            many.writesPerJob(),
            "writesPerJobOf25",
            few.writesPerJob(),
            "writesGrowth",
            growth,
            "execs",
            (double) many.execs()));
  }

  /**
   * What came of it.
   *
   * @param seconds from the last job created to the last one seen to run
   */
  private record Round(int jobs, double seconds, List<Write> writes, Histogram looks) {

    double writesPerJob() {
      return (double) writes.size() / jobs;
    }

    long execs() {
      return writes.stream().filter(write -> write.resource().equals("pods/exec")).count();
    }

    String words() {
      return writes.stream()
          .collect(
              Collectors.groupingBy(
                  write -> write.verb() + " " + write.resource() + " " + write.code(),
                  TreeMap::new,
                  Collectors.counting()))
          .toString();
    }
  }

  private static Round round(Arena arena, MusterProcess muster, String prefix, int jobs) {
    var names = IntStream.range(0, jobs).mapToObj(i -> prefix + i).toList();
    var audit = arena.sandbox().auditLog();
    long mark = audit.mark();
    var looksBefore = Histogram.of(muster);
    var cpu = arena.cpuTimes();
    Crowd.each(
        names,
        CLIENTS,
        name ->
            arena
                .api()
                .post(Manifests.TRAINING_JOBS, Manifests.trainingJob(name, WORKERS))
                .orFail("TrainingJob " + name));
    long created = System.nanoTime();
    Await.until("the jobs to run", LIMIT, () -> running(arena) == jobs);
    double seconds = (System.nanoTime() - created) / 1e9;
    var used = arena.cpuTimes().since(cpu);
    CpuTimes.awaitQuiet(arena.sandbox().state());
    var result =
        new Round(
            jobs,
            seconds,
            audit.since(mark).stream()
                .filter(write -> write.namespace().equals(Manifests.NAMESPACE))
                .toList(),
            Histogram.of(muster).since(looksBefore));
    System.out.printf(
        "    %d jobs: all run after %.1f s; %.0f looks; CPU seconds: %s%n      writes: %s%n",
        jobs, seconds, result.looks().count(), used, result.words());
    return result;
  }

  private static long running(Arena arena) {
    return arena
        .api()
        .get(Manifests.TRAINING_JOBS + "?resourceVersion=0")
        .path("items")
        .findValuesAsText("phase")
        .stream()
        .filter("Running"::equals)
        .count();
  }

  private static void clean(Arena arena) {
    arena.empty(Manifests.TRAINING_JOBS, "{}");
    // What the jobs own goes with them.
    arena.awaitEmpty(Manifests.SERVICES);
    arena.awaitEmpty(Manifests.PODS);
    CpuTimes.awaitQuiet(arena.sandbox().state());
  }

  /** How many looks took at most so many seconds, by that bound. Immutable. */
  private record Histogram(List<Step> steps) {

    private static final String SERIES = "muster_job_reconcile_seconds_bucket";

    /** So many took no longer. */
    record Step(double seconds, double looks) {}

    Histogram {
      steps = List.copyOf(steps);
    }

    static Histogram of(MusterProcess muster) {
      var sums = new TreeMap<Double, Double>();
      muster
          .metrics(SERIES)
          .forEach((labels, value) -> {
            var bound = labels.replaceAll(".*le=\"([^\"]*)\".*", "$1").replace("+Inf", "Infinity");
            sums.merge(Double.valueOf(bound), value, Double::sum);
          });
      return new Histogram(
          sums.entrySet().stream()
              .map(entry -> new Step(entry.getKey(), entry.getValue()))
              .toList());
    }

    Histogram since(Histogram before) {
      return new Histogram(
          IntStream.range(0, steps.size())
              .mapToObj(i ->
                  new Step(steps.get(i).seconds, steps.get(i).looks - before.steps.get(i).looks))
              .toList());
    }

    double count() {
      return steps.getLast().looks;
    }

    /** In seconds, as if those between two bounds were spread evenly. */
    double quantile(double share) {
      double rank = share * count();
      var below = new Step(0, 0);
      for (var step : steps) {
        if (step.looks >= rank && step.looks > below.looks) {
          return below.seconds
              + (step.seconds - below.seconds) * (rank - below.looks) / (step.looks - below.looks);
        }
        below = step;
      }
      return Double.NaN;
    }
  }
}
