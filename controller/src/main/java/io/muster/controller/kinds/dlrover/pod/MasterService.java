package io.muster.controller.kinds.dlrover.pod;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobWrites;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.job.ElasticJobDependents;
import io.muster.controller.kube.ForeignObjectException;
import io.muster.controller.kube.Ownership;
import java.util.List;
import java.util.Map;

/** Sees to it that a job's master has its Service. Safe for concurrent use. */
public final class MasterService {

  private final JobAccess access;

  public MasterService(JobAccess access) {
    this.access = access;
  }

  /**
   * Makes it. One left by a job that had the name before would go with that job, so it is taken
   * over.
   *
   * @throws ForeignObjectException if one by its name belongs to somebody else
   */
  public void make(ElasticJob job) {
    var service = ElasticJobDependents.masterService(job);
    var there = access.client().resource(service).get();
    if (there == null || !isOfEarlier(job, there)) {
      access.writes().putOwn(job, service);
      return;
    }
    JobWrites.merge(
        access.client(),
        there,
        Map.of("metadata", Map.of("ownerReferences", List.of(Ownership.by(job)))));
  }

  /** Whether it is that of a job which had the name before. */
  private static boolean isOfEarlier(ElasticJob job, HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner ->
            Boolean.TRUE.equals(owner.getController())
                && owner.getKind().equals(job.getKind())
                && owner.getApiVersion().startsWith(ElasticJob.GROUP + "/")
                && owner.getName().equals(job.getMetadata().getName())
                && !owner.getUid().equals(job.getMetadata().getUid()));
  }
}
