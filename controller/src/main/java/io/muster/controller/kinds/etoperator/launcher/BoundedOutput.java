package io.muster.controller.kinds.etoperator.launcher;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Passes on what is printed until that is too much, says so once, and drops the rest: what runs in
 * a container is its users', and may print without end. As safe for concurrent use as where it
 * passes it on to.
 */
final class BoundedOutput extends OutputStream {

  private final OutputStream to;
  private final Runnable tooMuch;
  private long left;

  /**
   * @param most bytes
   * @param tooMuch is run at the first byte beyond
   */
  BoundedOutput(OutputStream to, long most, Runnable tooMuch) {
    this.to = to;
    this.tooMuch = tooMuch;
    this.left = most;
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int from, int length) throws IOException {
    if (left < 0) {
      return;
    }
    to.write(bytes, from, (int) Math.min(length, left));
    left -= length;
    if (left < 0) {
      tooMuch.run();
    }
  }
}
