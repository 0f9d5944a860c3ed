package io.muster.deploy.board.access;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A few threads that do work while there is some. Safe for concurrent use. */
final class Askers implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Askers.class);

  private final List<Thread> threads = new ArrayList<>();

  /** What they do. */
  interface Work {

    /** Does it; says whether there was anything to do. */
    boolean doOne();

    /** Returns when there may be something again. */
    void await() throws InterruptedException;
  }

  /** Starts so many more. */
  void start(String name, int count, Work work) {
    for (int number = 0; number < count; number++) {
      threads.add(Thread.ofVirtual().name(name + "-" + number).start(() -> run(work)));
    }
  }

  private static void run(Work work) {
    while (!Thread.currentThread().isInterrupted()) {
      try {
        if (!isDone(work)) {
          work.await();
        }
      } catch (InterruptedException _) {
        return;
      }
    }
  }

  private static boolean isDone(Work work) {
    try {
      return work.doOne();
    } catch (RuntimeException e) {
      LOG.error("rights or tokens could not be reviewed", e);
      return false;
    }
  }

  @Override
  public void close() {
    threads.forEach(Thread::interrupt);
  }
}
