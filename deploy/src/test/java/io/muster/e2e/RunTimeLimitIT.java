package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangStatus;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A gang that ends when it has run for as long as it may, whose Job makes its pods anew. */
@ExtendWith(SandboxExtension.class)
final class RunTimeLimitIT {

  private static final Duration SOON = Duration.ofSeconds(90);
  private static final Duration A_WHILE = Duration.ofSeconds(10);

  /** Rows RL3 to RL5. */
  @Test
  void aJobEndsAtItsLimitAndRunsOnceItIsCreatedAnew(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 2).annotated("muster.io/run-time-limit", "20s");
    gang.createJob();
    Await.until("the gang to run", SOON, () -> gang.running() == 2);
    var first = uids(gang);

    Await.until("its limit to be reached", SOON, () -> reason(gang).equals("RunTimeLimit"));
    Await.until(
        "the Job to have made all pods anew",
        SOON,
        () -> uids(gang).size() == 2 && uids(gang).stream().noneMatch(first::contains));
    assertThat(Await.within(A_WHILE, () -> gang.bound() > 0)).isFalse();
    assertThat(status(gang).orElseThrow().runTimeLimitReached().limit()).isEqualTo("20s");

    space.client().batch().v1().jobs().inNamespace(space.namespace()).withName("train").delete();
    Await.until("the pods to be gone", SOON, () -> gang.stored().isEmpty());
    gang.createJob();
    Await.until("the Job that was created anew to run", SOON, () -> gang.running() == 2);
  }

  private static Set<String> uids(GangManifest gang) {
    return gang.stored().stream()
        .map(Pod::getMetadata)
        .map(metadata -> metadata.getUid())
        .collect(Collectors.toSet());
  }

  private static String reason(GangManifest gang) {
    return status(gang).map(GangStatus::reason).orElse("");
  }

  private static Optional<GangStatus> status(GangManifest gang) {
    return Optional.ofNullable(
            gang.space()
                .client()
                .resources(Gang.class)
                .inNamespace(gang.space().namespace())
                .withName(gang.name())
                .get())
        .map(Gang::getStatus);
  }
}
