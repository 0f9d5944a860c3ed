package io.muster.played;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Knocks where a port of a Service leads ten times a second and remembers the longest time in which
 * nobody answered with TLS. Safe for concurrent use.
 */
final class ServiceAnswers implements AutoCloseable {

  private static final Duration STEP = Duration.ofMillis(100);
  private static final int LIMIT_MILLIS = 2000;

  private final Supplier<Optional<InetSocketAddress>> route;
  private final SSLContext tls = TrustsAll.context();
  private final Thread knocking;
  private long last = System.nanoTime();
  private long longest;

  /**
   * @param route to one of its endpoints; empty while it has none
   */
  ServiceAnswers(Supplier<Optional<InetSocketAddress>> route) {
    this.route = route;
    knocking = Thread.ofPlatform().daemon().name("knocking").start(this::knock);
  }

  /** The longest time without an answer since it was asked last, until now. */
  synchronized Duration longestGap() {
    long found = Math.max(longest, System.nanoTime() - last);
    longest = 0;
    return Duration.ofNanos(found);
  }

  private void knock() {
    try {
      while (true) {
        if (answers()) {
          answered();
        }
        Thread.sleep(STEP);
      }
    } catch (InterruptedException _) {
      // Closed.
    }
  }

  private synchronized void answered() {
    long now = System.nanoTime();
    longest = Math.max(longest, now - last);
    last = now;
  }

  private boolean answers() {
    return route.get().filter(this::answers).isPresent();
  }

  private boolean answers(InetSocketAddress address) {
    try (var socket = tls.getSocketFactory().createSocket()) {
      socket.connect(address, LIMIT_MILLIS);
      socket.setSoTimeout(LIMIT_MILLIS);
      // Without the client certificate it says no, but not before it has answered.
      ((SSLSocket) socket).startHandshake();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public void close() {
    knocking.interrupt();
  }
}
