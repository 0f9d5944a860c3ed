package io.muster.controller.kinds.di.job;

import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.RunPolicy;
import io.muster.controller.core.job.RunPolicy.CleanUp;
import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.StoredStates;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/** What all DIJobs have in common in the engine's words, whatever their pods are. */
public final class JobFrame {

  private JobFrame() {}

  /**
   * The job that is wanted.
   *
   * @param problems why it cannot be run; it has no roles then
   * @param mendings how many rounds of failures it survives; empty: any number
   */
  public static Job of(
      DIJob object, List<String> problems, Supplier<List<Role>> roles, Optional<Integer> mendings) {
    var run = RunPolicy.once(cleanUp(object)).endingAfter(mendings);
    return EngineJob.of(object, roles, run, problems);
  }

  /** Where it stands, as it is stored. */
  public static JobState state(DIJob object) {
    return Optional.ofNullable(object.getStatus())
        .map(status ->
            StoredStates.read(
                status.state(),
                object.getMetadata().getCreationTimestamp(),
                status.completionTimestamp()))
        .orElse(JobState.NEW);
  }

  private static CleanUp cleanUp(DIJob object) {
    return switch (Objects.requireNonNullElse(object.getSpec().cleanPodPolicy(), "Running")) {
      case "All", "ALL" -> CleanUp.ALL;
      case "None" -> CleanUp.NOTHING;
      default -> CleanUp.ALL_UNFINISHED;
    };
  }
}
