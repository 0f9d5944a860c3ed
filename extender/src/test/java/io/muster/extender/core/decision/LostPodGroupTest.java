package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A PodGroup of Muster's own that somebody deletes by force. */
final class LostPodGroupTest {

  private static final GangId G = new GangId(Dialect.KOORDINATOR, "ml", "g");

  private final ClusterSimulation cluster =
      new ClusterSimulation(
          1, new Rules(PlacementMode.NATIVE, NodePinPolicy.NEVER, Waiting.DEFAULT));

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plus(Duration.ofSeconds(seconds)));
  }

  private void gang(boolean isOwned) {
    cluster.ownersReplace = true;
    for (int i = 0; i < 3; i++) {
      cluster.addNode(aNode("n" + i).gpus(1).build());
    }
    for (int i = 0; i < 3; i++) {
      var pod = aPod("g-" + i).gpus(1).gang("g", 3).createdAt(cluster.now());
      cluster.create((isOwned ? pod.ownedBy("job") : pod.bare()).build());
    }
  }

  private void theGroupGoesBeforeTheBinding(boolean isOwned) {
    cluster.scheduler.asleep = true;
    gang(isOwned);
    run(3);
    assertThat(cluster.groups).containsKey(G);
    assertThat(cluster.pods.values()).noneMatch(pod -> pod.isGated());
    cluster.deleteGroup(G);
    cluster.scheduler.asleep = false;
    cluster.pods.keySet().forEach(uid -> cluster.scheduler.enqueue(uid, Duration.ZERO));
  }

  @Test
  void aGangThatWasReleasedStartsThoughItsGroupHasGone() {
    theGroupGoesBeforeTheBinding(true);
    run(600);
    assertThat(cluster.boundOf("g")).as("by now they are %s", cluster.pods.keySet()).isEqualTo(3);
  }

  @Test
  void soDoesOneThatNobodyRecreates() {
    theGroupGoesBeforeTheBinding(false);
    run(600);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
  }

  @Test
  void whoReplacesAMemberOfARunningGangStartsThoughItsGroupHasGone() {
    gang(true);
    run(10);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    cluster.deleteGroup(G);
    cluster.delete("uid-g-1");
    run(600);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
  }
}
