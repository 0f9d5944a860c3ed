package io.muster.controller.kinds.etoperator.launcher;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Keeps the first bytes of what is printed and drops the others: what runs in a container is its
 * users', and may print without end. Safe for concurrent use.
 */
final class FirstBytes extends OutputStream {

  private final int most;
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

  /**
   * @param most how many are kept
   */
  FirstBytes(int most) {
    this.most = most;
  }

  @Override
  public synchronized void write(int one) {
    if (kept.size() < most) {
      kept.write(one);
    }
  }

  @Override
  public synchronized void write(byte[] bytes, int from, int length) {
    kept.write(bytes, from, Math.min(length, most - kept.size()));
  }

  synchronized String text() {
    return kept.toString(StandardCharsets.UTF_8);
  }

  synchronized void clear() {
    kept.reset();
  }
}
