package io.muster.played;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Knocks at a port of a Service ten times a second and remembers the longest time in which nobody
 * answered with TLS. Safe for concurrent use.
 */
final class ServiceAnswers implements AutoCloseable {

  private static final Duration STEP = Duration.ofMillis(100);
  private static final int LIMIT_MILLIS = 2000;

  private final InetSocketAddress address;
  private final SSLContext tls = TrustsAll.context();
  private final Thread knocking;
  private long last = System.nanoTime();
  private long longest;

  ServiceAnswers(InetSocketAddress address) {
    this.address = address;
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
