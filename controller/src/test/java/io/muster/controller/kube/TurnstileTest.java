package io.muster.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TurnstileTest {

  private final Turnstile turnstile = new Turnstile();
  private final LinkedBlockingQueue<String> entered = new LinkedBlockingQueue<>();

  private List<Turnstile.Pass> full() {
    var inside = Stream.generate(turnstile::pass).limit(4).toList();
    inside.forEach(Turnstile.Pass::enter);
    return inside;
  }

  /** Returns once it waits. */
  private void queue(String name, Turnstile.Pass pass) {
    int before = turnstile.waiting();
    Thread.startVirtualThread(() -> {
      pass.enter();
      entered.add(name);
    });
    while (turnstile.waiting() == before) {
      Thread.onSpinWait();
    }
  }

  private String next() throws InterruptedException {
    return entered.poll(10, TimeUnit.SECONDS);
  }

  @Test
  void aPassHandedOutEarlierGoesFirstThoughItCameBackLater() throws InterruptedException {
    var early = turnstile.pass();
    early.enter();
    early.leave();
    var inside = full();
    queue("late", turnstile.pass());
    queue("early", early);
    inside.get(0).leave();
    assertThat(next()).isEqualTo("early");
    assertThat(turnstile.waiting()).isEqualTo(1);
    inside.get(1).leave();
    assertThat(next()).isEqualTo("late");
  }

  @Test
  void aPassThatIsGivenBackTwiceLetsOneIn() throws InterruptedException {
    var inside = full();
    queue("first", turnstile.pass());
    queue("second", turnstile.pass());
    inside.get(0).leave();
    inside.get(0).leave();
    assertThat(next()).isEqualTo("first");
    assertThat(turnstile.waiting()).isEqualTo(1);
  }

  @Test
  void whoLeavesAnEmptyTurnstileCanEnterAgain() {
    var pass = turnstile.pass();
    for (int i = 0; i < 10; i++) {
      pass.enter();
      pass.leave();
    }
    full();
    assertThat(turnstile.waiting()).isZero();
  }
}
