package io.muster.played;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxOptions.Audited;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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

  @Test
  void nothingIsRefusedToTheAccountWhicheverKindsAreOn() throws IOException, InterruptedException {
    try (var cluster = PlayedCluster.start("job-kinds", 2, Audited.READS_TOO)) {
      var installation = Installation.in(cluster);
      installation.install("replicas=1", "allowSingle=true");
      new ClusterScheduler(cluster).askMuster();
      var kinds = List.of(KindJob.values());
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

  private static void told(PlayedCluster cluster, Installation installation, List<KindJob> on)
      throws IOException {
    var audit = cluster.sandbox().auditLog();
    long mark = on.isEmpty() ? 0 : audit.mark();
    if (!on.isEmpty()) {
      installation.upgrade(
          Stream.of(KindJob.values())
              .map(kind -> kind.set() + "=" + on.contains(kind))
              .toArray(String[]::new));
    }
    Await.until("the pod before it to be gone", SOON, () -> installation.pods().size() == 1);
    // What is taken away is refused to the pod before it, which still ends.
    var pod = installation.pods().getFirst().getMetadata().getName();
    try (var space =
        cluster.open(
            "kinds-"
                + on.stream()
                    .map(KindJob::name)
                    .collect(Collectors.joining("-"))
                    .toLowerCase(Locale.ROOT))) {
      space.nodes(2, NodeShape.GPU8);
      var gang = GangManifest.of(space, "gang", 2);
      gang.create();
      var made = new ArrayList<HasMetadata>();
      for (var kind : on) {
        made.addAll(kind.create(space));
      }
      Await.until("the gang to run", SOON, () -> gang.running() == 2);
      for (var kind : on) {
        Await.until("the job of " + kind, SOON, () -> kind.runs(space));
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
}
