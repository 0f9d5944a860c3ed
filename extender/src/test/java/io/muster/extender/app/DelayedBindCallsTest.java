package io.muster.extender.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.Milestones;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.port.UsageMeter;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Bind calls at the end of a term of leadership: kube-scheduler waits for the answer of each. */
final class DelayedBindCallsTest {

  private static final String OVER = "muster: this process leads no more";

  private static final UsageMeter UNMETERED =
      new UsageMeter() {
        @Override
        public void used(Usage usage, Duration lasted) {}

        @Override
        public void reached(Milestones milestones) {}

        @Override
        public void waited(Wait end, Duration lasted) {}
      };

  private final CompletableFuture<Optional<String>> answer = new CompletableFuture<>();

  @Test
  void anAnswerThatIsDecidedWhileItsWorkersEndIsGivenAllTheSame() {
    var workers = Executors.newVirtualThreadPerTaskExecutor();
    var calls =
        new DelayedBindCalls(Duration.ofSeconds(20), workers, () -> Instant.EPOCH, UNMETERED);
    var id = calls.take("uid", answer);
    workers.shutdownNow();

    calls.answer(id, Optional.of("muster: the place of this member is lost"));
    calls.end(OVER);

    assertThat(answer)
        .isCompletedWithValue(Optional.of("muster: the place of this member is lost"));
    assertThat(calls.count()).isZero();
  }

  @Test
  void aCallThatComesAfterTheEndIsTurnedAwayAtOnce() {
    var calls =
        new DelayedBindCalls(Duration.ofSeconds(20), Runnable::run, () -> Instant.EPOCH, UNMETERED);
    calls.end(OVER);

    calls.take("uid", answer);

    assertThat(answer).isCompletedWithValue(Optional.of(OVER));
    assertThat(calls.count()).isZero();
  }
}
