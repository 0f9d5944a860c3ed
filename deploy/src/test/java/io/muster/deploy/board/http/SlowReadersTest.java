package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class SlowReadersTest {

  /** As a write to a connection that nobody reads. */
  private static void block() throws IOException {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      var interrupted = new InterruptedIOException(e.getMessage());
      interrupted.initCause(e);
      throw interrupted;
    }
  }

  @Test
  void aWriteThatTakesTooLongIsEnded() {
    try (var slow = new SlowReaders(Duration.ofMillis(200))) {
      assertThatThrownBy(() -> slow.write(SlowReadersTest::block)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void oneThatIsInTimeIsNot() throws IOException {
    try (var slow = new SlowReaders(Duration.ofSeconds(20))) {
      var written = new StringBuilder();
      slow.write(() -> written.append("all"));
      assertThat(written).hasToString("all");
      assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
  }
}
