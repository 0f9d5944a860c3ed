package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.Remark;
import io.muster.controller.port.SizedJob;
import java.util.Set;

/**
 * A running job that the API server stores, for the elastic loop. What cannot be read of it faults
 * when it is made, so that it is left out and no other job waits for it. Confined to one tick.
 *
 * @param <J> the kind
 */
public abstract class SizedObject<J extends HasMetadata> implements SizedJob {

  private final J job;
  private final JobEvents events;

  protected SizedObject(J job, JobEvents events) {
    this.job = job;
    this.events = events;
  }

  protected final J job() {
    return job;
  }

  @Override
  public final JobKey key() {
    return EngineJob.key(job);
  }

  @Override
  public final void tell(String reason, String sentence) {
    events.leave(job, new Remark(false, reason, sentence));
  }

  @Override
  public Set<String> growingGangs() {
    return Set.of();
  }
}
