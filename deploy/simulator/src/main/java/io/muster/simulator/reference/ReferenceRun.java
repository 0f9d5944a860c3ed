package io.muster.simulator.reference;

import io.muster.simulator.world.cluster.Costs;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

/**
 * Replays a trace under a published policy on a pool of devices:
 *
 * <ol>
 *   <li>whenever a job comes or ends, or passes a threshold, all jobs are put in order;
 *   <li>from the first on each gets its devices if as many are left; whoever ran and got none gives
 *       way, and whoever got some starts;
 *   <li>who gives way pays as in Muster's own replay.
 * </ol>
 *
 * <p>Nodes do not matter to it, and moving costs nothing: with sizes of powers of two that is what
 * a perfect packing would give. Not safe for concurrent use.
 */
public final class ReferenceRun {

  private static final long NEVER = Long.MAX_VALUE;

  /** A job on its way; milliseconds. */
  private static final class Active {
    private final TraceJob job;
    private final long gpus;
    private final long order;
    private long left;
    private long attained;
    private long firstStart = NEVER;
    private boolean runs;
    private long since;
    private long overhead;

    Active(TraceJob job, long order) {
      this.job = job;
      this.order = order;
      gpus = job.gpus();
      left = job.duration().toMillis();
    }

    long end() {
      return since + overhead + left;
    }

    long leftAt(long now) {
      return runs ? Math.min(left, end() - now) : left;
    }

    long attainedAt(long now) {
      return runs ? attained + (now - since) * gpus : attained;
    }
  }

  private final Trace trace;
  private final Policy policy;
  private final Costs costs;
  private final List<Active> running = new ArrayList<>();
  private final TreeSet<Active> waiting;
  private long now;
  private long preemptions;

  public ReferenceRun(Trace trace, Policy policy, Costs costs) {
    this.trace = trace;
    this.policy = policy;
    this.costs = costs;
    waiting = new TreeSet<>(order());
  }

  /** What came of it: mean hours from submission to end, and how often a job gave way. */
  public record Outcome(double meanCompletionHours, double makespanHours, long preemptions) {}

  /** Replays it all; to be called once. */
  public Outcome run() {
    var jobs = trace.jobs();
    double completion = 0;
    int next = 0;
    while (next < jobs.size() || !running.isEmpty()) {
      long arrival = next < jobs.size() ? jobs.get(next).submit().toMillis() : NEVER;
      now = Math.min(arrival, nextChange());
      for (var one : List.copyOf(running)) {
        if (one.end() <= now) {
          running.remove(one);
          completion += now - one.job.submit().toMillis();
        }
      }
      while (next < jobs.size() && jobs.get(next).submit().toMillis() <= now) {
        var job = new Active(jobs.get(next), next);
        next++;
        if (job.gpus <= trace.gpus()) {
          waiting.add(job);
        }
      }
      serve();
    }
    return new Outcome(completion / Math.max(1, jobs.size()) / 3.6e6, now / 3.6e6, preemptions);
  }

  private long nextChange() {
    long next = NEVER;
    for (var one : running) {
      next = Math.min(next, one.end());
      if (policy instanceof Policy.LeastAttained(var thresholds)) {
        long has = one.attainedAt(now);
        for (long threshold : thresholds) {
          long short_ = threshold * 1000 - has;
          if (short_ > 0) {
            next = Math.min(next, now + (short_ + one.gpus - 1) / one.gpus);
            break;
          }
        }
      }
    }
    return next;
  }

  private Comparator<Active> order() {
    Comparator<Active> byPolicy =
        switch (policy) {
          case Policy.Fifo _ -> Comparator.comparingInt(one -> one.runs ? 0 : 1);
          case Policy.ShortestService _ ->
              Comparator.comparingLong(one -> one.leftAt(now) * one.gpus);
          case Policy.LeastAttained(var thresholds) ->
              Comparator.comparingInt((Active one) -> level(one.attainedAt(now), thresholds))
                  .thenComparingLong(one -> one.firstStart);
        };
    return byPolicy.thenComparingLong(one -> one.order);
  }

  private static int level(long attainedMillis, List<Long> thresholds) {
    int level = 0;
    while (level < thresholds.size() && attainedMillis >= thresholds.get(level) * 1000) {
      level++;
    }
    return level;
  }

  private void serve() {
    var order = order();
    var rows = running.stream().sorted(order).toList();
    long free = trace.gpus();
    var chosen = new ArrayList<Active>();
    int row = 0;
    for (var one : waiting) {
      while (row < rows.size() && order.compare(rows.get(row), one) < 0) {
        free -= take(rows.get(row++), free, chosen);
      }
      if (free == 0) {
        break;
      }
      long got = take(one, free, chosen);
      if (got == 0 && policy instanceof Policy.Fifo) {
        break;
      }
      free -= got;
    }
    while (row < rows.size()) {
      free -= take(rows.get(row++), free, chosen);
    }
    for (var one : rows) {
      if (!chosen.contains(one)) {
        giveWay(one);
      }
    }
    for (var one : chosen) {
      if (!one.runs) {
        waiting.remove(one);
        start(one);
      }
    }
  }

  private static long take(Active one, long free, List<Active> chosen) {
    if (one.gpus > free) {
      return 0;
    }
    chosen.add(one);
    return one.gpus;
  }

  private void start(Active one) {
    one.overhead = one.firstStart == NEVER ? 0 : costs.restart().toMillis();
    one.firstStart = Math.min(one.firstStart, now);
    one.since = now;
    one.runs = true;
    running.add(one);
  }

  private void giveWay(Active one) {
    long worked = Math.max(0, now - one.since - one.overhead);
    one.attained = one.attainedAt(now);
    one.runs = false;
    one.left -= costs.kept(java.time.Duration.ofMillis(worked)).toMillis();
    preemptions++;
    running.remove(one);
    waiting.add(one);
  }
}
