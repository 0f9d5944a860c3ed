package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ReconcileLimiterTest {

  private final ReconcileLimiter limiter = new ReconcileLimiter();
  private final LinkedBlockingQueue<String> entered = new LinkedBlockingQueue<>();

  private List<ReconcileLimiter.Permit> full() {
    var inside = Stream.generate(() -> limiter.permit("team")).limit(4).toList();
    inside.forEach(ReconcileLimiter.Permit::acquire);
    return inside;
  }

  /** Returns once it waits. */
  private void queue(String name, ReconcileLimiter.Permit permit) {
    int before = limiter.waiting();
    Thread.startVirtualThread(() -> {
      permit.acquire();
      entered.add(name);
    });
    while (limiter.waiting() == before) {
      Thread.onSpinWait();
    }
  }

  private String next() throws InterruptedException {
    return entered.poll(10, TimeUnit.SECONDS);
  }

  @Test
  void aPermitHandedOutEarlierGoesFirstThoughItCameBackLater() throws InterruptedException {
    var early = limiter.permit("team");
    early.acquire();
    early.release();
    var inside = full();
    queue("late", limiter.permit("team"));
    queue("early", early);
    inside.get(0).release();
    assertThat(next()).isEqualTo("early");
    assertThat(limiter.waiting()).isEqualTo(1);
    inside.get(1).release();
    assertThat(next()).isEqualTo("late");
  }

  @Test
  void aPermitThatIsGivenBackTwiceLetsOneIn() throws InterruptedException {
    var inside = full();
    queue("first", limiter.permit("team"));
    queue("second", limiter.permit("team"));
    inside.get(0).release();
    inside.get(0).release();
    assertThat(next()).isEqualTo("first");
    assertThat(limiter.waiting()).isEqualTo(1);
  }

  @Test
  void whoMakesManyJobsKeepsNobodyOfAnotherNamespaceWaiting() throws InterruptedException {
    var inside = full();
    queue("second of many", limiter.permit("team"));
    queue("third of many", limiter.permit("team"));
    queue("first of another", limiter.permit("other"));
    queue("second of another", limiter.permit("other"));
    inside.get(0).release();
    assertThat(next()).isEqualTo("first of another");
    inside.get(1).release();
    assertThat(next()).isEqualTo("second of another");
    inside.get(2).release();
    assertThat(next()).isEqualTo("second of many");
    assertThat(limiter.waiting()).isEqualTo(1);
  }

  @Test
  void whoReleasesCanAcquireAgain() {
    var permit = limiter.permit("team");
    for (int i = 0; i < 10; i++) {
      permit.acquire();
      permit.release();
    }
    full();
    assertThat(limiter.waiting()).isZero();
  }
}
