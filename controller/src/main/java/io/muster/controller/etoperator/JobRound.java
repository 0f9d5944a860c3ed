package io.muster.controller.etoperator;

import io.muster.controller.core.engine.JobState.Phase;
import io.muster.controller.etoperator.api.TrainingJob;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What is done about all jobs together, every few seconds. Confined to one thread at a time. */
final class JobRound {

  private final InstantSource clock;
  private final WaitingReasons reasons;
  private final AutoScaling scaling;

  JobRound(InstantSource clock, WaitingReasons reasons, AutoScaling scaling) {
    this.clock = clock;
    this.reasons = reasons;
    this.scaling = scaling;
  }

  void go(JobWatch watch) {
    var jobs =
        watch.jobs().list(job -> !job.isMarkedForDeletion() && !JobForm.isAnothers(job)).toList();
    reasons.tell(in(jobs, Set.of(Phase.STARTING)), clock.instant());
    scaling.advance(watch, in(jobs, Set.of(Phase.RUNNING, Phase.SCALING)), clock.instant());
  }

  private static List<TrainingJob> in(List<TrainingJob> jobs, Set<Phase> phases) {
    return jobs.stream().filter(job -> phase(job).filter(phases::contains).isPresent()).toList();
  }

  /** Empty for one that cannot be read: its own look says so, and no other waits for it. */
  private static Optional<Phase> phase(TrainingJob job) {
    try {
      return Optional.of(JobForm.state(job).phase());
    } catch (RuntimeException _) {
      return Optional.empty();
    }
  }
}
