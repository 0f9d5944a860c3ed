package io.muster.controller.kinds.di.job;

import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kube.StoredStates;
import java.util.Optional;

/** What the engine has stored of a DIJob. */
public final class DIJobState {

  private DIJobState() {}

  public static JobState of(DIJob job) {
    return Optional.ofNullable(job.getStatus())
        .map(status ->
            StoredStates.read(
                status.state(),
                job.getMetadata().getCreationTimestamp(),
                status.completionTimestamp()))
        .orElse(JobState.NEW);
  }
}
