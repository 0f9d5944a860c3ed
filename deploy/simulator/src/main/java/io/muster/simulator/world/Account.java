package io.muster.simulator.world;

import io.muster.simulator.world.cluster.RunningJob;
import io.muster.simulator.world.cluster.Trace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** What comes of a replay, as it goes on. Not thread-safe. */
final class Account {

  private final IntConsumer progress;
  private final List<Result.Finished> finished = new ArrayList<>();
  private long makespan;
  private long preemptions;
  private long resizes;
  private long impossible;
  private double wasted;

  /**
   * One without entries.
   *
   * @param progress is told how many jobs have ended
   */
  Account(IntConsumer progress) {
    this.progress = progress;
  }

  /** A job that the nodes could not hold if they were empty. */
  void impossible() {
    impossible++;
  }

  /** A job was given another size, for so many device seconds of standstill. */
  void resized(double stoodStill) {
    resizes++;
    wasted += stoodStill;
  }

  /** A job was ended for another, and so many device seconds of it led to nothing. */
  void preempted(double lost) {
    preemptions++;
    wasted += lost;
  }

  /** A job is done, after so many device seconds of standstill that are not yet counted. */
  void finished(RunningJob running, double stoodStill, long now) {
    wasted += stoodStill;
    makespan = now;
    finished.add(
        new Result.Finished(
            running.job.id(),
            running.job.tenant(),
            running.job.gpus(),
            running.job.submit(),
            Duration.ofMillis(running.firstStartAt.orElseThrow() - running.submittedAt),
            Duration.ofMillis(now - running.submittedAt),
            running.job.duration(),
            running.preemptions()));
    progress.accept(finished.size());
  }

  /** How many of these jobs may still end. */
  long left(int jobs) {
    return jobs - finished.size() - impossible;
  }

  Result result(Trace trace, String policy, int jobs, Gauge gauge, SegmentCount segments) {
    return new Result(
        policy,
        trace.gpus(),
        finished,
        left(jobs),
        impossible,
        Duration.ofMillis(makespan),
        gauge.usedGpuSeconds(),
        wasted,
        gauge.fragmentedGpuSeconds(),
        gauge.incompleteGpuSeconds(),
        gauge.occupancy(),
        segments.all(),
        segments.broken(),
        preemptions,
        resizes,
        gauge.samples());
  }
}
