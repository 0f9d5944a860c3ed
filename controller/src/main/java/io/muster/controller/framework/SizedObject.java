package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.Remark;
import io.muster.controller.port.SizedJob;

/**
 * A running job that the API server stores, for the elastic loop. What cannot be read of it faults
 * when it is made, so that it is left out and no other job waits for it. Confined to one tick.
 *
 * @param <J> the kind
 */
public abstract class SizedObject<J extends HasMetadata> implements SizedJob {

  private final J job;
  private final JobAccess access;
  private final Size size;

  protected SizedObject(J job, JobAccess access, Size size) {
    this.job = job;
    this.access = access;
    this.size = size;
  }

  protected final J job() {
    return job;
  }

  protected final JobAccess access() {
    return access;
  }

  @Override
  public final JobKey key() {
    return EngineJob.key(job);
  }

  @Override
  public final Size size() {
    return size;
  }

  @Override
  public final void tell(String reason, String sentence) {
    access.events().leave(job, new Remark(false, reason, sentence));
  }
}
