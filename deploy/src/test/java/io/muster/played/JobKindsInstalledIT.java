package io.muster.played;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxOptions.Audited;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Every combination of job kinds, as the chart installs it: a job of each kind that is on, and a
 * gang, run, and the API server has refused nothing to the pod's account.
 */
@Tag("long")
@ResourceLock(PlayedCluster.ADDRESSES)
final class JobKindsInstalledIT {

  private static final Duration SOON = Duration.ofSeconds(90);

  /** Which kind a job is of, and the phase in which its pods run. */
  private static final Map<String, Job> JOBS =
      new TreeMap<>(
          Map.of(
              "di", new Job("dijobs.diengine.opendilab.org", "job-with-tasks", "Running"),
              "dlrover", new Job("elasticjobs.elastic.iml.github.io", "torch-mnist", "Running"),
              "etoperator", new Job("trainingjobs.kai.alibabacloud.com", "elastic", "Running"),
              "paddle", new Job("trainingjobs.paddlepaddle.org", "example", "running")));

  private record Job(String resource, String name, String phase) {}

  @Test
  void nothingIsRefusedToTheAccountWhicheverKindsAreOn() throws IOException, InterruptedException {
    try (var cluster = PlayedCluster.start("job-kinds", 2, Audited.READS_TOO)) {
      var installation = Installation.in(cluster);
      installation.install("replicas=1", "allowSingle=true");
      new ClusterScheduler(cluster).askMuster();
      var kinds = List.copyOf(JOBS.keySet());
      for (int bits = 0; bits < 1 << kinds.size(); bits++) {
        int set = bits;
        var on =
            IntStream.range(0, kinds.size())
                .filter(i -> (set & 1 << i) != 0)
                .mapToObj(kinds::get)
                .toList();
        told(cluster, installation, on);
      }
    }
  }

  private static void told(PlayedCluster cluster, Installation installation, List<String> on)
      throws IOException {
    var audit = cluster.sandbox().auditLog();
    long mark = on.isEmpty() ? 0 : audit.mark();
    if (!on.isEmpty()) {
      installation.upgrade(
          JOBS.keySet().stream()
              .map(kind -> "jobKinds.%s=%s".formatted(kind, on.contains(kind)))
              .toArray(String[]::new));
    }
    Await.until("the pod before it to be gone", SOON, () -> installation.pods().size() == 1);
    // What is taken away is refused to the pod before it, which still ends.
    var pod = installation.pods().getFirst().getMetadata().getName();
    try (var space = cluster.open("kinds-" + String.join("-", on))) {
      space.nodes(2, NodeShape.GPU8);
      var gang = GangManifest.of(space, "gang", 2);
      gang.create();
      var made = new ArrayList<HasMetadata>();
      for (var kind : on) {
        made.addAll(created(space, manifest(kind, space)));
      }
      Await.until("the gang to run", SOON, () -> gang.running() == 2);
      for (var kind : on) {
        Await.until("the job of " + kind, SOON, () -> runs(space, JOBS.get(kind)));
      }
      made.forEach(job -> space.client().resource(job).delete());
      gang.delete();
      Await.until(
          "the pods to go",
          SOON,
          () -> space.client().pods().inNamespace(space.namespace()).list().getItems().isEmpty());
    }
    var asked = audit.requests(mark).stream().filter(request -> request.pod().equals(pod)).toList();
    assertThat(asked).as("asked by %s with %s", pod, on).isNotEmpty();
    assertThat(asked.stream().filter(request -> request.isForbidden()).distinct())
        .as("refused with %s", on)
        .isEmpty();
  }

  private static boolean runs(TestSpace space, Job job) {
    return space
        .sandbox()
        .kubectl(
            "get",
            job.resource(),
            job.name(),
            "-n",
            space.namespace(),
            "-o",
            "jsonpath={.status.phase}")
        .equals(job.phase());
  }

  private static List<HasMetadata> created(TestSpace space, String manifest) {
    return space
        .client()
        .load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
        .items()
        .stream()
        .map(job -> {
          job.getMetadata().setNamespace(space.namespace());
          return space.client().resource(job).create();
        })
        .toList();
  }

  private static String manifest(String kind, TestSpace space) throws IOException {
    return switch (kind) {
      case "di" -> onNodes(example("di-orchestrator/job-with-tasks.yaml"), space);
      case "dlrover" -> onNodes(example("dlrover/torch-mnist-builtin.yaml"), space);
      case "etoperator" ->
          onNodes(
              """
              apiVersion: kai.alibabacloud.com/v1alpha1
              kind: TrainingJob
              metadata: {name: elastic}
              spec:
                etReplicaSpecs:
                  launcher:
                    replicas: 1
                    template:
                      spec:
                        containers:
                        - {name: main, image: any}
                  worker:
                    replicas: 2
                    template:
                      spec:
                        containers:
                        - {name: main, image: any}
              """,
              space);
      default ->
          example("paddle-edl/examplejob.yaml")
              .replace(
                  "name: example\n",
                  "name: example\n  annotations: {muster.io/grace-seconds: \"1\"}\n")
              .replace("spec:\n", "spec:\n  nodeSelector: {%s}\n".formatted(selector(space)));
    };
  }

  /** Its pods go to the nodes of the test, and go quickly. */
  private static String onNodes(String manifest, TestSpace space) {
    return manifest.replaceAll(
        "(?m)^( +)containers:$",
        "$1terminationGracePeriodSeconds: 1\n$1nodeSelector: {%s}\n$1containers:"
            .formatted(selector(space)));
  }

  private static String selector(TestSpace space) {
    return TestSpace.SET_LABEL + ": " + space.namespace();
  }

  private static String example(String file) throws IOException {
    return Files.readString(Layout.current().deploy().resolveSibling("examples").resolve(file));
  }
}
