package io.muster.extender.http.limits;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Says whose request is worked on next: addresses take turns, and the connections of an address,
 * and on a connection the first comes first (round robin, two levels deep). So a caller with many
 * requests waits behind its own. Safe for concurrent use; callers wait here, on virtual threads.
 */
public final class FairTurns {

  /** A piece of work that may be done now; closing it lets the next begin. */
  public interface Turn extends AutoCloseable {
    @Override
    void close();
  }

  private record Waiter(long bytes, CompletableFuture<Turn> turn) {}

  private final int atOnce;
  private final long bytesAtOnce;

  /** By address and connection, in the order of their next turns. */
  private final Map<String, Map<Object, Queue<Waiter>>> waiting = new LinkedHashMap<>();

  private int running;
  private long runningBytes;

  /**
   * @param atOnce pieces of work that may be done at once
   * @param bytesAtOnce the sum of their bodies; a larger one is worked on alone
   */
  public FairTurns(int atOnce, long bytesAtOnce) {
    this.atOnce = atOnce;
    this.bytesAtOnce = bytesAtOnce;
  }

  /**
   * Waits for the turn of a request.
   *
   * @throws NotServedException if it does not come in time
   */
  public Turn take(Body body, Duration patience) throws NotServedException {
    return take(body.requester(), body.bytes().length, patience);
  }

  Turn take(Requester requester, long bytes, Duration patience) throws NotServedException {
    var waiter = new Waiter(bytes, new CompletableFuture<>());
    synchronized (this) {
      waiting
          .computeIfAbsent(requester.address(), _ -> new LinkedHashMap<>())
          .computeIfAbsent(requester.connection(), _ -> new ArrayDeque<>())
          .add(waiter);
      grant();
    }
    try {
      return waiter.turn().get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException | ExecutionException _) {
      // Nobody else completes it but with a turn.
    }
    giveUp(requester, waiter);
    throw NotServedException.busy();
  }

  private synchronized void giveUp(Requester requester, Waiter waiter) {
    var ofAddress = waiting.getOrDefault(requester.address(), Map.of());
    var ofConnection = ofAddress.get(requester.connection());
    if (ofConnection != null && ofConnection.remove(waiter)) {
      forgetIfEmpty(requester.address(), ofAddress, requester.connection(), ofConnection);
    } else if (waiter.turn().isDone()) {
      // It came at the last moment.
      waiter.turn().join().close();
    }
    grant();
  }

  private synchronized void end(Waiter waiter) {
    running--;
    runningBytes -= waiter.bytes();
    grant();
  }

  private void grant() {
    while (running < atOnce && !waiting.isEmpty()) {
      var address = waiting.keySet().iterator().next();
      var connections = waiting.get(address);
      var connection = connections.keySet().iterator().next();
      var queue = connections.get(connection);
      var next = queue.element();
      if (running > 0 && runningBytes + next.bytes() > bytesAtOnce) {
        return;
      }
      queue.remove();
      // Both go to the end of their rows.
      connections.remove(connection);
      connections.put(connection, queue);
      waiting.remove(address);
      waiting.put(address, connections);
      forgetIfEmpty(address, connections, connection, queue);
      running++;
      runningBytes += next.bytes();
      next.turn().complete(() -> end(next));
    }
  }

  private void forgetIfEmpty(
      String address,
      Map<Object, Queue<Waiter>> connections,
      Object connection,
      Queue<Waiter> queue) {
    if (queue.isEmpty()) {
      connections.remove(connection);
      if (connections.isEmpty()) {
        waiting.remove(address);
      }
    }
  }
}
