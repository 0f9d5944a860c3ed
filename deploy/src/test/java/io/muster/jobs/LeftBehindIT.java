package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The Services of workers go with them, and nothing else does. */
@ExtendWith(SandboxExtension.class)
final class LeftBehindIT {

  private static final String JOB = "torch-mnist";

  private static Launchers launchers;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  private static List<String> services(TestSpace space, String prefix) {
    return space.client().services().inNamespace(space.namespace()).list().getItems().stream()
        .map(service -> service.getMetadata().getName())
        .filter(name -> name.startsWith(prefix))
        .sorted()
        .toList();
  }

  private static void awaitServices(TestSpace space, String prefix, String... names) {
    Await.until(
        "the Services " + List.of(names),
        ElasticJobs.SOON,
        () -> services(space, prefix).equals(List.of(names)));
  }

  private static void delete(TestSpace space, String what, String name, String... more) {
    var line = new ArrayList<>(List.of("delete", what, name, "-n", space.namespace()));
    line.addAll(List.of(more));
    space.sandbox().kubectl(line.toArray(String[]::new));
  }

  @Test
  void theServicesOfRanksGoWithTheRanks(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new ElasticJobs(space);
    jobs.create(ElasticJobs.builtin(jobs.example("torch-mnist-gang", JOB)));
    jobs.awaitRunning(JOB, 4);
    var prefix = JOB + "-edljob-worker-";
    jobs.plan("more", "worker: {replicas: 6}");
    Await.until("those of the plan", ElasticJobs.SOON, () -> services(space, prefix).size() == 6);
    delete(space, "scaleplan", "more");
    awaitServices(space, prefix, prefix + "0", prefix + "1", prefix + "2", prefix + "3");

    delete(space, "pod", prefix + "1", "--grace-period=0", "--force");
    jobs.awaitRunning(JOB, 4);
    assertThat(services(space, prefix)).as("it is replaced").hasSize(4).contains(prefix + "1");
  }

  @Test
  void theServiceOfAWorkerThatIsDeletedWhileAScaleInTakesItGoes(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    var launcher = jobs.running("j");
    Await.until("both at work", TrainingJobs.SOON, () -> launcher.hosts().size() == 2);
    launcher.keepWorker("j-worker-1");
    jobs.scaleIn("in", "j", "{podNames: [j-worker-1]}");
    Await.until(
        "the launcher to be told",
        TrainingJobs.SOON,
        () -> launcher.file("/etc/edl/hostfile").equals("j-worker-0:1\n"));
    delete(space, "pod", "j-worker-1", "--grace-period=0", "--force");
    jobs.awaitEnd("ScaleIn", "in", "ScaleSucceeded");
    awaitServices(space, "j-worker-", "j-worker-0");
  }

  @Test
  void aCoordinatorThatIsMadeAgainHasItsService(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new DiJobs(space);
    jobs.create(jobs.example("dijob-qbert.yaml"));
    jobs.awaitPhase("qbert-dqn", "Running");
    var before = jobs.pods().get("qbert-dqn-coordinator").getMetadata().getUid();
    delete(space, "pod", "qbert-dqn-coordinator", "--grace-period=0", "--force");
    Await.until(
        "another",
        ElasticJobs.SOON,
        () -> {
          var now = jobs.pods().get("qbert-dqn-coordinator");
          return now != null && !now.getMetadata().getUid().equals(before);
        });
    jobs.awaitRunning("qbert-dqn-coordinator");
    awaitServices(space, "qbert-dqn-", "qbert-dqn-coordinator");
  }
}
