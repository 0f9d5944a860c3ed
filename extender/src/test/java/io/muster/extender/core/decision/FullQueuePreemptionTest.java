package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Gangs of a full queue that end for others of it, which it would refuse while they run. */
final class FullQueuePreemptionTest extends QueuedGangScenes {

  private static final Optional<Long> NONE = Optional.empty();

  @BeforeEach
  void ownersMakePodsAnew() {
    cluster.ownersReplace = true;
  }

  private long live(String gang) {
    return cluster.pods.values().stream()
        .filter(pod -> pod.key().name().startsWith(gang + "-"))
        .filter(pod -> pod.isBound() && !pod.progress().deleting())
        .count();
  }

  private void inQueue(String queue, String name, int members, int priority) {
    gang(name, members, pod -> pod.queue(queue).priority(priority));
  }

  @Test
  void aGangOfHigherPriorityTakesItsQueuesQuotaFromLowerOnes() {
    nodes(4);
    configure(queue("a", Optional.of(16L), NONE), queue("b", Optional.of(16L), NONE));
    inQueue("b", "other", 2, 0);
    inQueue("a", "low-1", 1, 0);
    after(10);
    inQueue("a", "low-2", 1, 0);
    after(10);
    inQueue("a", "high", 1, 100);
    after(30);
    assertThat(live("high")).isEqualTo(1);
    assertThat(live("low-1")).isEqualTo(1);
    assertThat(live("low-2")).isZero();
    assertThat(live("other")).as("of another queue, within its quota").isEqualTo(2);
    after(20);
    assertThat(cluster.report("low-2").reason()).isEqualTo(Reason.QUOTA);
    assertThat(cluster.faults).isEmpty();
  }

  /** The nodes are free, so that nobody would have to end for them. */
  @Test
  void soItDoesWithTheLimitThoughThereIsRoom() {
    nodes(4);
    configure(queue("a", NONE, Optional.of(16L)));
    inQueue("default", "other", 1, 0);
    inQueue("a", "low", 2, 0);
    after(10);
    inQueue("a", "high", 1, 100);
    after(10);
    assertThat(cluster.report("high").reason()).isEqualTo(Reason.QUOTA);
    after(20);
    assertThat(live("high")).isEqualTo(1);
    assertThat(live("low")).isZero();
    assertThat(live("other")).as("whose end would not help").isEqualTo(1);
  }

  @Test
  void nobodyEndsForOneThatItsQueueCouldNotHold() {
    nodes(4);
    configure(queue("a", NONE, Optional.of(16L)));
    inQueue("a", "low", 2, 0);
    after(10);
    inQueue("a", "high", 3, 100);
    after(60);
    assertThat(live("low")).isEqualTo(2);
    assertThat(cluster.report("high").reason()).isEqualTo(Reason.QUOTA);
  }

  @Test
  void equalPriorityEndsNobody() {
    nodes(4);
    configure(queue("a", NONE, Optional.of(16L)));
    inQueue("a", "first", 2, 5);
    after(10);
    inQueue("a", "second", 1, 5);
    after(60);
    assertThat(live("first")).isEqualTo(2);
  }

  @Test
  void aFullQueueThatWantsItSoEndsLongGangsForShortOnes() {
    nodes(4);
    configure(
        new Queue(
            "a",
            1,
            Optional.of(16L),
            Optional.of(16L),
            Order.SHORTEST_GANG,
            true,
            Optional.empty(),
            Set.of()));
    gang("long", 2, pod -> pod.queue("a").running(Duration.ofHours(10)));
    after(700);
    gang("short", 2, pod -> pod.queue("a").running(Duration.ofMinutes(10)));
    after(40);
    assertThat(live("short")).isEqualTo(2);
    assertThat(live("long")).isZero();
  }

  /** One of them leaves before the other: what it gives back is not for whoever fits in it. */
  @Test
  void whatTheQueueGetsBackIsPromisedToTheGang() {
    cluster.gracesAreUsedUp = true;
    nodes(6);
    configure(queue("a", NONE, Optional.of(16L)));
    gang("quick", 1, pod -> pod.queue("a").grace(Duration.ofSeconds(5)));
    gang("slow", 1, pod -> pod.queue("a").grace(Duration.ofSeconds(60)));
    after(10);
    inQueue("a", "small", 1, 0);
    after(5);
    assertThat(cluster.report("small").reason()).isEqualTo(Reason.QUOTA);
    inQueue("a", "high", 2, 100);
    after(40);
    var report = cluster.report("high");
    assertThat(report.reason()).isEqualTo(Reason.PREEMPTING);
    assertThat(report.message()).isEqualTo("16 devices come free for it: 2 gangs end");
    assertThat(live("small")).isZero();
    assertThat(cluster.report("small").message())
        .isEqualTo("its queue keeps what comes free for gang ml/high, which comes before it");
    cluster.create(
        aPod("ml", "single").gpus(8).queue("a").ownedBy("job").createdAt(cluster.now()).build());
    after(60);
    assertThat(live("high")).isEqualTo(2);
    assertThat(live("small")).isZero();
    assertThat(cluster.pods.get("uid-single").isBound()).isFalse();
  }

  @Test
  void whoWasPromisedSomethingFirstDoesNotWaitForThoseThatEndForTheSecond() {
    cluster.gracesAreUsedUp = true;
    nodes(6);
    configure(queue("a", NONE, Optional.of(16L)));
    gang("quick", 1, pod -> pod.queue("a").grace(Duration.ofSeconds(5)));
    gang("slow", 1, pod -> pod.queue("a").priority(10).grace(Duration.ofSeconds(90)));
    after(10);
    inQueue("a", "first", 1, 100);
    after(2);
    inQueue("a", "second", 1, 100);
    after(50);
    assertThat(live("first")).isEqualTo(1);
    assertThat(cluster.report("second").reason()).isEqualTo(Reason.PREEMPTING);
    after(70);
    assertThat(live("second")).isEqualTo(1);
  }

  /** Its own share comes back to it from others meanwhile: that is promised as well. */
  @Test
  void soItIsWhereItEndsThoseOfAnotherQueue() {
    cluster.gracesAreUsedUp = true;
    nodes(4);
    configure(queue("a", Optional.of(16L), NONE), queue("b", Optional.of(16L), NONE));
    gang("lent", 3, pod -> pod.queue("b").grace(Duration.ofSeconds(60)));
    after(10);
    inQueue("a", "high", 2, 100);
    after(25);
    assertThat(cluster.report("high").reason()).isEqualTo(Reason.PREEMPTING);
    inQueue("a", "small", 1, 0);
    after(20);
    assertThat(live("small")).as("a node is free, and the quota is not").isZero();
    after(40);
    assertThat(live("high")).isEqualTo(2);
  }
}
