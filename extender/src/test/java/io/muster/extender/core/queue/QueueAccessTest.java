package io.muster.extender.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which namespaces may name which queue. */
final class QueueAccessTest {

  private static final Queues QUEUES =
      new Queues(
          List.of(
              queue("own", "a"), queue("others", "b"), queue("all", "c", "*"), queue("unlisted")));

  private static Queue queue(String name, String... namespaces) {
    return new Queue(
        name,
        1,
        Optional.of(8L),
        Optional.empty(),
        Order.PRIORITY,
        false,
        Optional.empty(),
        Set.of(namespaces));
  }

  @Test
  void aNamespaceMayNameItsOwnThoseThatAreOpenToAllAndThoseThatListNone() {
    assertThat(QUEUES.open("a")).containsExactly("all", "own", "unlisted");
    assertThat(QUEUES.open("b")).containsExactly("all", "others", "unlisted");
    for (var name : QUEUES.open("a")) {
      assertThat(QUEUES.barred("a", Optional.of(name))).isEmpty();
      assertThat(QUEUES.nameFor("a", Optional.of(name))).isEqualTo(name);
    }
  }

  @Test
  void whoTakesQueuesOverBarsTheSameNamespaces() {
    var taken = new Queues(QUEUES.configured());

    assertThat(QUEUES.barred("a", Optional.of(Queues.DEFAULT))).isPresent();
    assertThat(taken.barred("a", Optional.of(Queues.DEFAULT))).isPresent();
    assertThat(Queues.NONE.configured()).isEmpty();
  }

  @Test
  void aQueueThatIsOpenToAllIsTheOwnOneOfThoseThatItListsByName() {
    assertThat(QUEUES.nameFor("c", Optional.empty())).isEqualTo("all");
    assertThat(QUEUES.nameFor("d", Optional.empty())).isEqualTo("default");
  }

  @Test
  void whoNamesAnotherCountsInItsOwnAndIsToldWhichThereAre() {
    assertThat(QUEUES.nameFor("a", Optional.of("others"))).isEqualTo("own");
    var refusal = QUEUES.barred("a", Optional.of("others")).orElseThrow();
    assertThat(refusal.sentence()).isEqualTo("queue \"others\" is not open to namespace \"a\"");
    assertThat(refusal.remedy())
        .isEqualTo(
            "create the pods again without muster.io/queue, or with one of: all, own, unlisted;"
                + " or let the namespace into the queue");
  }

  @Test
  void inAQueueThatThereIsNotNobodyStartsAndNothingCounts() {
    assertThat(QUEUES.barred("a", Optional.of("none"))).as("it may come to be").isEmpty();
    assertThat(QUEUES.unusable("a", Optional.of("none")).orElseThrow().sentence())
        .isEqualTo("there is no queue \"none\"");
    assertThat(QUEUES.unusable("a", Optional.of("others")))
        .isEqualTo(QUEUES.barred("a", Optional.of("others")));
    assertThat(QUEUES.unusable("a", Optional.of("own"))).isEmpty();
    assertThat(QUEUES.unusable("a", Optional.empty())).isEmpty();
    assertThat(QUEUES.nameFor("a", Optional.of("none"))).isEqualTo("own");
  }

  @Test
  void theDefaultQueueHasNoBoundsAndIsForThoseThatHaveNoOther() {
    assertThat(QUEUES.open("d")).contains("default");
    assertThat(QUEUES.barred("d", Optional.of("default"))).isEmpty();
    assertThat(QUEUES.barred("a", Optional.of("default"))).isPresent();
    assertThat(Queues.NONE.barred("a", Optional.of("default"))).isEmpty();
  }

  @Test
  void aDefaultQueueThatIsConfiguredIsOpenAsItSays() {
    assertThat(new Queues(List.of(queue("own", "a"), queue("default"))).open("a"))
        .containsExactly("default", "own");
    var narrow = new Queues(List.of(queue("own", "a"), queue("default", "b")));
    assertThat(narrow.open("a")).containsExactly("own");
    assertThat(narrow.open("nobodys")).as("whose own it is").containsExactly("default");
  }
}
