package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.Await;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.TestSpace;
import io.muster.webhook.kube.Registration;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Muster is taken away from a cluster whose own gang scheduling keeps the barrier. */
@Tag("long")
final class NativeRemovalIT {

  private static final Duration SOON = Duration.ofSeconds(40);

  /** Row NP10. */
  @Test
  void aJobThatRunsGoesOnAndItsReplacementIsBoundByKubeSchedulerAlone() {
    try (var sandbox = NativeCluster.start("native-removal", UnaryOperator.identity());
        var space = TestSpace.open(sandbox, "removed")) {
      space.nodes(3, NodeShape.GPU1);
      var gang = GangManifest.of(space, "train", 3);
      gang.createJob();
      Await.until("the gang to run", SOON, () -> gang.running() == 3);
      var groups = sandbox.kubectl("get", "podgroups", "-A", "-o", "name");
      assertThat(groups).contains(".gang.muster.io");
      var before = uids(gang);

      sandbox.muster().ifPresent(MusterProcess::kill);
      Registration.remove(sandbox.client());
      sandbox.kubectl("delete", "crd", "gangs.muster.io");
      sandbox.kubectl("delete", "namespace", "muster-system", "--ignore-not-found", "--wait=false");
      assertThat(uids(gang)).containsExactlyElementsOf(before);
      assertThat(sandbox.kubectl("get", "podgroups", "-A", "-o", "name")).isEqualTo(groups);

      var lost = gang.stored().getFirst();
      sandbox.client().pods().resource(lost).withGracePeriod(0).delete();
      Await.until(
          "a replacement to run",
          SOON,
          () -> gang.running() == 3 && !uids(gang).contains(lost.getMetadata().getUid()));
      assertThat(uids(gang))
          .containsAll(
              before.stream().filter(uid -> !uid.equals(lost.getMetadata().getUid())).toList());
    }
  }

  private static List<String> uids(GangManifest gang) {
    return gang.stored().stream().map(pod -> pod.getMetadata().getUid()).sorted().toList();
  }
}
