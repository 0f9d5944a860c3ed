package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A large gang whose queue has something left all the time, and never enough. */
final class PassedInItsQueueTest extends QueuedGangScenes {

  private static final long ROUND = 60;
  private static final Duration AGEING = Duration.ofMinutes(10);
  private static final Duration LONGEST = Duration.ofHours(1);

  PassedInItsQueueTest() {
    super(
        waiting(
            new Waiting(
                Duration.ofMinutes(1),
                LONGEST,
                AGEING,
                Duration.ofSeconds(15),
                Duration.ofMinutes(10),
                true)));
  }

  /**
   * It fits the nodes all the time, and its queue once one that runs has ended and nobody else of
   * the queue has started.
   */
  @ParameterizedTest
  @CsvSource({"LIMIT", "QUOTA"})
  void smallerOnesOfItsQueueDoNotPassItForEver(String bound) {
    boolean isLimit = bound.equals("LIMIT");
    configure(
        queue(
            "q",
            isLimit ? Optional.empty() : Optional.of(16L),
            isLimit ? Optional.of(16L) : Optional.empty(),
            "ml"));
    nodes(4);
    gang("small-0", 1, 0);
    after(5);
    gang("big", 2, 0);
    after(5);
    assertThat(cluster.report("big").message()).contains("queue \"q\"");
    long rounds = 3 * AGEING.toSeconds() / ROUND;
    for (int i = 1; i < rounds && cluster.boundOf("big") == 0; i++) {
      gang("small-" + i, 1, 0);
      after(ROUND / 2);
      cluster.complete("uid-small-" + (i - 1) + "-0");
      after(ROUND / 2);
    }
    assertThat(cluster.boundOf("big"))
        .as("it is the oldest by far, longer than %s", AGEING)
        .isEqualTo(2);
  }

  /** Of its queue, half is held by one that runs for ever, and the other half is free. */
  private void aLargeOneThatHasAged(int members) {
    configure(queue("q", Optional.empty(), Optional.of(16L), "ml"));
    nodes(4);
    cluster.create(elastic(0));
    after(5);
    gang("big", members, 0);
    after(AGEING.toSeconds() + ROUND);
  }

  private Pod elastic(int index) {
    return aPod("ml", "runs-" + index).gpus(8).gang("runs", 1).createdAt(cluster.now()).build();
  }

  @Test
  void thoseThatAreHeldBackAreToldForWhom() {
    aLargeOneThatHasAged(2);
    gang("small", 1, 0);
    after(ROUND);
    assertThat(cluster.boundOf("small")).isZero();
    assertThat(cluster.report("small").reason()).isEqualTo(Reason.QUOTA);
    assertThat(cluster.report("small").message()).contains("keeps what comes free for gang ml/big");
  }

  @Test
  void higherPrioritiesPassIt() {
    aLargeOneThatHasAged(2);
    gang("urgent", 1, 1);
    after(ROUND);
    assertThat(cluster.boundOf("urgent")).isEqualTo(1);
  }

  /** One of them waits behind the large one for longer than it may be passed itself. */
  @Test
  void higherPrioritiesPassItThoughOthersAskForTheSame() {
    configure(queue("q", Optional.empty(), Optional.of(16L), "ml"));
    nodes(4);
    cluster.create(elastic(0));
    gang("first", 1, 0);
    after(5);
    gang("big", 2, 0);
    after(5);
    gang("small", 1, 0);
    after(AGEING.toSeconds() + ROUND);
    gang("urgent", 1, 1);
    after(5);
    cluster.complete("uid-first-0");
    after(ROUND);
    assertThat(cluster.boundOf("urgent")).isEqualTo(1);
    assertThat(cluster.boundOf("small")).isZero();
  }

  @Test
  void gangsThatRunStillGrow() {
    aLargeOneThatHasAged(2);
    cluster.create(elastic(1));
    after(ROUND);
    assertThat(cluster.boundOf("runs")).isEqualTo(2);
  }

  @Test
  void otherQueuesAreNotHeldBack() {
    aLargeOneThatHasAged(2);
    gang("elsewhere", "other", 1, UnaryOperator.identity());
    after(ROUND);
    assertThat(cluster.boundOf("other")).isEqualTo(1);
  }

  @Test
  void nobodyIsHeldBackForOneThatItsQueueCanNeverHold() {
    aLargeOneThatHasAged(3);
    gang("small", 1, 0);
    after(ROUND);
    assertThat(cluster.boundOf("small")).isEqualTo(1);
  }

  @Test
  void nobodyIsHeldBackForOneThatNoNodesCouldHold() {
    aLargeOneThatHasAged(0);
    gang("big", 2, pod -> pod.selecting("rack", "none"));
    after(AGEING.toSeconds() + ROUND);
    gang("small", 1, 0);
    after(ROUND);
    assertThat(cluster.boundOf("small")).isEqualTo(1);
  }

  @Test
  void nobodyIsHeldBackOnceItLacksMembers() {
    aLargeOneThatHasAged(2);
    gang("small", 1, 0);
    cluster.delete("uid-big-1");
    after(ROUND);
    assertThat(cluster.boundOf("small")).isEqualTo(1);
  }

  @Test
  void podsWithoutAGangAreHeldBackUntilItGoes() {
    aLargeOneThatHasAged(2);
    cluster.create(aPod("ml", "single").gpus(8).createdAt(cluster.now()).build());
    after(ROUND);
    assertThat(cluster.pods.get("uid-single").isBound()).isFalse();
    cluster.delete("uid-big-0");
    cluster.delete("uid-big-1");
    after(ROUND);
    assertThat(cluster.pods.get("uid-single").isBound()).isTrue();
  }

  @Test
  void theQueueIsNotClosedForEver() {
    aLargeOneThatHasAged(2);
    gang("small", 1, 0);
    after(LONGEST.toSeconds() / 2);
    assertThat(cluster.boundOf("small")).isZero();
    after(LONGEST.toSeconds() / 2 + ROUND);
    assertThat(cluster.boundOf("small")).isEqualTo(1);
  }
}
