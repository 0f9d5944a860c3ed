package io.muster.deploy.board.http;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Ends what is written to those who take too long to read it: a connection that makes a little
 * progress now and then would live for ever. Safe for concurrent use.
 */
final class SlowReaders implements AutoCloseable {

  private final Duration longest;
  private final Map<Thread, Long> writing = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("muster-board-slow-readers").factory());

  /** Something that writes. */
  interface Write {
    void run() throws IOException;
  }

  /**
   * @param longest that one write may take
   */
  SlowReaders(Duration longest) {
    this.longest = longest;
    long apart = Math.max(1, longest.toMillis() / 4);
    var _ = timer.scheduleWithFixedDelay(this::interruptLate, apart, apart, TimeUnit.MILLISECONDS);
  }

  /**
   * Writes within the time.
   *
   * @throws IOException also if it has taken too long
   */
  void write(Write write) throws IOException {
    var thread = Thread.currentThread();
    writing.put(thread, System.nanoTime() + longest.toNanos());
    try {
      write.run();
    } finally {
      writing.remove(thread);
    }
    if (Thread.interrupted()) {
      throw new IOException("it was read too slowly");
    }
  }

  private void interruptLate() {
    long now = System.nanoTime();
    writing.forEach((thread, deadline) -> {
      if (now - deadline > 0) {
        thread.interrupt();
      }
    });
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
