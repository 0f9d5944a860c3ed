package io.muster.extender.http.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class FairTurnsTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();
  private final List<String> order = Collections.synchronizedList(new ArrayList<>());

  @AfterEach
  void stop() {
    callers.shutdownNow();
  }

  @Test
  void whoHasManyRequestsWaitsBehindItsOwn() throws Exception {
    var turns = new FairTurns(1, Long.MAX_VALUE);
    var first = turns.take(new Requester("a", 1), 0, LONG);
    for (int i = 0; i < 3; i++) {
      inLine(turns, "a", 1, "flood" + i);
    }
    inLine(turns, "b", 2, "other");

    first.close();

    awaitServed(4);
    assertThat(order).containsExactly("flood0", "other", "flood1", "flood2");
  }

  @Test
  void theConnectionsOfAnAddressTakeTurnsAndShareItsTurns() throws Exception {
    var turns = new FairTurns(1, Long.MAX_VALUE);
    var first = turns.take(new Requester("a", 1), 0, LONG);
    inLine(turns, "a", 1, "a1-first");
    inLine(turns, "a", 1, "a1-second");
    inLine(turns, "a", 2, "a2");
    inLine(turns, "b", 3, "b-first");
    inLine(turns, "b", 3, "b-second");

    first.close();

    awaitServed(5);
    assertThat(order).containsExactly("a1-first", "b-first", "a2", "b-second", "a1-second");
  }

  @Test
  void soManyAreWorkedOnAtOnceAndNoMore() throws Exception {
    var turns = new FairTurns(2, Long.MAX_VALUE);
    var one = turns.take(new Requester("a", 1), 0, LONG);
    var two = turns.take(new Requester("a", 1), 0, LONG);

    assertThatThrownBy(() -> turns.take(new Requester("b", 2), 0, Duration.ofMillis(20)))
        .isInstanceOf(NotServedException.class)
        .hasMessage("too much is under way; try again");

    one.close();
    turns.take(new Requester("b", 2), 0, LONG).close();
    two.close();
  }

  @Test
  void largeBodiesAreWorkedOnOneAfterTheOther() throws Exception {
    var turns = new FairTurns(8, 100);
    var large = turns.take(new Requester("a", 1), 500, LONG);

    assertThatThrownBy(() -> turns.take(new Requester("b", 2), 80, Duration.ofMillis(20)))
        .isInstanceOf(NotServedException.class);

    large.close();
    var small = turns.take(new Requester("b", 2), 80, LONG);
    turns.take(new Requester("b", 2), 20, LONG).close();
    small.close();
  }

  @Test
  void whoGivesUpLeavesNothingBehind() throws Exception {
    var turns = new FairTurns(1, Long.MAX_VALUE);
    var first = turns.take(new Requester("a", 1), 0, LONG);
    assertThatThrownBy(() -> turns.take(new Requester("b", 2), 0, Duration.ofMillis(20)))
        .isInstanceOf(NotServedException.class);

    first.close();

    turns.take(new Requester("c", 3), 0, LONG).close();
  }

  /** Returns once the request is in line. */
  private void inLine(FairTurns turns, String address, int connection, String name)
      throws InterruptedException {
    var begun = new CountDownLatch(1);
    var thread = new Thread[1];
    var _ =
        callers.submit(() -> {
          thread[0] = Thread.currentThread();
          begun.countDown();
          try (var _ = turns.take(new Requester(address, connection), 0, LONG)) {
            order.add(name);
          }
          return null;
        });
    assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
    while (thread[0].getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }

  private void awaitServed(int requests) throws InterruptedException {
    callers.shutdown();
    assertThat(callers.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    assertThat(order).hasSize(requests);
  }
}
