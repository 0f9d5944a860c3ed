package io.muster.extender.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

final class QueuesTest {

  private static final Queues TWO = new Queues(List.of(queue("a", 8, 12), queue("b", 4, 12)));

  private static Queue queue(String name, long quota, long limit) {
    return new Queue(
        name,
        1,
        Optional.of(quota),
        Optional.of(limit),
        Order.PRIORITY,
        false,
        Optional.<Duration>empty(),
        Set.of("of-" + name));
  }

  private static ToLongFunction<String> held(Map<String, Long> held) {
    return name -> held.getOrDefault(name, 0L);
  }

  @Test
  void aPodIsInTheQueueThatItNamesElseInThatOfItsNamespaceElseInTheDefault() {
    assertThat(TWO.nameFor("of-b", Optional.of("b"))).isEqualTo("b");
    assertThat(TWO.nameFor("of-a", Optional.of("c"))).as("which is not there").isEqualTo("a");
    assertThat(TWO.nameFor("of-a", Optional.empty())).isEqualTo("a");
    assertThat(TWO.nameFor("other", Optional.empty())).isEqualTo("default");
  }

  @Test
  void withinItsQuotaAQueueMayAlwaysTakeMore() {
    assertThat(TWO.refusal("a", 8, true, held(Map.of("b", 12L)))).isEmpty();
    assertThat(TWO.refusal("a", 4, true, held(Map.of("a", 4L, "b", 4L)))).isEmpty();
    assertThat(TWO.isEntitled("a", 8, held(Map.of("b", 8L)))).isTrue();
  }

  @Test
  void aQueueBorrowsWhatOthersLeaveIdleAndNoMore() {
    assertThat(TWO.refusal("a", 12, true, held(Map.of()))).isEmpty();
    assertThat(TWO.refusal("a", 10, true, held(Map.of("b", 2L)))).isEmpty();
    assertThat(TWO.refusal("a", 11, true, held(Map.of("b", 2L))))
        .contains(new Refusal.Quota("a", 8, 0, 11, 2, 12));
    assertThat(TWO.borrows("a", held(Map.of("a", 10L)))).isTrue();
    assertThat(TWO.borrows("a", held(Map.of("a", 8L)))).isFalse();
  }

  /** It holds none itself, so that none of its own can come free. */
  @Test
  void whoWouldBorrowIsToldWhoseDevicesItWaitsFor() {
    var held = held(Map.of("b", 2L));
    assertThat(TWO.refusal("a", 11, true, held).orElseThrow().remedy())
        .isEqualTo(
            "wait until 1 device of this queue or of others with a quota comes free, or raise its"
                + " quota");
    var three = new Queues(List.of(queue("a", 4, 99), queue("b", 4, 12)));
    assertThat(three.refusal("a", 9, true, held).orElseThrow().remedy())
        .as("more than all queues with a quota have together")
        .isEqualTo("make the gang smaller, or raise the quota of the queue");
  }

  @Test
  void noQueueGoesBeyondItsLimit() {
    var refusal = TWO.refusal("a", 5, true, held(Map.of("a", 8L)));
    assertThat(refusal).contains(new Refusal.Limit("a", 12, 8, 5));
    assertThat(refusal.orElseThrow().sentence())
        .isEqualTo("queue \"a\" may hold 12 devices, holds 8, and 5 more are needed");
    assertThat(refusal.orElseThrow().remedy())
        .isEqualTo("wait until 1 device of the queue comes free, or raise its limit");
  }

  @Test
  void aQueueThatThereIsNotIsNamedWithThoseThatThereAre() {
    var refusal = TWO.refusal("c", 1, true, held(Map.of())).orElseThrow();
    assertThat(refusal.sentence()).isEqualTo("there is no queue \"c\"");
    assertThat(refusal.remedy())
        .isEqualTo(
            "create the pods again without muster.io/queue, or with one of: a, b, default; or"
                + " configure the queue");
  }

  @Test
  void onlyThoseAreNamedThatAreOpenToTheNamespace() {
    var closed = new Queues(List.of(queueOf("a", "of-a"), queueOf("b", "of-b")));
    assertThat(closed.unusable("of-b", Optional.of("c")).orElseThrow().remedy())
        .contains("with one of: b;");
  }

  private static Queue queueOf(String name, String namespace) {
    return new Queue(
        name,
        1,
        Optional.empty(),
        Optional.empty(),
        Order.PRIORITY,
        false,
        Optional.empty(),
        Set.of(namespace));
  }

  @Test
  void whateverAPodCallsItsQueueIsNamedShortAndWithoutWhatATerminalObeys() {
    var red = TWO.refusal("c\u001b[31m\u009b2J\u202ed", 1, true, held(Map.of())).orElseThrow();
    assertThat(red.sentence()).isEqualTo("there is no queue \"c?[31m?2J?d\"");
    var longOne = TWO.refusal("q".repeat(200_000), 1, true, held(Map.of())).orElseThrow();
    assertThat(longOne.sentence()).hasSizeLessThan(100);
  }

  @Test
  void aQueueWithoutQuotaIsBoundByItsLimitAlone() {
    assertThat(TWO.refusal("default", 100, true, held(Map.of("a", 8L)))).isEmpty();
    assertThat(TWO.borrows("default", held(Map.of("default", 100L)))).isFalse();
  }

  @Test
  void whatOneQueueHasBorrowedIsNotLentToAnother() {
    var three = new Queues(List.of(queue("a", 4, 12), queue("b", 4, 12), queue("c", 4, 12)));
    var held = held(Map.of("a", 4L, "b", 6L));
    assertThat(three.refusal("a", 2, true, held)).as("of the four that c leaves").isEmpty();
    assertThat(three.refusal("a", 3, true, held)).contains(new Refusal.Quota("a", 4, 4, 3, 2, 12));
  }
}
