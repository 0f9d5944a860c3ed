package io.muster.extender.core;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.function.IntFunction;

/**
 * How what something costs grows with a size: a ratio of CPU times in one run, as machines differ
 * and are busy with other work.
 */
public final class Growth {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** The least of them counts: the first is cold, and any may be disturbed. */
  private static final int TRIES = 4;

  private Growth() {}

  /**
   * How many times as much CPU time of this thread it takes at the larger size.
   *
   * @param prepared makes what is measured, for a size; that itself is not measured
   */
  public static double between(int smaller, int larger, IntFunction<Runnable> prepared) {
    long least = Long.MAX_VALUE;
    long most = Long.MAX_VALUE;
    for (int i = 0; i < TRIES; i++) {
      least = Math.min(least, nanoseconds(prepared.apply(smaller)));
      most = Math.min(most, nanoseconds(prepared.apply(larger)));
    }
    return (double) most / least;
  }

  private static long nanoseconds(Runnable work) {
    long before = THREADS.getCurrentThreadCpuTime();
    work.run();
    return THREADS.getCurrentThreadCpuTime() - before;
  }
}
