package io.muster.controller.kinds.dlrover.job;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.PodAccount;
import java.util.List;
import java.util.Map;

/** What an ElasticJob has beside its pods. */
public final class ElasticJobDependents {

  private ElasticJobDependents() {}

  /** Where the job's master is reached, whichever pod that is. */
  public static Service masterService(ElasticJob job) {
    var name = job.getMetadata().getName();
    var metadata = Ownership.metadata(job, DlroverNames.master(name));
    metadata.setLabels(DlroverNames.masterLabels(name));
    return new ServiceBuilder()
        .withMetadata(metadata)
        .withNewSpec()
        .withType("ClusterIP")
        .withSelector(DlroverNames.masterLabels(name))
        .addNewPort()
        .withPort(DlroverNames.MASTER_PORT)
        .withNewTargetPort(DlroverNames.MASTER_PORT)
        .withProtocol("TCP")
        .endPort()
        .endSpec()
        .build();
  }

  /**
   * What lets the masters of a namespace do their work; shared by its jobs, so it stays. Each right
   * is one that DLRover's master makes use of.
   */
  public static List<HasMetadata> masterRights(String namespace) {
    var metadata = new ObjectMeta();
    metadata.setName(DlroverNames.MASTER_ACCOUNT);
    metadata.setNamespace(namespace);
    metadata.setLabels(Map.of("app.kubernetes.io/managed-by", "muster"));
    return PodAccount.of(
        metadata,
        PodAccount.rule(ElasticJob.GROUP, "elasticjobs", "get", "list", "watch"),
        PodAccount.rule(ElasticJob.GROUP, "elasticjobs/finalizers", "update"),
        PodAccount.rule(ElasticJob.GROUP, "scaleplans", "list", "watch", "patch", "create"),
        PodAccount.rule("", "pods", "get", "list", "watch", "create", "delete", "patch"),
        PodAccount.rule("", "services", "get", "create", "patch"));
  }
}
