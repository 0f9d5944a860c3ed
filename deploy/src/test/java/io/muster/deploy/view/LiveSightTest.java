package io.muster.deploy.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.deploy.config.Config;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangSpec;
import io.muster.extender.kube.gang.GangStatus;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which job is meant where several kinds have one of that name. */
@EnableKubernetesMockClient(https = false, crud = true)
final class LiveSightTest {

  private KubernetesClient client;
  private Explaining explaining;

  @BeforeEach
  void aCompleteJobAndAFailedTrainingJobOfOneName() {
    explaining = new Explaining(new LiveSight(client, Config.load(Optional.empty(), Map.of())));
    store("batch/v1", "Job", "Complete", "done");
    store("kai.alibabacloud.com/v1alpha1", "TrainingJob", "Failed", "worker crashed");
  }

  private void store(String version, String kind, String condition, String message) {
    GenericKubernetesResource job =
        new GenericKubernetesResourceBuilder()
            .withApiVersion(version)
            .withKind(kind)
            .withNewMetadata()
            .withNamespace("team-a")
            .withName("foo")
            .withUid(kind)
            .endMetadata()
            .addToAdditionalProperties(
                "status",
                Map.of(
                    "conditions",
                    List.of(Map.of("type", condition, "status", "True", "message", message))))
            .build();
    client
        .genericKubernetesResources(
            LiveSight.kinds().stream()
                .filter(
                    known -> known.getKind().equals(kind) && version.startsWith(known.getGroup()))
                .findFirst()
                .orElseThrow())
        .inNamespace("team-a")
        .resource(job)
        .create();
  }

  @ParameterizedTest
  @CsvSource({
    "job, Job, true, Complete: done",
    "jobs.batch, Job, true, Complete: done",
    "trainingjob, TrainingJob, false, Failed: worker crashed",
    "trainingjobs, TrainingJob, false, Failed: worker crashed",
    "trainingjobs.kai.alibabacloud.com, TrainingJob, false, Failed: worker crashed",
    "job.batch, Job, true, Complete: done",
    "trainingjob.kai.alibabacloud.com, TrainingJob, false, Failed: worker crashed"
  })
  void aJobIsOfTheKindThatIsAskedFor(String asked, String kind, boolean isWell, String says) {
    var found = explaining.job("team-a", asked, "foo").orElseThrow();

    assertThat(found.subject()).isEqualTo(kind + " team-a/foo");
    assertThat(found.isWell()).isEqualTo(isWell);
    assertThat(found.evidence()).contains("it says " + says);
  }

  @Test
  void aKindThatHasNoneOfThatNameIsNotThere() {
    assertThat(explaining.job("team-a", "dijob", "foo")).isEmpty();
  }

  @Test
  void podsThatHaveEndedAreNotSaidToBeBound() {
    var job = new LiveSight(client, Config.load(Optional.empty(), Map.of()));
    var uid = job.job("team-a", "trainingjob", "foo").orElseThrow().uid();
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace("team-a")
                .withName("foo-0")
                .addNewOwnerReference()
                .withApiVersion("kai.alibabacloud.com/v1alpha1")
                .withKind("TrainingJob")
                .withName("foo")
                .withUid(uid)
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .withNewSpec()
                .withNodeName("n")
                .endSpec()
                .withNewStatus()
                .withPhase("Failed")
                .endStatus()
                .build())
        .create();

    var found = explaining.job("team-a", "trainingjob", "foo").orElseThrow();

    assertThat(found.sentence()).isEqualTo("its pods have ended");
    assertThat(found.isWell()).isTrue();
    assertThat(found.evidence()).contains("it says Failed: worker crashed", "pods: 1 failed");
  }

  @Test
  void queuesThatAreNotInForceAreTold() {
    var settings = Config.load(Optional.empty(), Map.of());
    assertThat(ClusterSight.mistakenQueues(client, settings)).isEmpty();
    var queues =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withNamespace("muster-system")
            .withName("muster-queues")
            .endMetadata();

    client.resource(queues.addToData("queues.yaml", "queues:\n- name: a\n").build()).create();
    assertThat(ClusterSight.mistakenQueues(client, settings)).isEmpty();

    client.resource(queues.addToData("queues.yaml", "queues:\n- nam: a\n").build()).update();
    assertThat(ClusterSight.mistakenQueues(client, settings))
        .hasValueSatisfying(why ->
            assertThat(why)
                .startsWith("ConfigMap muster-queues has mistakes, and no queue of it is seen")
                .contains("queues[0].nam"));
  }

  @Test
  void aGangIsExplainedByItsObjectOnceItsPodsAreGone() {
    client
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withNamespace("muster-system")
                .withName("muster")
                .endMetadata()
                .withNewSpec()
                .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
                .withLeaseDurationSeconds(60)
                .endSpec()
                .build())
        .create();
    var gang = new Gang();
    gang.setMetadata(new ObjectMetaBuilder().withNamespace("team-a").withName("done").build());
    gang.setSpec(new GangSpec("muster", "done", 2));
    gang.setStatus(
        client
            .getKubernetesSerialization()
            .unmarshal(
                "phase: Finished\nreason: Finished\nmessage: every member has ended",
                GangStatus.class));
    client.resource(gang).create();

    var found = explaining.gang("team-a", "done").orElseThrow();

    assertThat(found.isWell()).isTrue();
    assertThat(found.sentence()).isEqualTo("every member has ended");
  }
}
