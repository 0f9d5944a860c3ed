package io.muster.extender.core.decision.scheduling;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.reserve.GangPlans;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which refused pods are woken when room comes free, and what it takes to find out. */
final class RefusedPodsTest {

  private static final Duration EXPECTED_FOR = Deadlines.DEFAULT.podMaxBackoff().plusSeconds(5);

  private final ClusterState cluster =
      new ClusterState(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));

  private int plans;

  /** A demand that the planner cannot cope with. */
  private Demand odd = aPod("none").gpus(99).build().demand();

  private final RefusedPods refused =
      new RefusedPods(
          cluster,
          new GangPlans(cluster),
          (snapshot, request) -> {
            plans++;
            if (request.members().contains(odd)) {
              throw new IllegalStateException("odd");
            }
            return cluster.planner().decide(snapshot, request);
          });

  private Instant now = Instant.EPOCH;

  /** Nodes of eight GPUs each, and a pod that takes all of each. */
  private void fullNodes(int count) {
    for (int i = 0; i < count; i++) {
      cluster.inventory().seen(aNode("n" + i).gpus(8).build());
      var pod = aPod("runs-" + i).gpus(8).on("n" + i).build();
      cluster.inventory().occupy(pod.key().uid(), "n" + i, pod.demand().requests());
    }
  }

  private void comesFree(int node) {
    cluster.inventory().release("uid-runs-" + node);
  }

  private Pod refuse(PodBuilder pod) {
    var built = pod.build();
    cluster.seen(built);
    refuse(built);
    return built;
  }

  private void refuse(Pod pod) {
    cluster.refusedSingles().put(pod.key().uid(), pod);
  }

  private void starts(Pod pod, String node) {
    cluster.inventory().occupy(pod.key().uid(), node, pod.demand().requests());
  }

  @Test
  void aPodThatCannotBePlannedKeepsNobodyBehindItAsleep() {
    fullNodes(2);
    odd = refuse(aPod("odd").gpus(3).priority(5)).demand();
    refuse(aPod("first").gpus(8));
    refuse(aPod("second").gpus(8));
    comesFree(0);
    comesFree(1);

    assertThatThrownBy(this::woken).hasMessage("odd");

    assertThat(woken()).containsExactly("first", "second");
  }

  private List<String> woken() {
    refused.wake(now);
    return cluster.takeEffects().stream()
        .filter(Effect.Wake.class::isInstance)
        .map(effect -> ((Effect.Wake) effect).pod().name())
        .toList();
  }

  private static PodBuilder whole(String name) {
    return aPod(name).gpus(8).createdAt(Instant.EPOCH);
  }

  @Test
  void aNodeThatComesFreeWakesAsManyAsItHolds() {
    fullNodes(3);
    for (int i = 0; i < 100; i++) {
      refuse(aPod("pod-" + i).gpus(4).createdAt(Instant.ofEpochSecond(i)));
    }
    assertThat(woken()).isEmpty();

    comesFree(1);

    assertThat(woken()).containsExactly("pod-0", "pod-1");
    assertThat(woken()).as("nothing has changed").isEmpty();
    comesFree(2);
    assertThat(woken()).as("the others are on their way").containsExactly("pod-2", "pod-3");
  }

  @Test
  void thoseThatAskForTheSameArePlannedOnce() {
    fullNodes(3);
    for (int i = 0; i < 100; i++) {
      refuse(whole("whole-" + i));
      refuse(aPod("half-" + i).gpus(4).createdAt(Instant.EPOCH));
    }
    woken();
    assertThat(plans).as("what does not fit anywhere").isEqualTo(2);
    woken();
    assertThat(plans).as("nothing has changed").isEqualTo(2);

    comesFree(0);
    woken();

    assertThat(plans).as("two that fit, and each kind once").isEqualTo(2 + 2 + 2);
  }

  @Test
  void theHigherPriorityGoesFirstAndThenTheOlder() {
    fullNodes(1);
    refuse(whole("low"));
    refuse(whole("young").priority(5).createdAt(Instant.ofEpochSecond(9)));
    refuse(whole("old").priority(5).createdAt(Instant.ofEpochSecond(3)));
    comesFree(0);

    assertThat(woken()).containsExactly("old");
  }

  @Test
  void oneThatHasStartedMakesNobodyElseWake() {
    fullNodes(1);
    var first = refuse(whole("first"));
    refuse(whole("second").createdAt(Instant.ofEpochSecond(1)));
    comesFree(0);
    assertThat(woken()).containsExactly("first");
    starts(first, "n0");

    now = now.plus(EXPECTED_FOR);

    assertThat(woken()).isEmpty();
    assertThat(refused.isTimeUp(now)).isFalse();
  }

  @Test
  void oneThatDoesNotComeKeepsTheOthersWaitingForAWhileOnly() {
    fullNodes(1);
    refuse(whole("first"));
    refuse(whole("second").createdAt(Instant.ofEpochSecond(1)));
    comesFree(0);
    assertThat(woken()).containsExactly("first");
    now = now.plus(EXPECTED_FOR.minusSeconds(1));
    assertThat(refused.isTimeUp(now)).isFalse();
    assertThat(woken()).isEmpty();

    now = now.plusSeconds(1);

    assertThat(refused.isTimeUp(now)).isTrue();
    assertThat(woken()).containsExactly("second");
  }

  @Test
  void oneThatGoesLeavesItsTurnToTheNext() {
    fullNodes(1);
    var first = refuse(whole("first"));
    refuse(whole("second").createdAt(Instant.ofEpochSecond(1)));
    comesFree(0);
    assertThat(woken()).containsExactly("first");

    cluster.noteGone(first.key().uid(), now);

    assertThat(refused.isTimeUp(now)).isTrue();
    assertThat(woken()).containsExactly("second");
  }

  /** kube-scheduler need not agree that the node will do. */
  @Test
  void oneThatIsRefusedAgainIsTriedAgainBesideTheNext() {
    fullNodes(1);
    var first = refuse(whole("first"));
    refuse(whole("second").createdAt(Instant.ofEpochSecond(1)));
    refuse(whole("third").createdAt(Instant.ofEpochSecond(2)));
    comesFree(0);
    assertThat(woken()).containsExactly("first");

    refuse(first);

    assertThat(refused.isTimeUp(now)).isTrue();
    assertThat(woken()).containsExactly("first", "second");
    assertThat(refused.isTimeUp(now)).isFalse();
  }

  @Test
  void oneThatStartsElsewhereLeavesItsPlaceToTheNext() {
    fullNodes(2);
    var first = refuse(whole("first"));
    refuse(whole("second").createdAt(Instant.ofEpochSecond(1)));
    comesFree(0);
    assertThat(woken()).containsExactly("first");
    comesFree(1);
    starts(first, "n1");

    assertThat(refused.isTimeUp(now)).isTrue();
    assertThat(woken()).containsExactly("second");
  }

  @Test
  void noMoreAreWokenThanTheirQueueLetsStart() {
    fullNodes(3);
    cluster
        .queues()
        .configure(
            new Queues(
                List.of(
                    new Queue(
                        "small",
                        1,
                        Optional.empty(),
                        Optional.of(8L),
                        Order.PRIORITY,
                        false,
                        Optional.empty(),
                        Set.of()))));
    var first = refuse(whole("first").queue("small"));
    refuse(whole("second").queue("small").createdAt(Instant.ofEpochSecond(1)));
    for (int i = 0; i < 3; i++) {
      comesFree(i);
    }
    assertThat(woken()).containsExactly("first");

    cluster.noteGone(first.key().uid(), now);

    assertThat(woken()).containsExactly("second");
  }

  /** Filter would refuse it there. */
  @Test
  void aMemberIsNotWokenForANodeThatHasFailedItsGang() {
    fullNodes(1);
    var started = aPod("g-0").gpus(1).gang("g", 1).on("elsewhere").build();
    cluster.seen(started);
    var gang = cluster.gangOf(started).orElseThrow();
    gang.memberSeen(started, now);
    gang.satisfy();
    var extra = refuse(aPod("g-1").gpus(8).gang("g", 1).createdAt(Instant.EPOCH));
    gang.memberSeen(extra, now);
    gang.setbacks.blame("n0", now);
    comesFree(0);
    assertThat(woken()).isEmpty();
    now = now.plusSeconds(59);
    assertThat(refused.isTimeUp(now)).isFalse();

    now = now.plusSeconds(1);

    assertThat(refused.isTimeUp(now)).isTrue();
    assertThat(woken()).containsExactly("g-1");
  }
}
