package io.muster.controller.kinds.dlrover.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A plan for a job that is not there is not silent. */
@EnableKubernetesMockClient(https = false, crud = true)
final class OrphanedPlansTest {

  private KubernetesClient client;

  private ScalePlan seen() {
    var plan =
        client
            .resource(
                Serialization.unmarshal(
                    """
                    metadata: {name: p, namespace: n}
                    spec: {ownerJob: j, replicaResourceSpecs: {worker: {replicas: 2}}}
                    """,
                    ScalePlan.class))
            .create();
    new OrphanedPlans(client, () -> Instant.EPOCH).reconcile(plan, mock());
    return client.resources(ScalePlan.class).inNamespace("n").withName("p").get();
  }

  @Test
  void saysWhichJobIsMissing() {
    var status = seen().getStatus();

    assertThat(status.phase()).isEqualTo("Pending");
    assertThat(status.message()).isEqualTo("there is no ElasticJob j in this namespace yet");
    assertThat(PlanMapper.resize(stored()).stage().isEnd()).as("it is served later").isFalse();
  }

  @Test
  void saysThatItsJobIsBeingDeleted() {
    var job = "metadata: {name: j, namespace: n, finalizers: [a/b]}";
    client.resource(Serialization.unmarshal(job, ElasticJob.class)).create();
    client.resources(ElasticJob.class).inNamespace("n").withName("j").delete();

    assertThat(seen().getStatus().message())
        .isEqualTo("ElasticJob j is being deleted; the next of that name is waited for");
  }

  private ScalePlan stored() {
    return client.resources(ScalePlan.class).inNamespace("n").withName("p").get();
  }

  @Test
  void leavesThoseOfJobsToThem() {
    client
        .resource(Serialization.unmarshal("metadata: {name: j, namespace: n}", ElasticJob.class))
        .create();

    assertThat(seen().getStatus()).isNull();
  }
}
