package io.muster.controller.core.elastic;

import io.muster.controller.core.elastic.CapacityOracle.Amounts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The rule of PaddlePaddle's EDL: jobs grow and shrink one worker at a time until the requests of
 * all pods stay just below a share of the cluster's CPU.
 *
 * <ol>
 *   <li>The poorest job first, each job grows by one worker where a node has room and the limits
 *       allow it. Poor is who has got little of the way from its least to its most.
 *   <li>The richest first, each job gives one worker back while a limit is passed.
 *   <li>Both are done again until nothing changes.
 * </ol>
 *
 * <p>Guaranteed: it ends, for nobody grows while a limit is passed, and growth passes none; nobody
 * goes below its least by step 2. Devices and memory may be used to the last. Stateless, safe for
 * concurrent use.
 */
public final class EdlRule {

  private EdlRule() {}

  /**
   * A job that takes part.
   *
   * @param size workers that it is to have
   * @param worker what one of them asks for
   */
  public record Job(String key, int size, int least, int most, Amounts worker) {

    double fulfilment() {
      return most == least ? 1 : (double) (size - least) / (most - least);
    }
  }

  /**
   * What there is in all and what pods ask for, those that wait included.
   *
   * @param load share of the CPU that may be asked for
   */
  public record Cluster(Amounts offered, Amounts asked, double load) {

    private Cluster with(Job job, int workers) {
      return new Cluster(offered, asked.plus(job.worker(), workers), load);
    }

    private Amounts limit() {
      long cpu = (long) (offered.cpuMillis() * load);
      return new Amounts(cpu, offered.memory(), offered.devices());
    }

    private boolean isOver() {
      return asked.exceeds(limit());
    }

    private boolean takes(Amounts worker) {
      var left = limit().plus(asked, -1);
      return left.cpuMillis() >= worker.cpuMillis()
          && left.memory() > worker.memory()
          && left.devices() >= worker.devices();
    }
  }

  /** Where workers go. Confined to one thread. */
  @FunctionalInterface
  public interface Nodes {

    /** Takes room for one worker of that job on a node; false if none has it. */
    boolean take(Job job);
  }

  /** Workers that each job gets or, below 0, gives back; jobs that keep their size are absent. */
  public static Map<String, Integer> plan(List<Job> jobs, Cluster cluster, Nodes nodes) {
    var poorestFirst = new ArrayList<>(jobs);
    poorestFirst.sort(order());
    var changes = new HashMap<String, Integer>();
    var now = cluster;
    boolean changed;
    do {
      changed = false;
      for (var job : poorestFirst) {
        int step = up(job, changes.getOrDefault(job.key(), 0), now, nodes);
        changes.merge(job.key(), step, Integer::sum);
        now = now.with(job, step);
        changed |= step != 0;
      }
      for (var job : poorestFirst.reversed()) {
        int step = down(job, changes.getOrDefault(job.key(), 0), now);
        changes.merge(job.key(), step, Integer::sum);
        now = now.with(job, step);
        changed |= step != 0;
      }
    } while (changed);
    changes.values().removeIf(change -> change == 0);
    return changes;
  }

  static Comparator<Job> order() {
    return Comparator.comparingDouble(Job::fulfilment)
        .thenComparingLong(job -> job.worker().devices())
        .thenComparingLong(job -> job.worker().cpuMillis())
        .thenComparingLong(job -> job.worker().memory())
        .thenComparing(Job::key);
  }

  /** One more, none, or as many less as it is above its most. */
  static int up(Job job, int change, Cluster cluster, Nodes nodes) {
    int size = job.size() + change;
    if (size >= job.most()) {
      return job.most() - size;
    }
    boolean isAllowed = !cluster.isOver() && cluster.takes(job.worker());
    return isAllowed && nodes.take(job) ? 1 : 0;
  }

  /** One less while it is above its most, or a limit is passed and it is above its least. */
  static int down(Job job, int change, Cluster cluster) {
    int size = job.size() + change;
    return size > job.most() || (cluster.isOver() && size > job.least()) ? -1 : 0;
  }
}
