package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.Remark;
import io.muster.controller.port.SizedJob;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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

  /**
   * Read once.
   *
   * @param wanted workers that it is to have now
   * @param elastic empty if its size does not follow the free capacity
   * @param leaving uids of its pods that are on their way out
   * @param growingGangs by which it grows by itself
   */
  public record Size(
      int wanted, Optional<ResizableJob> elastic, List<String> leaving, Set<String> growingGangs) {

    public Size {
      leaving = List.copyOf(leaving);
      growingGangs = elastic.isPresent() ? Set.copyOf(growingGangs) : Set.of();
    }
  }

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
  public final int wanted() {
    return size.wanted();
  }

  @Override
  public final Optional<ResizableJob> elastic() {
    return size.elastic();
  }

  @Override
  public final List<String> leaving() {
    return size.leaving();
  }

  @Override
  public final Set<String> growingGangs() {
    return size.growingGangs();
  }

  @Override
  public final void tell(String reason, String sentence) {
    access.events().leave(job, new Remark(false, reason, sentence));
  }
}
