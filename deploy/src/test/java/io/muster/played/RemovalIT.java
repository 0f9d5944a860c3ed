package io.muster.played;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What is installed is deleted by others than helm, in any order, and no hook runs. */
@Tag("long")
@ResourceLock(PlayedCluster.ADDRESSES)
final class RemovalIT {

  private static final int ROUNDS = Integer.getInteger("muster.removal.rounds", 50);
  private static final Duration SOON = Duration.ofSeconds(60);

  /** From the last deletion to pods that run. */
  private static final Duration LONGEST = Duration.ofSeconds(5);

  @Test
  void inWhateverOrderItGoesGangPodsAreSoonPlacedWithoutMuster() throws IOException {
    var times = new ArrayList<Duration>();
    try (var cluster = PlayedCluster.start("removal", 2)) {
      for (int seed = 0; seed < ROUNDS; seed++) {
        var installation = Installation.in(cluster);
        var before = installation.objects();
        installation.install("mode=" + List.of("shared", "second", "affinity").get(seed % 3));
        var objects = installation.manifest();
        Collections.shuffle(objects, new Random(seed));

        try (var space = cluster.open("removal")) {
          space.nodes(1, NodeShape.GPU4);
          objects.forEach(object -> delete(cluster, object));
          long deleted = System.nanoTime();
          var gang = GangManifest.of(space, "after", 2);
          gang.createPatiently(SOON);
          Await.until("seed " + seed + ": the pods to run", SOON, () -> gang.running() == 2);
          times.add(Duration.ofNanos(System.nanoTime() - deleted));
        }

        Await.within(SOON, () -> installation.leftSince(before).isEmpty());
        assertThat(installation.leftSince(before)).as("seed %d", seed).isEmpty();
      }
    }
    Collections.sort(times);
    System.out.println("from the last deletion to pods that run: " + times);
    assertThat(times.getLast()).isLessThan(LONGEST);
  }

  private static void delete(PlayedCluster cluster, HasMetadata object) {
    if (!object.getKind().equals("CustomResourceDefinition")) {
      cluster.client().resource(object).delete();
    }
  }
}
