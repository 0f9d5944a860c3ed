package io.muster.deploy.board.access;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A few threads that do work while there is some. Safe for concurrent use. */
final class Askers implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Askers.class);

  private final List<Thread> threads = new ArrayList<>();

  /** Returns when there may be work again. */
  interface Pause {
    void await() throws InterruptedException;
  }

  /**
   * Starts so many more.
   *
   * @param work does some; says whether there was any
   */
  void start(String name, int count, BooleanSupplier work, Pause pause) {
    for (int number = 0; number < count; number++) {
      threads.add(Thread.ofVirtual().name(name + "-" + number).start(() -> run(work, pause)));
    }
  }

  private static void run(BooleanSupplier work, Pause pause) {
    while (!Thread.currentThread().isInterrupted()) {
      try {
        if (!isDone(work)) {
          pause.await();
        }
      } catch (InterruptedException _) {
        return;
      }
    }
  }

  private static boolean isDone(BooleanSupplier work) {
    try {
      return work.getAsBoolean();
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
