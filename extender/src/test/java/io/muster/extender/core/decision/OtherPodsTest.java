package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pods that Muster does not place hold their devices all the same. */
final class OtherPodsTest extends GangScenes {

  @Test
  void devicesOfAnotherSchedulersPodAreTaken() {
    gpuNodes(2);
    cluster.create(aPod("theirs").gpus(1).scheduler("volcano").on("gpu-0").build());
    cluster.runUntil(seconds(1));
    gang("g", 2, 2);
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundOf("g")).isZero();
    settled();
  }

  @Test
  void devicesOfADaemonAreTaken() {
    gpuNodes(3);
    cluster.create(aPod("daemon-0").gpus(1).on("gpu-1").build());
    cluster.runUntil(seconds(1));
    gang("g", 2, 2);
    cluster.runUntil(seconds(60));
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    assertThat(cluster.pods.values())
        .filteredOn(pod -> pod.membership().isPresent())
        .extracting(pod -> pod.progress().nodeName().orElseThrow())
        .containsExactlyInAnyOrder("gpu-0", "gpu-2");
    settled();
  }

  /** Copied of a member, with its gate and without its gang: nobody else would ever open it. */
  @Test
  void aGateOnAPodOfNoGangIsOpened() {
    gpuNodes(1);
    cluster.createUnseen(aPod("copy").gpus(1).gated().build());
    cluster.runUntil(seconds(10));
    assertThat(cluster.pods.values()).allMatch(Pod::isBound);
    settled();
  }

  /** Each waking is a write, and of all that are woken for one device only one gets it. */
  @Test
  void refusedPodsAreWokenOnceAndAllStart() {
    cluster.scheduler.eventsWakeRefused = false;
    gpuNodes(4);
    cluster.configure(
        new Queues(
            List.of(
                new Queue(
                    "two",
                    1,
                    Optional.empty(),
                    Optional.of(2L),
                    Order.PRIORITY,
                    false,
                    Optional.empty(),
                    Set.of()))));
    int count = 30;
    for (int i = 0; i < count; i++) {
      cluster.create(aPod("pod-" + i).gpus(1).queue("two").createdAt(cluster.now()).build());
    }
    for (int round = 0; round < count; round++) {
      cluster.runUntil(cluster.sinceStart().plusSeconds(15));
      cluster.pods.values().stream()
          .filter(pod -> pod.isBound() && !pod.isTerminal())
          .map(pod -> pod.key().uid())
          .toList()
          .forEach(cluster::complete);
    }
    assertThat(cluster.pods.values()).allMatch(Pod::isTerminal);
    assertThat(cluster.wakes).isBetween(count / 2, count);
    settled();
  }
}
