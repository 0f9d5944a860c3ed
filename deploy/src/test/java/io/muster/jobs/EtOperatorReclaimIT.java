package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What becomes of et-operator's jobs when nodes will go; script B of the acceptance rows. */
@ExtendWith(SandboxExtension.class)
final class EtOperatorReclaimIT {

  private static final Duration AT_ONCE = Duration.ofSeconds(5);
  private static final String STAYING = "j-worker-0:1\nj-worker-2:1\n";

  private static Launchers launchers;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  /** Row 19 as well: the workers are put on their nodes by sizes and cordons. */
  @Test
  void workersLeaveANodeThatGoesAndAsManyComeElsewhere(TestSpace space) {
    var nodes = space.nodes(2, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    cordon(space, nodes.getLast());
    jobs.create(jobs.manifest("j").replace("replicas: 2\n", "replicas: 1\n"));
    jobs.awaitPhase("j", "Running");
    for (int workers = 2; workers <= 4; workers++) {
      cordon(space, nodes.get(workers % 2));
      scale(space, jobs, workers);
    }
    assertThat(on(jobs, nodes.getLast())).containsExactly("j-worker-1", "j-worker-3");
    var launcher = jobs.launcher("j");
    var uid = pod(jobs, "j-launcher").getMetadata().getUid();
    uncordon(space, nodes);
    launcher.keepWorker("j-worker-1");
    launcher.keepWorker("j-worker-3");
    int scaleOutsBefore = scaleOuts(space).size();

    taint(space, nodes.getLast());
    Await.until("the scale-in", AT_ONCE, () -> !scaleIns(space).isEmpty());
    Await.until(
        "the host list without them",
        TrainingJobs.SOON,
        () -> launcher.file("/etc/edl/hostfile").equals(STAYING));
    assertThat(on(jobs, nodes.getLast())).containsExactly("j-worker-1", "j-worker-3");
    assertThat(jobs.pods()).allMatch(pod -> pod.getMetadata().getDeletionTimestamp() == null);

    launcher.letLeave("j-worker-1");
    launcher.letLeave("j-worker-3");
    Await.until(
        "others in their place",
        TrainingJobs.SOON,
        () -> jobs.phase("j").equals("Running") && jobs.status("j").currentWorkers().size() == 4);
    assertThat(scaleIns(space))
        .singleElement()
        .satisfies(in -> {
          assertThat(in.getSpec().toDelete().podNames())
              .containsExactly("j-worker-1", "j-worker-3");
          assertThat(in.getMetadata().getAnnotations()).containsKey("muster.io/forced-at");
          assertThat(TrainingJobs.types(in.getStatus().conditions()))
              .containsExactly("Created", "Scaling", "ScriptExecuted", "ScaleSucceeded");
        });
    var regained = space.client().resources(ScaleOut.class).inNamespace(space.namespace());
    assertThat(regained.withName("j-regains-1").get().getStatus().plan())
        .containsExactly("j-worker-3", "j-worker-4");
    assertThat(scaleOuts(space)).hasSize(scaleOutsBefore + 1);
    assertThat(on(jobs, nodes.getFirst()))
        .contains("j-worker-0", "j-worker-2", "j-worker-3", "j-worker-4");
    assertThat(launcher.file("/etc/edl/hostfile"))
        .isEqualTo(STAYING + "j-worker-3:1\nj-worker-4:1\n");
    assertThat(pod(jobs, "j-launcher").getMetadata().getUid()).isEqualTo(uid);
    assertThat(launcher.blacklist()).isEmpty();
  }

  @Test
  void workersThatDoNotLeaveAreDeletedHalfAMinuteBeforeTheRelease(TestSpace space) {
    space.nodes(3, NodeShape.GPU1);
    var jobs = new TrainingJobs(space, launchers);
    var launcher = jobs.running("j");
    launcher.keepWorker("j-worker-1");
    var node = pod(jobs, "j-worker-1").getSpec().getNodeName();
    var release = Instant.now().plusSeconds(36);
    space.sandbox().kubectl("annotate", "node", node, "muster.io/release-at=" + release);
    Await.until(
        "the host list without it",
        AT_ONCE,
        () -> launcher.file("/etc/edl/hostfile").equals("j-worker-0:1\n"));
    Await.until(
        "the job to be whole again",
        TrainingJobs.SOON,
        () -> jobs.status("j").currentWorkers().equals(List.of("j-worker-0", "j-worker-2")));
    assertThat(Instant.now()).isBefore(release);
    assertThat(scaleIns(space)).hasSize(1);
    assertThat(scaleIns(space).getFirst().getStatus().conditions().getLast().message())
        .endsWith("has Succeeded, forced: the launcher still worked with some");
    assertThat(on(jobs, node)).doesNotContain("j-worker-2");
  }

  @Test
  void aLauncherKeepsOffSpotNodesAndSaysSoWhenItsNodeGoes(TestSpace space) {
    var spot = Map.of("karpenter.sh/capacity-type", "spot");
    space.nodes(3, NodeShape.GPU1, spot, List.of());
    space.nodes(2, NodeShape.CPU, spot, List.of());
    // The last by name, so that nothing else speaks for it.
    var steady = space.nodes(1, NodeShape.CPU).getFirst();
    var jobs = new TrainingJobs(space, launchers);
    jobs.running("j");
    assertThat(on(jobs, steady)).containsExactly("j-launcher");
    taint(space, steady);
    Await.until(
        "the event",
        AT_ONCE,
        () -> jobs.events("j").stream().anyMatch(e -> e.startsWith("LauncherNodeReclaim")));
    jobs.scaleOut("out", "j", "toAdd: {count: 1}");
    jobs.awaitEnd("ScaleOut", "out", "ScaleSucceeded");
    assertThat(jobs.events("j"))
        .filteredOn(event -> event.startsWith("LauncherNodeReclaim"))
        .containsExactly(
            "LauncherNodeReclaim: j-launcher is on node %s, which will go: the job ends with it"
                .formatted(steady));
    assertThat(scaleIns(space)).isEmpty();
  }

  /** This one takes no pods, the other does. */
  private static void cordon(TestSpace space, String node) {
    uncordon(space, List.copyOf(space.sandbox().nodes().ready(space.nodeSelector())));
    space.sandbox().kubectl("cordon", node);
  }

  private static void uncordon(TestSpace space, List<String> nodes) {
    nodes.forEach(node -> space.sandbox().kubectl("uncordon", node));
  }

  private static void scale(TestSpace space, TrainingJobs jobs, int workers) {
    space
        .sandbox()
        .kubectl("scale", "-n", space.namespace(), "trainingjobs/j", "--replicas=" + workers);
    Await.until(
        workers + " workers",
        TrainingJobs.SOON,
        () ->
            jobs.phase("j").equals("Running")
                && jobs.status("j").currentWorkers().size() == workers);
  }

  private static List<String> on(TrainingJobs jobs, String node) {
    return jobs.pods().stream()
        .filter(pod -> node.equals(pod.getSpec().getNodeName()))
        .map(pod -> pod.getMetadata().getName())
        .sorted()
        .toList();
  }

  private static void taint(TestSpace space, String node) {
    space
        .client()
        .nodes()
        .withName(node)
        .edit(found ->
            new NodeBuilder(found)
                .editSpec()
                .addNewTaint("NoSchedule", "aws-node-termination-handler/spot-itn", null, "1")
                .endSpec()
                .build());
  }

  private static Pod pod(TrainingJobs jobs, String name) {
    return jobs.pods().stream()
        .filter(pod -> pod.getMetadata().getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static List<ScaleIn> scaleIns(TestSpace space) {
    return space.client().resources(ScaleIn.class).inNamespace(space.namespace()).list().getItems();
  }

  private static List<ScaleOut> scaleOuts(TestSpace space) {
    return space
        .client()
        .resources(ScaleOut.class)
        .inNamespace(space.namespace())
        .list()
        .getItems();
  }
}
