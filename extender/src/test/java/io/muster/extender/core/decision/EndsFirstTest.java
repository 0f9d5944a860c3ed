package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.GangKeys;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Jobs with podReplacementPolicy Failed: no pod runs beside the one that it replaces. */
final class EndsFirstTest extends QueuedGangScenes {

  /** Taken from its Job, which has made another one at once. */
  @Test
  void aPodWaitsForTheOneOfItsJobThatHasToEndFirst() {
    nodes(2);
    cluster.create(aPod("ml", "first").gpus(1).ownedBy("job").createdAt(cluster.now()).build());
    after(10);
    cluster.neverEnds = _ -> true;
    cluster.store(cluster.pods.get("uid-first").labelled(Map.of(GangKeys.ENDS_FIRST, "job")));
    cluster.delete("uid-first");
    after(1);
    cluster.create(aPod("ml", "again").gpus(1).ownedBy("job").createdAt(cluster.now()).build());
    cluster.create(aPod("ml", "other").gpus(1).ownedBy("other").createdAt(cluster.now()).build());
    after(12);
    assertThat(cluster.pods.get("uid-again").isBound()).isFalse();
    assertThat(cluster.pods.get("uid-other").isBound()).isTrue();
    cluster.vanish("uid-first");
    after(60);
    assertThat(cluster.pods.get("uid-again").isBound()).isTrue();
  }

  /** Users may label their own pods as they like. */
  @Test
  void nobodyKeepsPodsOfAnotherNamespaceBack() {
    nodes(2);
    var label = Map.of(GangKeys.ENDS_FIRST, "job");
    cluster.create(aPod("evil", "label").createdAt(cluster.now()).build().labelled(label));
    after(1);
    cluster.create(aPod("ml", "first").gpus(1).ownedBy("job").createdAt(cluster.now()).build());
    after(10);
    assertThat(cluster.pods.get("uid-label").origin().labels()).isEqualTo(label);
    assertThat(cluster.pods.get("uid-first").isBound()).isTrue();
  }
}
