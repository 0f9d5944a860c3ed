package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What queues must hold in unfriendly cases: limits beyond the minimum, pods that nobody makes
 * anew.
 */
final class QueueScenesTest {

  private final ClusterSimulation cluster =
      new ClusterSimulation(1, Rules.extender(NodePinPolicy.NEVER));

  private static Queue queue(String name, Long quota, Long limit) {
    return new Queue(
        name,
        1,
        Optional.ofNullable(quota),
        Optional.ofNullable(limit),
        Order.PRIORITY,
        false,
        Optional.empty(),
        Set.of());
  }

  private void gang(String name, int members, UnaryOperator<PodBuilder> how) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          how.apply(aPod("ml", name + "-" + i).gpus(8).gang(name, members).createdAt(cluster.now()))
              .build());
    }
  }

  private void pass(int seconds) {
    cluster.runUntil(cluster.sinceStart().plus(Duration.ofSeconds(seconds)));
  }

  private static long devices(ClusterSimulation cluster) {
    return cluster.pods.values().stream()
        .filter(Pod::isBound)
        .mapToLong(pod -> pod.demand().requests().devices())
        .sum();
  }

  private void fourNodesAndAGangOnBorrowedOnes(UnaryOperator<PodBuilder> how) {
    cluster.configure(new Queues(List.of(queue("a", 16L, null), queue("b", 16L, null))));
    for (int i = 0; i < 4; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
    gang("first", 4, pod -> how.apply(pod.queue("a")));
    pass(30);
    assertThat(cluster.boundOf("first")).isEqualTo(4);
    gang("other", 2, pod -> pod.queue("b"));
    pass(120);
  }

  /** They came to them before there were quotas. */
  @Test
  void membersWithoutAControllerAreNotEndedForWhatTheirQueueHasBorrowed() {
    for (int i = 0; i < 4; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
    gang("first", 4, pod -> pod.bare().queue("default"));
    pass(30);
    assertThat(cluster.boundOf("first")).isEqualTo(4);
    cluster.configure(new Queues(List.of(queue("default", 16L, null), queue("b", 16L, null))));
    gang("other", 2, pod -> pod.queue("b"));
    pass(120);
    assertThat(cluster.boundOf("first")).isEqualTo(4);
    assertThat(cluster.boundOf("other")).isZero();
  }

  /** It would be refused on the node that they have left, and others end there in vain. */
  @Test
  void kubeSchedulerEndsNobodyForAPodThatItsQueueWouldRefuse() {
    cluster.configure(new Queues(List.of(queue("a", 16L, null), queue("b", null, 8L))));
    for (int i = 0; i < 3; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
    gang("first", 2, pod -> pod.queue("a"));
    gang("own", 1, pod -> pod.queue("b"));
    pass(30);
    var own = cluster.pods.get("uid-own-0").progress().nodeName().orElseThrow();
    var first = cluster.pods.get("uid-first-0").progress().nodeName().orElseThrow();
    var victims = Map.of(own, Set.of("uid-own-0"), first, Set.of("uid-first-0"));

    var single = aPod("ml", "single").gpus(8).priority(9).ownedBy("job");
    assertThat(cluster.muster().preemptable(single.queue("b").build(), victims))
        .as("with what its queue has then")
        .containsExactly(own);
    assertThat(cluster.muster().preemptable(single.queue("none").build(), victims)).isEmpty();
    assertThat(cluster.muster().preemptable(single.gpus(0).queue("b").build(), victims)).hasSize(2);
  }

  @Test
  void membersWithoutAControllerBorrowNothing() {
    cluster.configure(new Queues(List.of(queue("a", 16L, null), queue("b", 16L, null))));
    for (int i = 0; i < 4; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
    gang("large", 4, pod -> pod.bare().queue("a"));
    gang("small", 2, pod -> pod.bare().queue("a"));
    cluster.create(aPod("single").gpus(8).bare().queue("a").createdAt(cluster.now()).build());
    pass(120);
    assertThat(cluster.boundOf("large")).isZero();
    assertThat(cluster.report("large").reason().code()).isEqualTo("Quota");
    assertThat(cluster.report("large").message())
        .isEqualTo(
            "queue \"a\" has a quota of 16 devices, holds 16, and 32 more are needed; pods without a"
                + " controller may not borrow");
    assertThat(cluster.report("large").remedy())
        .isEqualTo("create the pods by a Job, or with muster.io/preemptible: \"true\"");
    assertThat(cluster.boundOf("small")).as("within the quota").isEqualTo(2);
    assertThat(cluster.pods.get("uid-single").isBound()).isFalse();
  }

  @Test
  void aMemberWithoutAControllerThatWaitsKeepsNothingThatItsGangHasBorrowed() {
    cluster.configure(new Queues(List.of(queue("a", 16L, null), queue("b", 16L, null))));
    for (int i = 0; i < 4; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
    gang("first", 4, pod -> pod.queue("a"));
    pass(30);
    assertThat(cluster.boundOf("first")).isEqualTo(4);
    cluster.create(
        aPod("ml", "first-9")
            .gpus(8)
            .gang("first", 4)
            .bare()
            .queue("a")
            .createdAt(cluster.now())
            .build());
    pass(30);
    gang("other", 2, pod -> pod.queue("b"));
    pass(120);
    assertThat(cluster.boundOf("other")).isEqualTo(2);
    assertThat(cluster.pods).containsKey("uid-first-9");
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void theyEndWhereTheySayThatTheyMay() {
    fourNodesAndAGangOnBorrowedOnes(pod -> pod.bare().preemptible());
    assertThat(cluster.boundOf("first")).isZero();
    assertThat(cluster.boundOf("other")).isEqualTo(2);
  }

  @Test
  void membersThatAreMadeAnewEndForIt() {
    fourNodesAndAGangOnBorrowedOnes(UnaryOperator.identity());
    assertThat(cluster.boundOf("other")).isEqualTo(2);
  }

  @Test
  void aPodWithoutAControllerIsNotEndedForAHigherPriority() {
    cluster.addNode(aNode("n0").gpus(8).build());
    cluster.create(aPod("single").gpus(8).bare().createdAt(cluster.now()).build());
    pass(5);
    gang("high", 1, pod -> pod.priority(100));
    pass(120);
    assertThat(cluster.pods.get("uid-single").isBound()).isTrue();
    assertThat(cluster.boundOf("high")).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void aLimitHoldsThoughTheMemberOfALastRoleComesLast(NodePinPolicy pins) {
    var limited = new ClusterSimulation(1, Rules.extender(pins));
    limited.configure(new Queues(List.of(queue("q", null, 2L))));
    limited.addNode(aNode("n0").gpus(8).build());
    limited.runUntil(Duration.ofSeconds(1));
    var said = terms("g", 2).role("master", 1).build();
    for (int i = 0; i < 6; i++) {
      limited.create(
          aPod("ml", "g-w" + i)
              .gpus(1)
              .gang("g", said, "worker")
              .queue("q")
              .createdAt(limited.now())
              .build());
    }
    limited.runUntil(Duration.ofSeconds(3));
    limited.create(
        aPod("ml", "g-x")
            .gpus(1)
            .gang("g", said, "master")
            .queue("q")
            .createdAt(limited.now())
            .build());
    limited.runUntil(Duration.ofMinutes(2));
    assertThat(devices(limited)).isEqualTo(2);
  }

  @Test
  void aLimitHoldsThoughMoreMembersThanAreNeededCome() {
    for (int seed = 0; seed < 40; seed++) {
      var limited = new ClusterSimulation(seed);
      limited.configure(new Queues(List.of(queue("q", null, 4L))));
      limited.addNode(aNode("n0").gpus(32).build());
      limited.runUntil(Duration.ofSeconds(1));
      for (int i = 0; i < 16; i++) {
        limited.create(
            aPod("ml", "g-" + i).gpus(1).gang("g", 3).queue("q").createdAt(limited.now()).build());
      }
      limited.runUntil(Duration.ofMinutes(2));
      assertThat(devices(limited)).as("seed %d", seed).isEqualTo(4);
    }
  }

  @Test
  void aPlaceThatIsKeptForAReplacementCountsInItsQueue() {
    cluster.configure(new Queues(List.of(queue("q", null, 16L))));
    for (int i = 0; i < 3; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
    gang("g", 2, pod -> pod.queue("q"));
    pass(10);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    cluster.delete("uid-g-1");
    pass(5);
    gang("other", 1, pod -> pod.queue("q"));
    pass(15);
    assertThat(cluster.boundOf("other")).isZero();

    cluster.create(aPod("ml", "g-1").uid("again").gpus(8).gang("g", 2).queue("q").build());
    pass(15);
    assertThat(cluster.boundOf("other")).isZero();
    assertThat(cluster.boundOf("g")).isEqualTo(2);
  }

  /** It was given its place, woken, refused when it came, and given it again. */
  @Test
  void aReplacementThatItsQueueDoesNotLetInIsNotWokenAgainAndAgain() {
    cluster.configure(new Queues(List.of(queue("q", null, 16L))));
    for (int i = 0; i < 3; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
    gang("g", 2, pod -> pod.queue("q"));
    pass(10);
    cluster.delete("uid-g-1");
    pass(5);
    cluster.configure(new Queues(List.of(queue("q", null, 12L))));
    pass(5);
    int before = cluster.wakes;
    cluster.create(aPod("ml", "g-1").uid("again").gpus(8).gang("g", 2).queue("q").build());
    pass(60);
    assertThat(cluster.boundOf("g")).isEqualTo(1);
    assertThat(cluster.wakes - before).isLessThanOrEqualTo(1);

    cluster.configure(new Queues(List.of(queue("q", null, 16L))));
    pass(20);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
  }

  @Test
  void roomThatIsKeptForAPodThatComesLaterCountsInItsQueue() {
    cluster.configure(new Queues(List.of(queue("q", null, 3L))));
    cluster.addNode(aNode("n0").gpus(8).build());
    var later = aPod("g-later").gpus(1).gang("g", 2).queue("q");
    for (int i = 0; i < 2; i++) {
      cluster.create(
          aPod("g-" + i).gpus(1).gang("g", 2).beforeOne(later.build()).queue("q").build());
    }
    pass(10);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    cluster.create(aPod("other").gpus(1).queue("q").createdAt(cluster.now()).build());
    pass(15);
    assertThat(cluster.pods.get("uid-other").isBound()).isFalse();

    cluster.create(later.createdAt(cluster.now()).build());
    pass(15);
    assertThat(cluster.pods.get("uid-g-later").isBound()).isTrue();
    assertThat(cluster.pods.get("uid-other").isBound()).isFalse();
  }
}
