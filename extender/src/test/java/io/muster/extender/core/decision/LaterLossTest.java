package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.cluster.Toleration;
import io.muster.extender.core.gang.Terms.OnLoss;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Losses that come one after the other. */
final class LaterLossTest extends GangScenes {

  private static PodBuilder member(int index, int min, OnLoss onLoss) {
    return aPod("g-" + index)
        .gpus(1)
        .gang("g", terms("g", min).onLoss(onLoss).build(), "")
        .ownedBy("job");
  }

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  private void started(int members, int min, OnLoss onLoss) {
    gpuNodes(members);
    for (int i = 0; i < members; i++) {
      cluster.create(member(i, min, onLoss).createdAt(cluster.now()).build());
    }
    run(10);
    assertThat(cluster.boundOf("g")).isEqualTo(members);
  }

  private void filler(String name) {
    cluster.create(aPod(name).gpus(1).createdAt(cluster.now()).build());
  }

  /** ADR 6: an owner that makes no replacement costs that time of idle room, once for each loss. */
  @Test
  void roomIsKeptForASecondLossThoughTheFirstWasNotReplacedInTime() {
    started(3, 3, OnLoss.REPLACE);
    cluster.delete("uid-g-1");
    run(75);
    filler("first");
    run(15);
    assertThat(cluster.pods.get("uid-first").isBound()).as("no room is kept any more").isTrue();
    filler("second");
    run(5);

    cluster.delete("uid-g-2");
    run(10);
    assertThat(cluster.pods.get("uid-second").isBound()).as("it is kept for g-2").isFalse();
    cluster.create(member(2, 3, OnLoss.REPLACE).uid("again").createdAt(cluster.now()).build());
    run(15);
    assertThat(cluster.pods.get("again").isBound()).isTrue();
    settled();
  }

  /** Its node would take the replacement, and evict it again. */
  @Test
  void aMemberThatATaintHasEvictedIsReplacedElsewhere() {
    gpuNodes(2);
    var forAWhile = new Toleration("maintenance", true, "", Optional.empty(), true);
    for (int i = 0; i < 2; i++) {
      cluster.create(
          member(i, 2, OnLoss.REPLACE).tolerating(forAWhile).createdAt(cluster.now()).build());
    }
    run(10);
    var node = cluster.pods.get("uid-g-1").progress().nodeName().orElseThrow();
    cluster.addNode(aNode("other").gpus(1).build());
    cluster.addNode(aNode(node).gpus(1).taint("maintenance", "", Taint.Effect.NO_EXECUTE).build());
    cluster.delete("uid-g-1");
    run(5);

    cluster.create(
        member(1, 2, OnLoss.REPLACE)
            .tolerating(forAWhile)
            .uid("again")
            .createdAt(cluster.now())
            .build());
    run(15);

    assertThat(cluster.pods.get("again").progress().nodeName()).contains("other");
    settled();
  }

  /** Nobody ends them, and they are as many as are needed: there is nothing to wait for. */
  @Test
  void aGangThatCannotBeRestartedAndHasItsMinimumTakesWhoComes() {
    gpuNodes(3);
    for (int i = 0; i < 3; i++) {
      cluster.create(member(i, 2, OnLoss.RESTART).bare().createdAt(cluster.now()).build());
    }
    run(10);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    cluster.delete("uid-g-2");
    run(10);
    cluster.create(
        member(2, 2, OnLoss.RESTART).bare().uid("again").createdAt(cluster.now()).build());
    run(60);
    assertThat(cluster.boundOf("g")).as(cluster.report("g").message()).isEqualTo(3);
    settled();
  }
}
