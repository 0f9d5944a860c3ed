package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.NodeBuilder;
import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.queue.Queue;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two teams with a queue each, and what neither may take from the other whatever its pods say: 64
 * devices, 32 of which are speech's, whose namespace is team-a, and 32 research's, of team-b.
 */
final class TenantsTest extends QueuedGangScenes {

  private static final String ALICE = "team-a";
  private static final String BOB = "team-b";

  @BeforeEach
  void twoTeams() {
    cluster.ownersReplace = true;
    nodes(8);
    configure(queue("speech", 32, ALICE), queue("research", 32, BOB));
  }

  @Override
  NodeBuilder node(int index) {
    return super.node(index).label("kind", index < 4 ? "old" : "new");
  }

  private static Queue queue(String name, long quota, String... namespaces) {
    return queue(name, Optional.of(quota), Optional.empty(), namespaces);
  }

  private void gang(String namespace, String name, int members) {
    gang(namespace, name, members, UnaryOperator.identity());
  }

  private long runs(String gang) {
    return cluster.boundOf(gang);
  }

  /** At each moment of a time in which a gang that was ended could run again. */
  private void runsOn(int seconds, String gang, long members) {
    for (int i = 0; i < seconds; i++) {
      after(1);
      assertThat(runs(gang)).as("%s after %d s", gang, i).isEqualTo(members);
    }
  }

