package io.muster.controller.kinds.di.job;

import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kube.StoredStates;
import java.time.Instant;
import java.util.Optional;

/** What the engine has stored of a DIJob. */
public final class DIJobState {

  private DIJobState() {}

  public static JobState of(DIJob job) {
    return Optional.ofNullable(job.getStatus())
        .filter(status -> status.state() != null)
        .map(status ->
            StoredStates.read(
                status.state(),
                Optional.of(Instant.parse(job.getMetadata().getCreationTimestamp())),
                Optional.ofNullable(status.completionTimestamp()).map(Instant::parse)))
        .orElse(JobState.NEW);
  }
}
