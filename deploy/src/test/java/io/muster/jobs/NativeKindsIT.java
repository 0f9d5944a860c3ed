package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.e2e.NativeCluster;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs of all four systems whose members kube-scheduler binds together by itself. */
@Tag("long")
final class NativeKindsIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  private static Sandbox sandbox;
  private static Launchers launchers;

  /** A job of each system, which waits whole and then starts whole. */
  enum Kind {
    ET_OPERATOR("TrainingJob", NodeShape.GPU1, 1, 1) {
      @Override
      void create(TestSpace space) {
        new TrainingJobs(space, launchers)
            .create(
                new TrainingJobs(space, launchers)
                    .manifest("job")
                    .replace("minReplicas: 1", "minReplicas: 2"));
      }
    },
    DLROVER("ElasticJob", NodeShape.GPU1, 2, 2) {
      @Override
      void create(TestSpace space) {
        var jobs = new ElasticJobs(space);
        jobs.create(ElasticJobs.builtin(jobs.example("torch-mnist-gang", "job")));
      }
    },
    DI_ENGINE("DIJob", NodeShape.GPU1, 3, 1) {
      @Override
      void create(TestSpace space) {
        var jobs = new DiJobs(space);
        jobs.create(DiTasksIT.withoutBounds(DiTasksIT.onGpus(jobs.example("job-with-tasks.yaml"))));
      }
    },
    PADDLE("TrainingJob", NodeShape.CPU, 1, 1) {
      @Override
      void create(TestSpace space) throws IOException {
        new DiJobs(space)
            .create(
                PaddleIT.large(PaddleIT.example(space))
                    .replace("max-instance: 2", "max-instance: 3"));
      }
    };

    private final String owner;
    private final NodeShape shape;
    private final int tooFew;
    private final int more;

    Kind(String owner, NodeShape shape, int tooFew, int more) {
      this.owner = owner;
      this.shape = shape;
      this.tooFew = tooFew;
      this.more = more;
    }

    abstract void create(TestSpace space) throws IOException;
  }

  @BeforeAll
  static void start() {
    sandbox = NativeCluster.start("native-kinds", SandboxOptions::scripting);
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void stop() {
    launchers.close();
    sandbox.close();
  }

  /** Row NP11. */
  @ParameterizedTest
  @EnumSource
  void aJobWaitsWholeAndStartsWholeInAPodGroup(Kind kind) throws IOException {
    try (var space = TestSpace.open(sandbox, "kind-" + kind)) {
      space.nodes(kind.tooFew, kind.shape);
      kind.create(space);
      Await.until("members to be there", SOON, () -> members(space).size() > kind.tooFew);
      Await.until("them to wait", SOON, () -> groups(space).isEmpty() && isGated(space));
      assertThat(members(space)).noneMatch(NativeKindsIT::isBound);

      space.nodes(kind.more, kind.shape);
      Await.until(
          "all members to run", SOON, () -> members(space).stream().allMatch(NativeKindsIT::runs));
      var group = groups(space).getFirst();
      assertThat(group.getMetadata().getOwnerReferences())
          .singleElement()
          .satisfies(owner -> assertThat(owner.getKind()).isEqualTo(kind.owner));
      assertThat(members(space))
          .allSatisfy(pod ->
              assertThat(pod.getSpec().getSchedulingGroup().getPodGroupName())
                  .isEqualTo(group.getMetadata().getName()));
    }
  }

  private static List<Pod> members(TestSpace space) {
    return space
        .client()
        .pods()
        .inNamespace(space.namespace())
        .withLabel("muster.io/member", "true")
        .list()
        .getItems();
  }

  private static boolean isGated(TestSpace space) {
    return members(space).stream().allMatch(pod -> !pod.getSpec().getSchedulingGates().isEmpty());
  }

  private static boolean isBound(Pod pod) {
    return pod.getSpec().getNodeName() != null;
  }

  private static boolean runs(Pod pod) {
    return "Running".equals(pod.getStatus().getPhase());
  }

  private static List<GenericKubernetesResource> groups(TestSpace space) {
    return space
        .client()
        .genericKubernetesResources(NativeCluster.API_VERSION, "PodGroup")
        .inNamespace(space.namespace())
        .list()
        .getItems();
  }
}