  @Test
  void aQueueIsNotTakenByAGangOfANamespaceThatItIsNotOpenTo() {
    gang(BOB, "stolen", 4, pod -> pod.queue("speech"));
    after(30);
    assertThat(runs("stolen")).isZero();
    assertThat(cluster.report("stolen").reason().code()).isEqualTo("QueueNotAllowed");
    assertThat(cluster.report("stolen").message())
        .isEqualTo("queue \"speech\" is not open to namespace \"team-b\"");
    assertThat(cluster.report("stolen").remedy())
        .isEqualTo(
            "create the pods again without muster.io/queue, or with one of: research; or let the"
                + " namespace into the queue");

    gang(ALICE, "own", 4);
    gang(BOB, "other", 4);
    after(30);
    assertThat(runs("own")).isEqualTo(4);
    assertThat(runs("other")).as("of its kind, in its own queue").isEqualTo(4);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aPodThatRunsCountsInTheQueueOfItsNamespaceThoughItNamesAnother() {
    for (int i = 0; i < 4; i++) {
      cluster.create(aPod(BOB, "pod-" + i).gpus(8).queue("speech").on("n" + i).build());
    }
    gang(ALICE, "own", 4);
    after(30);
    assertThat(runs("own")).isEqualTo(4);
    gang(BOB, "beyond", 1);
    after(30);
    assertThat(cluster.report("beyond").message())
        .startsWith("queue \"research\" has a quota of 32 devices, holds 32");
  }

  @Test
  void aPodWithoutAGangWaitsTooUntilTheQueueLetsItsNamespaceIn() {
    cluster.create(aPod(BOB, "single").gpus(8).queue("speech").createdAt(cluster.now()).build());
    gang(BOB, "gang", 1, pod -> pod.queue("speech"));
    after(30);
    assertThat(cluster.pods.get("uid-single").isBound()).isFalse();
    assertThat(runs("gang")).isZero();

    configure(queue("speech", 32, ALICE, "*"), queue("research", 32, BOB));
    after(30);
    assertThat(cluster.pods.get("uid-single").isBound()).isTrue();
    assertThat(runs("gang")).isEqualTo(1);
  }

  @Test
  void theDefaultQueueIsNoWayAroundAQuota() {
    gang(BOB, "around", 8, pod -> pod.queue("default"));
    after(30);
    assertThat(runs("around")).isZero();
    gang("nobodys", "guest", 4, pod -> pod.queue("default"));
    after(30);
    assertThat(runs("guest")).isEqualTo(4);
  }

  @Test
  void whatIsBorrowedComesBackThoughItAskedToBeLeftAlone() {
    gang(BOB, "own", 4, PodBuilder::toBeLeftAlone);
    after(10);
    gang(BOB, "borrowed", 4, PodBuilder::toBeLeftAlone);
    after(10);
    assertThat(runs("borrowed")).isEqualTo(4);

    gang(ALICE, "owner", 4);
    after(60);
    assertThat(runs("owner")).isEqualTo(4);
    assertThat(runs("own")).as("within the share of its queue").isEqualTo(4);
    assertThat(runs("borrowed")).isZero();
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void whoAskedToBeLeftAloneKeepsItsShareThoughOthersOfItsQueueBorrowed() {
    gang(BOB, "own", 4, pod -> pod.toBeLeftAlone().selecting("kind", "old"));
    after(10);
    gang(BOB, "borrowed", 4, pod -> pod.priority(100));
    after(10);
    gang(ALICE, "owner", 4, pod -> pod.selecting("kind", "old"));
    runsOn(60, "own", 4);
    assertThat(runs("owner")).as("only the nodes of the other would do").isZero();
  }

  @Test
  void withinItsShareWhoAskedToBeLeftAloneIsByAHigherPriorityToo() {
    gang(BOB, "own", 4, pod -> pod.toBeLeftAlone().selecting("kind", "old"));
    after(10);
    gang(ALICE, "urgent", 4, pod -> pod.priority(100).selecting("kind", "old"));
    runsOn(60, "own", 4);
    assertThat(runs("urgent")).isZero();
  }

  @Test
  void aGangWithinItsShareEndsForNoneThatBorrows() {
    gang(ALICE, "modest", 3, pod -> pod.selecting("kind", "old"));
    gang(BOB, "first", 3, pod -> pod.selecting("kind", "new"));
    after(10);
    assertThat(runs("modest")).isEqualTo(3);
    gang(BOB, "greedy", 2, pod -> pod.priority(100).selecting("kind", "old"));
    runsOn(60, "modest", 3);
    assertThat(runs("greedy")).isZero();

    gang(BOB, "within", 1, pod -> pod.priority(100).selecting("kind", "new"));
    after(60);
    assertThat(runs("within")).isEqualTo(1);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aGangThatBorrowsEndsNoMoreThanAnotherQueueHasBorrowed() {
    configure(queue("speech", 16, ALICE), queue("research", 16, BOB), queue("idle", 64));
    gang(BOB, "first", 4, PodBuilder::toBeLeftAlone);
    gang(ALICE, "share", 2);
    after(10);
    gang(ALICE, "excess", 2);
    after(10);
    assertThat(runs("excess")).isEqualTo(2);
    gang(BOB, "greedy", 4, pod -> pod.priority(100));
    runsOn(60, "share", 2);
    assertThat(runs("excess")).isEqualTo(2);

    gang(BOB, "smaller", 2, pod -> pod.priority(100));
    runsOn(60, "share", 2);
    assertThat(runs("excess")).isZero();
    assertThat(runs("smaller")).isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aGangThatBorrowsDoesNotCountUponWhatAnotherQueueLeavesWithinItsQuota() {
    cluster.gracesAreUsedUp = true;
    configure(queue("speech", 16, ALICE), queue("research", 16, BOB), queue("idle", 64));
    gang(ALICE, "share", 2, pod -> pod.grace(Duration.ofSeconds(90)));
    gang(BOB, "first", 5, pod -> pod.priority(100));
    gang(BOB, "low", 1);
    after(10);
    assertThat(runs("first")).isEqualTo(5);
    assertThat(runs("low")).isEqualTo(1);
    gang(BOB, "greedy", 2, pod -> pod.priority(100));
    cluster.delete("uid-share-0");
    cluster.delete("uid-share-1");
    after(30);
    assertThat(cluster.report("greedy").reason()).isNotEqualTo(Reason.PREEMPTING);
  }

  @Test
  void noMoreIsTakenBackThanAQueueHasBorrowed() {
    configure(queue("speech", 64, ALICE), queue("research", 32, BOB));
    gang(BOB, "older", 4);
    after(10);
    gang(BOB, "younger", 4);
    after(10);
    gang(ALICE, "all", 8);
    runsOn(90, "older", 4);
    assertThat(runs("all")).isZero();

    gang(ALICE, "half", 4);
    after(60);
    assertThat(runs("half")).isEqualTo(4);
    assertThat(runs("older")).isEqualTo(4);
  }

  @Test
  void whatRunsDoesNotLeaveItsQueueByTheNameOfOneThatThereIsNot() {
    gang(BOB, "first", 4);
    gang(BOB, "second", 4);
    after(10);
    assertThat(runs("second")).isEqualTo(4);
    cluster.create(
        aPod(BOB, "first-9")
            .gpus(8)
            .gang("first", 4)
            .queue("none")
            .createdAt(cluster.now())
            .build());
    cluster.create(
        aPod(BOB, "second-9")
            .gpus(8)
            .gang("second", 4)
            .queue("none")
            .createdAt(cluster.now())
            .build());
    after(10);
    cluster.pods.values().stream().toList().forEach(cluster::store);
    after(10);
    gang(ALICE, "owner", 4);
    after(60);
    assertThat(runs("owner")).isEqualTo(4);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void whatRunsByNodesThatItNamedItselfCountsThoughItsQueueDoesNotExist() {
    for (int i = 0; i < 8; i++) {
      cluster.land(
          aPod(BOB, "pod-" + i).gpus(8).queue("none").phase(Pod.Phase.RUNNING).on("n" + i).build());
    }
    gang(ALICE, "owner", 4);
    after(60);
    assertThat(runs("owner")).isEqualTo(4);
  }

  @Test
  void whatIsBorrowedComesBackThoughItsGangNeverStarts() {
    cluster.ownersReplace = false;
    for (int i = 0; i < 8; i++) {
      cluster.land(
          aPod(BOB, "pod-" + i)
              .gpus(8)
              .gang("never", 5_000)
              .phase(Pod.Phase.RUNNING)
              .on("n" + i)
              .build());
    }
    after(10);
    gang(ALICE, "owner", 4);
    after(60);
    assertThat(runs("owner")).isEqualTo(4);
  }
}
