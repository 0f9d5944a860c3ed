package io.muster.deploy.simulate.world;

import io.muster.extender.core.cluster.Pod;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/** A job on its way through the replay. Milliseconds since the beginning of the trace. */
final class RunningJob {

  final Job job;
  final long submittedAt;

  /** Pods of its present life, by uid. */
  final Map<String, Pod> pods = new LinkedHashMap<>();

  int lives;
  int bound;
  long boundGpus;

  /** Work that is done and saved. */
  long saved;

  OptionalLong startedAt = OptionalLong.empty();
  OptionalLong firstStartAt = OptionalLong.empty();
  boolean ending;
  boolean ended;

  RunningJob(Job job) {
    this.job = job;
    this.submittedAt = job.submit().toMillis();
  }

  boolean isWhole() {
    return bound == job.pods();
  }

  int preemptions() {
    return Math.max(0, lives - 1);
  }
}
