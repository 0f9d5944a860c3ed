package io.muster.controller.kinds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.mockito.Mockito.mock;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.api.JobStatus;
import io.muster.controller.core.elastic.Elasticity;
import io.muster.controller.framework.CapacitySharing;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobKind;
import io.muster.controller.framework.JobMemory;
import io.muster.controller.framework.KindController;
import io.muster.controller.kinds.di.DiKind;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.dlrover.DlroverKind;
import io.muster.controller.kinds.dlrover.api.ElasticJobSpec;
import io.muster.controller.kinds.dlrover.api.ReplicaSpec;
import io.muster.controller.kinds.dlrover.job.Mode;
import io.muster.controller.kinds.etoperator.EtOperatorKind;
import io.muster.controller.kinds.etoperator.job.TrainingJobPods;
import io.muster.controller.kinds.paddle.PaddleKind;
import io.muster.controller.kube.ClusterObjects;
import io.muster.controller.kube.GangHolders;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.controller.kube.node.SignalTable;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.JobMeter;
import io.muster.controller.port.ResizeAdvice;
import io.muster.controller.port.SizeMeter;
import io.muster.controller.port.StartAdvice;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the framework asks of every kind before it starts one; no API server is there. */
final class AllKindsTest {

  private final KubernetesClient client = new KubernetesClientBuilder().build();
  private final JobAccess access = JobAccess.of(client, "muster", () -> Instant.EPOCH);

  private List<JobKind<?, ?, ?>> kinds() {
    var nodes =
        new LeavingNodes(
            new LeavingNodes.Settings(SignalTable.builtIn(), Duration.ZERO, Duration.ZERO),
            () -> Instant.EPOCH);
    GangReports reports = mock();
    return List.of(
        new EtOperatorKind(
            new TrainingJobPods.Images("init", "kubectl"), access, nodes, mock(), reports),
        new DlroverKind(
            new DlroverKind.Settings("master", Mode.BUILTIN),
            access,
            new DlroverKind.Placement(nodes, mock(StartAdvice.class), reports)),
        new DiKind(new DiAddresses("http://s", "http://s", "svc"), access, reports),
        new PaddleKind(access, reports));
  }

  @Test
  void eachKindHasAControllerOfItsOwn() {
    for (var kind : kinds()) {
      assertThatCode(() -> controller(kind)).as(kind.name()).doesNotThrowAnyException();
    }
    assertThat(kinds()).extracting(JobKind::name).doesNotHaveDuplicates();
    assertThat(kinds()).extracting(JobKind::reconcilerName).doesNotHaveDuplicates();
  }

  /** The API server tells of those that it does not find in its policy. */
  @ParameterizedTest
  @ValueSource(classes = {ElasticJobSpec.class, ReplicaSpec.class})
  void allFieldsOfElasticJobsAreKnownToTheirPolicy(Class<? extends Record> part) {
    var told =
        Serialization.asYaml(ClusterObjects.beside(DlroverKind.class)).replaceAll("\\s+", " ");

    for (var field : part.getRecordComponents()) {
      var name = field.getAccessor().getAnnotation(JsonProperty.class);
      assertThat(told).contains("'" + (name == null ? field.getName() : name.value()) + "'");
    }
  }

  private <J extends CustomResource<?, S>, S extends JobStatus, M extends JobMemory>
      KindController<J, S, M> controller(JobKind<J, S, M> kind) {
    return new KindController<>(
        kind,
        access,
        new CapacitySharing(
            mock(ResizeAdvice.class), mock(Elasticity.class), mock(SizeMeter.class), false),
        new GangHolders(client, mock(), () -> Instant.EPOCH, List.of()),
        Executors.newVirtualThreadPerTaskExecutor(),
        mock(JobMeter.class));
  }
}
