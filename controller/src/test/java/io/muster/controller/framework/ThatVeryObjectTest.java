package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.controller.kinds.dlrover.plan.PlanRequests;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.scaler.ScalerRequests;
import io.muster.controller.kube.Ownership;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Between a read and a write somebody may make another object of the same name. */
@EnableKubernetesMockClient(https = false)
final class ThatVeryObjectTest {

  private static final String POD = "/api/v1/namespaces/u/pods/mine-worker-0";
  private static final String SERVICE = "/api/v1/namespaces/u/services/mine-worker-0";
  private static final String JOB = "/api/v1/namespaces/u/configmaps/mine";

  private KubernetesMockServer server;
  private KubernetesClient client;
  private JobWrites writes;

  private final ConfigMap job =
      new ConfigMapBuilder()
          .withNewMetadata()
          .withName("mine")
          .withNamespace("u")
          .withUid("job")
          .withResourceVersion("7")
          .endMetadata()
          .build();

  @BeforeEach
  void begin() {
    writes = new JobWrites(client, () -> Instant.EPOCH);
  }

  private void answer(String path, int code) {
    var status = new StatusBuilder().withCode(code).withReason("Conflict").build();
    server.expect().delete().withPath(path).andReturn(code, status).always();
  }

  private JsonNode preconditions() throws Exception {
    var request = server.getLastRequest();
    assertThat(request.getMethod()).isEqualTo("DELETE");
    return new ObjectMapper().readTree(request.getBody().readUtf8()).at("/preconditions");
  }

  @Test
  void aPodThatWasMadeAnewStays() throws Exception {
    var anew = new PodBuilder().withMetadata(Ownership.metadata(job, "mine-worker-0")).build();
    anew.getMetadata().setUid("u0");
    server.expect().get().withPath(POD).andReturn(200, anew).always();
    answer(POD, 409);

    writes.deletePod(job, "mine-worker-0", "u0", new JobMemory());

    assertThat(preconditions().path("uid").asText()).isEqualTo("u0");
  }

  @Test
  void aScalerOrPlanThatWasMadeAnewStays() throws Exception {
    var access = JobAccess.of(client, "muster", () -> Instant.EPOCH);
    var scaler = new ScaleOut();
    scaler.setMetadata(new ObjectMetaBuilder(Ownership.metadata(job, "out")).withUid("s0").build());
    new ScalerRequests(access).withdraw(scaler);
    assertThat(server.getRequestCount()).as("a user's").isZero();
    scaler.getMetadata().setLabels(Map.of("auto-generated", "true"));
    answer("/apis/kai.alibabacloud.com/v1alpha1/namespaces/u/scaleouts/out", 409);
    new ScalerRequests(access).withdraw(scaler);
    assertThat(preconditions().path("uid").asText()).isEqualTo("s0");

    var plan = new ScalePlan();
    plan.setMetadata(new ObjectMetaBuilder(Ownership.metadata(job, "plan")).withUid("p0").build());
    plan.getMetadata().setLabels(Map.of("scale-type", "auto"));
    answer("/apis/elastic.iml.github.io/v1alpha1/namespaces/u/scaleplans/plan", 409);
    new PlanRequests(access).withdraw(plan);
    assertThat(preconditions().path("uid").asText()).isEqualTo("p0");
  }

  @Test
  void aServiceThatWasMadeAnewStaysAndIsLookedAtAgain() throws Exception {
    var read = new ServiceBuilder().withMetadata(Ownership.metadata(job, "mine-worker-0")).build();
    read.getMetadata().setResourceVersion("5");
    server.expect().get().withPath(SERVICE).andReturn(200, read).always();
    answer(SERVICE, 409);

    assertThatThrownBy(() -> writes.deleteService(job, "mine-worker-0"))
        .isInstanceOf(KubernetesClientException.class);

    assertThat(preconditions().path("resourceVersion").asText()).isEqualTo("5");
  }

  /** Long after its end, when its users may make it anew at any time. */
  @Test
  void aJobThatWasMadeAnewStays() throws Exception {
    answer(JOB, 409);

    assertThatThrownBy(() -> JobWrites.deleteUnchanged(client, job))
        .isInstanceOf(KubernetesClientException.class);

    assertThat(preconditions().path("resourceVersion").asText()).isEqualTo("7");
  }

  /** What was decided of a job is not noted on another of its name. */
  @Test
  void anAnnotationIsForThatVeryJob() throws Exception {
    server.expect().patch().withPath(JOB).andReturn(200, job).always();

    writes.annotate(job, "a", "b");

    var patch = new ObjectMapper().readTree(server.getLastRequest().getBody().readUtf8());
    assertThat(patch.at("/metadata/uid").asText()).isEqualTo("job");
    assertThat(patch.at("/metadata/annotations/a").asText()).isEqualTo("b");
  }

  @Test
  void whatIsGoneAlreadyIsAsGoodAsDeleted() {
    answer(POD, 404);
    answer(JOB, 404);

    writes.deletePod(job, "mine-worker-0", "u0", new JobMemory());
    JobWrites.deleteUnchanged(client, job);
  }
}
