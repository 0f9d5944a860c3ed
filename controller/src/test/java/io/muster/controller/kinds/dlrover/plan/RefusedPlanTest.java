package io.muster.controller.kinds.dlrover.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobMemory;
import io.muster.controller.framework.JobWatch;
import io.muster.controller.framework.ReconciledJob.Seen;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A CRD of another's may refuse what Muster writes to a plan. */
@EnableKubernetesMockClient(https = false)
final class RefusedPlanTest {

  private KubernetesMockServer server;
  private KubernetesClient client;

  private final JobMemory memory = new JobMemory();
  private final ElasticJob job =
      Serialization.unmarshal("metadata: {name: j, namespace: ml, uid: u}", ElasticJob.class);
  private final ScalePlan plan =
      Serialization.unmarshal(
          """
          metadata:
            name: p
            namespace: ml
            uid: s
            resourceVersion: "5"
            creationTimestamp: "2026-01-01T00:00:00Z"
            annotations: {muster.io/job-uid: u}
            ownerReferences: [{apiVersion: elastic.iml.github.io/v1alpha1, kind: ElasticJob, name: j, uid: u}]
          spec: {ownerJob: j, replicaResourceSpecs: {worker: {replicas: 4}}}
          """,
          ScalePlan.class);

  private Plans plans() {
    JobWatch<ElasticJob> watch = mock();
    when(watch.others(job, ScalePlan.class)).thenReturn(List.of(plan));
    return new Plans(
        JobAccess.of(client, "muster", () -> Instant.EPOCH),
        new Seen<>(job, JobState.NEW, List.of(), Map.of(), watch, memory, null, Instant.EPOCH));
  }

  @Test
  void theJobGoesOnWithoutIt() {
    var refusal = new StatusBuilder().withCode(422).withMessage("no such column").build();
    server
        .expect()
        .put()
        .withPath("/apis/elastic.iml.github.io/v1alpha1/namespaces/ml/scaleplans/p/status")
        .andReturn(422, refusal)
        .always();
    server
        .expect()
        .post()
        .withPath("/api/v1/namespaces/ml/events")
        .andReturn(201, new Event())
        .once();
    var plans = plans();
    var noticed = plans.resizes().getFirst().at(Stage.WAITING);
    var outcome =
        new Outcome(JobState.NEW, List.of(noticed), List.of(), List.of(), Optional.empty());

    assertThatThrownBy(() -> plans.store(outcome)).isInstanceOf(KubernetesClientException.class);

    assertThat(plans().resizes()).isEmpty();
  }
}
