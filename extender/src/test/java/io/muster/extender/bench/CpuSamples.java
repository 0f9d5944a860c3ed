package io.muster.extender.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * What pieces of work cost the thread that does them, in CPU time: what else runs on the machine
 * does not count.
 */
final class CpuSamples {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private long[] nanos = new long[64];
  private int count;

  /** Does the work and keeps what it cost. */
  <T> T of(Supplier<T> work) {
    long before = THREADS.getCurrentThreadCpuTime();
    var result = work.get();
    add(THREADS.getCurrentThreadCpuTime() - before);
    return result;
  }

  void add(long sample) {
    if (count == nanos.length) {
      nanos = Arrays.copyOf(nanos, 2 * count);
    }
    nanos[count++] = sample;
  }

  int count() {
    return count;
  }

  long total() {
    return Arrays.stream(nanos, 0, count).sum();
  }

  /** Milliseconds that so many percent of the samples do not exceed; 0 where there are none. */
  double millis(int percent) {
    if (count == 0) {
      return 0;
    }
    var sorted = Arrays.copyOf(nanos, count);
    Arrays.sort(sorted);
    return sorted[Math.max(0, Math.ceilDiv(count * percent, 100) - 1)] / 1e6;
  }
}
