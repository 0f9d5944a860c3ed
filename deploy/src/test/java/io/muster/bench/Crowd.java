package io.muster.bench;

import io.muster.sandbox.SandboxException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Clients that work through a list together, each taking the next item. */
final class Crowd {

  private static final int CLIENTS = 32;

  private Crowd() {}

  /** Returns when all items are done; the first failure ends it. */
  static <T> void each(List<T> items, Consumer<T> action) {
    each(items, CLIENTS, action);
  }

  /** The same by so many clients. */
  static <T> void each(List<T> items, int crowd, Consumer<T> action) {
    var queue = new ConcurrentLinkedQueue<>(items);
    var all = new ArrayList<Future<?>>();
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < crowd; i++) {
        all.add(
            clients.submit(() -> {
              for (var item = queue.poll(); item != null; item = queue.poll()) {
                action.accept(item);
              }
            }));
      }
      for (var one : all) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new SandboxException(String.valueOf(e.getCause().getMessage()), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("The clients were interrupted.", e);
    }
  }
}
