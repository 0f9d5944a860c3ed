package io.muster.controller.kinds.etoperator.scaler;

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
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobWatch;
import io.muster.controller.framework.ReconciledJob.Seen;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.ScaleOutStatus;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.launcher.LauncherMemory;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A CRD of another's, or another's admission, may refuse what Muster writes to a scaler. */
@EnableKubernetesMockClient(https = false)
final class ScalersTest {

  private static final String STATUS =
      "/apis/kai.alibabacloud.com/v1alpha1/namespaces/ml/scaleouts/more/status";
  private static final String EVENTS = "/api/v1/namespaces/ml/events";

  private KubernetesMockServer server;
  private KubernetesClient client;

  private final LauncherMemory memory = new LauncherMemory();
  private final TrainingJob job =
      Serialization.unmarshal("metadata: {name: j, namespace: ml, uid: u}", TrainingJob.class);

  private static ScaleOut scaler(int generation) {
    return Serialization.unmarshal(
        """
        metadata:
          name: more
          namespace: ml
          uid: s
          resourceVersion: "5"
          generation: %d
          creationTimestamp: "2026-01-01T00:00:00Z"
          annotations: {muster.io/job-uid: u}
          ownerReferences: [{apiVersion: v, kind: TrainingJob, name: j, uid: u}]
        spec: {selector: {name: j}, toAdd: {count: 1}}
        """
            .formatted(generation),
        ScaleOut.class);
  }

  private Scalers scalers(int generation) {
    JobWatch<TrainingJob> watch = mock();
    when(watch.others(job, ScaleIn.class)).thenReturn(List.of());
    when(watch.others(job, ScaleOut.class)).thenReturn(List.of(scaler(generation)));
    return new Scalers(
        JobAccess.of(client, "muster", () -> Instant.EPOCH),
        new Seen<>(job, JobState.NEW, List.of(), Map.of(), watch, memory, null, Instant.EPOCH));
  }

  private static Outcome noticed(Resize resize) {
    return new Outcome(
        JobState.NEW, List.of(resize.at(Stage.WAITING)), List.of(), List.of(), Optional.empty());
  }

  private void refuses(int code) {
    var refusal = new StatusBuilder().withCode(code).withMessage("no such column").build();
    server.expect().put().withPath(STATUS).andReturn(code, refusal).always();
    server.expect().post().withPath(EVENTS).andReturn(201, new Event()).once();
  }

  private void store(Scalers scalers) {
    var outcome = noticed(scalers.resizes().getFirst());
    assertThatThrownBy(() -> scalers.store(job, outcome, List.of()))
        .isInstanceOf(KubernetesClientException.class);
  }

  @Test
  void theJobGoesOnWithoutOneThatCannotBeWrittenTo() throws Exception {
    refuses(422);

    store(scalers(1));

    assertThat(scalers(1).resizes()).isEmpty();
    assertThat(server.getLastRequest().getPath()).isEqualTo(EVENTS);
    assertThat(server.getLastRequest().getBody().readUtf8())
        .contains(
            "ScaleOut more is not served, make it anew once it can be written to: no such column");
    assertThat(scalers(2).resizes()).as("changed by its users").hasSize(1);
  }

  @Test
  void oneWaitsForAnApiServerThatIsAway() {
    client.getConfiguration().setRequestRetryBackoffLimit(0);
    refuses(503);

    store(scalers(1));

    assertThat(scalers(1).resizes()).hasSize(1);
  }

  /** What it says of itself is untrue from then on. */
  @Test
  void oneThatWaitedForItsJobIsNoticedOnceThereIsOne() {
    var scaler = scaler(1);
    scaler.setStatus(
        Serialization.unmarshal(
            """
            conditions:
            - type: Created
              status: "True"
              reason: TrainingJobNotFound
              lastTransitionTime: "2026-01-01T00:00:01Z"
            """,
            ScaleOutStatus.class));
    assertThat(ScalerMapper.resize(scaler).stage()).isEqualTo(Stage.NEW);
  }
}
