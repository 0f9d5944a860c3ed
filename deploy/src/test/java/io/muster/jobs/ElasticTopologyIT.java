package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Elastic jobs of each kind grow and shrink inside the domain that they must be in. */
@ExtendWith(SandboxExtension.class)
final class ElasticTopologyIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  /** Long enough for a pod to be made, refused and, by mistake, placed. */
  private static final Duration A_WHILE = Duration.ofSeconds(12);

  private static final String RACK = "example.com/rack";
  private static final String REQUIRED =
      "annotations: {muster.io/gang-topology-required: %s}".formatted(RACK);

  private static Launchers launchers;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  private static void rack(TestSpace space, String rack, int nodes, NodeShape shape) {
    space.nodes(nodes, shape, Map.of(RACK, rack), List.of());
  }

  private static List<Pod> bound(TestSpace space) {
    return space.client().pods().inNamespace(space.namespace()).list().getItems().stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .toList();
  }

  /** Where the pods are that ask for GPUs. */
  private static Set<String> racks(TestSpace space, List<Pod> pods) {
    return pods.stream()
        .map(pod ->
            space
                .client()
                .nodes()
                .withName(pod.getSpec().getNodeName())
                .get()
                .getMetadata()
                .getLabels()
                .get(RACK))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<Pod> workers(TestSpace space, String in) {
    return bound(space).stream().filter(pod -> pod.getMetadata().getName().contains(in)).toList();
  }

  private static void areInOneRack(TestSpace space, String in, int count) {
    Await.until(count + " pods with nodes", SOON, () -> workers(space, in).size() == count);
    assertThat(racks(space, workers(space, in))).containsExactly("r1");
  }

  /** Nobody goes to the other rack, where there is room. */
  private static void stay(TestSpace space, String in, int count) {
    assertThat(Await.within(A_WHILE, () -> workers(space, in).size() != count)).isFalse();
  }

  private static String within(String manifest, String before, String indent) {
    assertThat(manifest).contains(before);
    return manifest.replace(before, before + indent + "metadata: {" + REQUIRED + "}\n");
  }

  @Test
  void aTrainingJobOfEtOperator(TestSpace space) {
    rack(space, "r1", 3, NodeShape.GPU1);
    rack(space, "r2", 6, NodeShape.GPU1);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(within(jobs.manifest("j"), "      maxReplicas: 9\n      template:\n", "        "));
    jobs.awaitPhase("j", "Running");
    areInOneRack(space, "worker", 2);

    jobs.scaleOut("more", "j", "toAdd: {count: 1}");
    jobs.awaitEnd("ScaleOut", "more", "ScaleSucceeded");
    areInOneRack(space, "worker", 3);
    jobs.scaleIn("fewer", "j", "{podNames: [j-worker-0]}");
    jobs.awaitEnd("ScaleIn", "fewer", "ScaleSucceeded");
    areInOneRack(space, "worker", 2);
    jobs.scaleOut("again", "j", "toAdd: {count: 1}");
    jobs.awaitEnd("ScaleOut", "again", "ScaleSucceeded");
    areInOneRack(space, "worker", 3);

    jobs.scaleOut("beyond", "j", "toAdd: {count: 1}");
    Await.until("the fourth worker", SOON, () -> jobs.podNames().size() == 5);
    stay(space, "worker", 3);
    rack(space, "r1", 1, NodeShape.GPU1);
    areInOneRack(space, "worker", 4);
  }

  @Test
  void anElasticJobOfDlrover(TestSpace space) {
    rack(space, "r1", 5, NodeShape.GPU1);
    rack(space, "r2", 8, NodeShape.GPU1);
    var jobs = new ElasticJobs(space);
    var marking = "            gang.scheduling.koordinator.sh/min-available: ";
    var manifest = ElasticJobs.builtin(jobs.example("torch-mnist-gang", "torch-mnist"));
    assertThat(manifest).contains(marking + "4\n");
    jobs.create(
        manifest.replace(
            marking + "4\n",
            marking + "3\n            muster.io/gang-topology-required: " + RACK + "\n"));
    areInOneRack(space, "worker", 4);

    jobs.plan("more", "worker: {replicas: 5}");
    areInOneRack(space, "worker", 5);
    jobs.plan("fewer", "worker: {replicas: 3}");
    areInOneRack(space, "worker", 3);
    jobs.plan("again", "worker: {replicas: 5}");
    areInOneRack(space, "worker", 5);

    jobs.plan("beyond", "worker: {replicas: 6}");
    Await.until("the sixth worker", SOON, () -> jobs.workers("torch-mnist").size() == 6);
    stay(space, "worker", 5);
    rack(space, "r1", 1, NodeShape.GPU1);
    areInOneRack(space, "worker", 6);
  }

  @Test
  void aDiJobWithTasks(TestSpace space) {
    rack(space, "r1", 5, NodeShape.GPU1);
    rack(space, "r2", 8, NodeShape.GPU1);
    var jobs = new DiJobs(space);
    jobs.create(
        jobs.example("job-with-tasks.yaml")
            .replaceAll(
                "(?m)^ +resources:\\n +requests:\\n +cpu: \"1\"\\n +nvidia.com/gpu: 1\\n", "")
            .replaceAll(
                "(?m)^( +)name: pydi\\n", "$0$1resources: {requests: {nvidia.com/gpu: 1}}\n")
            .replaceAll("(?m)^( +)name: di\\n", "$0$1" + REQUIRED + "\n")
            .replace("maxReplicas: 5", "maxReplicas: 7"));
    areInOneRack(space, "job-with-tasks", 4);

    jobs.resize("job-with-tasks", 2, 3);
    areInOneRack(space, "job-with-tasks", 5);
    jobs.resize("job-with-tasks", 2, 1);
    areInOneRack(space, "job-with-tasks", 3);
    jobs.resize("job-with-tasks", 2, 3);
    areInOneRack(space, "job-with-tasks", 5);

    jobs.resize("job-with-tasks", 2, 4);
    Await.until("the sixth pod", SOON, () -> jobs.pods().size() == 6);
    stay(space, "job-with-tasks", 5);
    rack(space, "r1", 1, NodeShape.GPU1);
    areInOneRack(space, "job-with-tasks", 6);
  }

  /** It grows by itself: as far as its rack has room. */
  @Test
  void aTrainingJobOfPaddle(TestSpace space) throws IOException {
    rack(space, "r1", 2, NodeShape.CPU);
    rack(space, "r2", 3, NodeShape.CPU);
    var jobs = new DiJobs(space);
    jobs.create(
        Files.readString(
                Layout.current().deploy().resolveSibling("examples/paddle-edl/examplejob.yaml"))
            .replace(
                "  name: example\n",
                "  name: example\n  annotations: {muster.io/grace-seconds: \"1\","
                    + " muster.io/gang-topology-required: %s}\n".formatted(RACK))
            .replace(
                "spec:\n",
                "spec:\n  nodeSelector: {%s: %s}\n"
                    .formatted(TestSpace.SET_LABEL, space.namespace()))
            .replaceAll("cpu: \"(500m|800m|1)\"", "cpu: \"4\"")
            .replaceAll("cpu: \"200m\"", "cpu: \"3\""));

    areInOneRack(space, "example-", 9);
    stay(space, "example-", 9);
    assertThat(jobs.pods()).hasSize(9);
    jobs.kubectl(
        "patch",
        "trainingjobs.paddlepaddle.org",
        "example",
        "--type=merge",
        "-p",
        "{\"spec\":{\"trainer\":{\"max-instance\":3}}}");
    areInOneRack(space, "example-", 6);
    jobs.kubectl(
        "patch",
        "trainingjobs.paddlepaddle.org",
        "example",
        "--type=merge",
        "-p",
        "{\"spec\":{\"trainer\":{\"max-instance\":5}}}");
    areInOneRack(space, "example-", 8);
  }
}
