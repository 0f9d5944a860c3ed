package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The queue of a job that waits was misspelt, and is mended in the job. */
@ExtendWith(SandboxExtension.class)
final class MendedQueueIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /** A job of each system with two members that ask for a GPU. */
  enum Kind {
    ET_OPERATOR(
        """
        apiVersion: kai.alibabacloud.com/v1alpha1
        kind: TrainingJob
        metadata: {name: job}
        spec:
          etReplicaSpecs:
            launcher: {template: {spec: {containers: [{name: m, image: any}]}}}
            worker: {replicas: 2, minReplicas: 2, template: TEMPLATE}
        """),
    DLROVER(
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: job, annotations: {muster.io/dlrover-mode: builtin}}
        spec:
          distributionStrategy: AllreduceStrategy
          replicaSpecs: {worker: {replicas: 2, template: TEMPLATE}}
        """
            .replace(
                "TEMPLATE",
                "{metadata: {annotations: {muster.io/gang-name: job, "
                    + "muster.io/gang-min: '2', muster.io/queue: QUEUE}}, spec: SPEC}")),
    DI_ENGINE(
        """
        apiVersion: diengine.opendilab.org/v2alpha1
        kind: DIJob
        metadata: {name: job}
        spec: {tasks: [{type: learner, replicas: 2, template: TEMPLATE}]}
        """),
    DI_COPIES(
        """
        apiVersion: diengine.opendilab.org/v2alpha1
        kind: DIJob
        metadata: {name: job}
        spec: {minReplicas: 2, maxReplicas: 2, template: TEMPLATE}
        """),
    PADDLE(
        """
        apiVersion: paddlepaddle.org/v1
        kind: TrainingJob
        metadata: {name: job, annotations: {muster.io/queue: QUEUE}}
        spec:
          trainer:
            entrypoint: any
            min-instance: 2
            max-instance: 2
            resources: {limits: {nvidia.com/gpu: 1}}
        """);

    private final String manifest;

    Kind(String manifest) {
      this.manifest = manifest;
    }

    GenericKubernetesResource in(String queue) {
      return Serialization.unmarshal(
          manifest
              .replace(
                  "TEMPLATE",
                  "{metadata: {annotations: {muster.io/queue: QUEUE, other: one}}, spec: SPEC}")
              .replace(
                  "SPEC",
                  "{containers: [{name: main, image: any, command: [any], resources: {limits:"
                      + " {nvidia.com/gpu: 1}}}]}")
              .replace("QUEUE", queue),
          GenericKubernetesResource.class);
    }
  }

  private static Resource<GenericKubernetesResource> object(
      TestSpace space, GenericKubernetesResource job) {
    return space.client().resource(job).inNamespace(space.namespace());
  }

  private static long running(TestSpace space) {
    return space.client().pods().inNamespace(space.namespace()).list().getItems().stream()
        .filter(pod -> pod.getMetadata().getAnnotations().containsKey("muster.io/gang-name"))
        .filter(pod -> "default".equals(pod.getMetadata().getAnnotations().get("muster.io/queue")))
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .count();
  }

  private static void awaitReason(TestSpace space, String queue) {
    Await.until(
        "the gang to wait for queue " + queue,
        SOON,
        () ->
            space
                .sandbox()
                .kubectl("get", "gangs", "-n", space.namespace())
                .contains("there is no queue \"%s\"".formatted(queue)));
  }

  @ParameterizedTest
  @EnumSource
  void aGangThatWaitsMovesToTheQueueThatItsJobNamesNow(Kind kind, TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    object(space, kind.in("defualt")).create();
    awaitReason(space, "defualt");
    object(space, kind.in("defalut")).forceConflicts().serverSideApply();
    awaitReason(space, "defalut");
    object(space, kind.in("default")).forceConflicts().serverSideApply();
    Await.until("both members", SOON, () -> running(space) >= 2);
  }

  /** They were made before it was noted which queue is the job's. */
  @Test
  void soDoesOneOfAnEarlierMuster(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    object(space, Kind.PADDLE.in("defualt")).create();
    awaitReason(space, "defualt");
    var muster = space.sandbox().muster().orElseThrow();
    muster.kill();
    for (var pod : pods(space)) {
      pod.getMetadata().getAnnotations().remove("muster.io/job-queue");
      space.client().resource(pod).update();
    }
    muster.start();
    Await.until(
        "it to be noted",
        SOON,
        () ->
            pods(space).stream()
                .map(pod -> pod.getMetadata().getAnnotations())
                .allMatch(all -> "defualt".equals(all.get("muster.io/job-queue"))));
    object(space, Kind.PADDLE.in("default")).forceConflicts().serverSideApply();
    Await.until("both members", SOON, () -> running(space) >= 2);
  }

  private static List<Pod> pods(TestSpace space) {
    return space.client().pods().inNamespace(space.namespace()).list().getItems();
  }

  @Test
  void soDoWorkersThatTheMasterOfTheirJobMakes(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var job = Kind.DLROVER.in("defualt");
    job.getMetadata().setAnnotations(null);
    object(space, job).create();
    Await.until("the master", SOON, () -> !pods(space).isEmpty());
    var mended = Kind.DLROVER.in("default");
    mended.getMetadata().setAnnotations(null);
    try (var _ = PlayedMaster.of(space, "job")) {
      awaitReason(space, "defualt");
      Await.until(
          "it to be noted",
          SOON,
          () ->
              pods(space).stream()
                      .filter(pod ->
                          pod.getMetadata().getAnnotations().containsKey("muster.io/job-queue"))
                      .count()
                  == 2);
      object(space, mended).forceConflicts().serverSideApply();
      Await.until("both members", SOON, () -> running(space) >= 2);
    }
  }

  @Test
  void nothingElseOfTheTemplatesOfTasksCanBeChanged(TestSpace space) {
    object(space, Kind.DI_ENGINE.in("misspelt")).create();
    for (var change : new String[] {"other: two", "more: one", "muster.io/queue2: default"}) {
      var mended = Serialization.asYaml(Kind.DI_ENGINE.in("default"));
      var job = mended.replace("other: \"one\"", change);
      assertThatThrownBy(() ->
              object(space, Serialization.unmarshal(job, GenericKubernetesResource.class))
                  .forceConflicts()
                  .serverSideApply())
          .as(change)
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining(
              "spec.tasks[].template: cannot be changed, but for muster.io/queue");
    }
  }
}
