package io.muster.webhook.http;

import static io.muster.webhook.http.Reviewer.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.zjsonpatch.JsonPatch;
import io.muster.extender.core.gang.dialect.OwnerInference;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pods of owners, in a namespace that has gangs inferred. */
final class InferredGangsTest {

  private static final Reviewer REVIEWER =
      new Reviewer(true, _ -> Map.of(OwnerInference.LABEL, "true"));
  private static final String INDEX = "batch.kubernetes.io/job-completion-index: \"0\"";

  @AfterAll
  static void stop() {
    REVIEWER.close();
  }

  @ParameterizedTest
  @CsvSource({
    "batch/v1, Job, , Job/train",
    "batch/v1, Job, jobset.sigs.k8s.io/jobset-name: set, JobSet/set",
    "kubeflow.org/v1, PyTorchJob, training.kubeflow.org/replica-type: worker, PyTorchJob/train",
    "kubeflow.org/v2beta1, MPIJob, training.kubeflow.org/job-role: worker, MPIJob/train",
    "ray.io/v1, RayCluster, ray.io/node-type: head, RayCluster/train",
    "apps/v1, StatefulSet, leaderworkerset.sigs.k8s.io/name: train, LeaderWorkerSet/train/0",
    "apps/v1, StatefulSet, 'leaderworkerset.sigs.k8s.io/name: set,"
        + " leaderworkerset.sigs.k8s.io/group-index: \"3\"', LeaderWorkerSet/set/3",
  })
  void anOwnersPodsAreItsGang(String version, String kind, String label, String owner)
      throws Exception {
    var stored = REVIEWER.admitted(owned(version, kind, label, INDEX));

    assertThat(annotation(stored, "muster.io/gang-of")).isEqualTo(owner);
    assertThat(annotation(stored, "muster.io/gang-dialect")).isEqualTo("owner");
    assertThat(stored.path("spec").path("schedulingGates").findValuesAsText("name"))
        .containsExactly("muster.io/gang");
    assertThat(REVIEWER.admitted(stored)).as("asked again").isEqualTo(stored);
  }

  /** Terms of Muster's may stand beside any gang, and so beside one that is inferred. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "role: worker",
        "roles: worker=2",
        "on-loss: restart",
        "topology-required: rack",
        "topology-preferred: rack",
        "segments: rack=2",
        "joins: other",
        "index: \"3\"",
        "later: '{\"containers\": [{}]}'",
      })
  void termsBesideSwitchNothingOff(String term) throws Exception {
    var stored =
        REVIEWER.admitted(owned("batch/v1", "Job", "", INDEX + ", muster.io/gang-" + term));

    assertThat(annotation(stored, "muster.io/gang-of")).isEqualTo("Job/train");
    assertThat(REVIEWER.admitted(stored)).as("asked again").isEqualTo(stored);
  }

  @ParameterizedTest
  @CsvSource({
    "apps/v1, ReplicaSet, ",
    "apps/v1, StatefulSet, ",
    "apps/v1, StatefulSet, leaderworkerset.sigs.k8s.io/name: other",
    "example.com/v1, Job, ",
    "kubeflow.org/v2beta1, MPIJob, training.kubeflow.org/job-role: launcher",
    "kubeflow.org/v1, MPIJob, training.kubeflow.org/replica-type: Launcher",
    "batch/v1, Job, trainer.kubeflow.org/trainjob-ancestor-step: dataset-initializer",
    "ray.io/v1, RayCluster, ray.io/node-type: redis-cleanup",
  })
  void helpersAndOtherOwnersMakeNoGang(String version, String kind, String label) throws Exception {
    var stored = REVIEWER.admitted(owned(version, kind, label, INDEX));

    assertThat(annotation(stored, "muster.io/gang-of")).isEmpty();
  }

  @Test
  void aJobThatGivesItsPodsNoIndexesMakesNone() throws Exception {
    var stored = REVIEWER.admitted(owned("batch/v1", "Job", "", "a: b"));

    assertThat(annotation(stored, "muster.io/gang-of")).isEmpty();
  }

  @Test
  void aGangThatThePodNamesItselfStays() throws Exception {
    var stored =
        REVIEWER.admitted(owned("batch/v1", "Job", "scheduling.x-k8s.io/pod-group: own", INDEX));

    assertThat(annotation(stored, "muster.io/gang-of")).isEmpty();
    assertThat(annotation(stored, "muster.io/gang-dialect")).isEqualTo("scheduler-plugins");
  }

  /** The API server has read the namespace's label, whatever the watch has shown so far. */
  @Test
  void aPodOfTheEntryForOwnersIsAMemberBeforeItsNamespaceIsSeen() throws Exception {
    try (var early = new Reviewer()) {
      var pod = owned("batch/v1", "Job", "", INDEX);
      var path = "/mutate/pods/of-owners/refused-until-muster-is-back/or-run-muster-release-all";
      var stored = JsonPatch.apply(Reviewer.patch(early.review(path, pod)), pod);

      assertThat(annotation(stored, "muster.io/gang-of")).isEqualTo("Job/train");
    }
  }

  @Test
  void noPodOptsOutOfAGangThatIsInferred() throws Exception {
    var stored = REVIEWER.admitted(owned("batch/v1", "Job", "muster.io/inject: \"false\"", INDEX));

    assertThat(annotation(stored, "muster.io/gang-of")).isEqualTo("Job/train");
    assertThat(REVIEWER.admitted(stored)).as("asked again").isEqualTo(stored);
  }

  @Test
  void aMemberOfAnOwnersGangThatItNamesItselfCannotOptOut() throws Exception {
    var pod =
        owned(
            "batch/v1",
            "Job",
            "muster.io/inject: \"false\"",
            INDEX + ", muster.io/gang-of: Job/train");

    assertThat(REVIEWER.review(pod).path("status").path("message").asText())
        .contains("one member cannot opt out");
  }

  @Test
  void nothingIsInferredWhereTheNamespaceDoesNotSaySo() throws Exception {
    try (var other = new Reviewer()) {
      var stored = other.admitted(owned("batch/v1", "Job", "", INDEX));

      assertThat(annotation(stored, "muster.io/gang-of")).isEmpty();
    }
  }

  private static JsonNode owned(String version, String kind, String label, String annotation) {
    return pod(
        """
        metadata:
          name: train-0
          labels: {%s}
          annotations: {%s}
          ownerReferences:
          - {apiVersion: %s, kind: %s, name: train, uid: u, controller: true}
        spec:
          schedulerName: default-scheduler
          containers:
          - {name: main, resources: {limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 1}}}
        """
            .formatted(label == null ? "" : label, annotation, version, kind));
  }

  private static String annotation(JsonNode pod, String key) {
    return pod.path("metadata").path("annotations").path(key).asText();
  }
}
