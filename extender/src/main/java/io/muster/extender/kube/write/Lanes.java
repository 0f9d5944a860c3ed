package io.muster.extender.kube.write;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * Runs work of one key in the order submitted, work of different keys side by side. A lane exists
 * while it has work. Safe for concurrent use.
 */
public final class Lanes<K> {

  private final Executor executor;
  private final Map<K, Queue<Runnable>> waiting = new HashMap<>();

  Lanes(Executor executor) {
    this.executor = executor;
  }

  /** Adds work at the end of the key's lane; it must not throw. */
  void submit(K key, Runnable work) {
    synchronized (waiting) {
      var lane = waiting.get(key);
      if (lane != null) {
        lane.add(work);
        return;
      }
      waiting.put(key, new ArrayDeque<>());
    }
    executor.execute(() -> drain(key, work));
  }

  private void drain(K key, Runnable first) {
    var work = first;
    while (work != null) {
      try {
        work.run();
      } finally {
        work = next(key);
      }
    }
  }

  private Runnable next(K key) {
    synchronized (waiting) {
      var next = waiting.get(key).poll();
      if (next == null) {
        waiting.remove(key);
      }
      return next;
    }
  }
}
