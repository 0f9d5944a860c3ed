package io.muster.extender.http.limits;

import io.javalin.http.Context;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * Receives the bodies of one port within limits. Where all together take more than they may, the
 * address that takes most loses its largest body; where there are too many, the address with most
 * loses its oldest. Large bodies take turns, and what is not read yet of them stays with the
 * caller. A body that takes too long is cut off, and so is an answer that nobody reads.
 *
 * <p>Requests have to be served by virtual threads of their own: they wait here. Safe for
 * concurrent use.
 */
public final class Bodies {

  /**
   * What callers may take.
   *
   * @param bytes of one body
   * @param smallBytes a larger body is read on only in its turn, at most {@code bytes}
   * @param large such bodies that are read at once, or are there and not answered yet, if each has
   *     the most bytes of one; of shorter ones as many more as they are shorter
   * @param bytesTogether of all bodies of requests that are not answered yet, more than {@code
   *     bytes}
   * @param together requests that are not answered yet
   * @param arrival until a body is there
   * @param answer from then on until the answer has been read
   */
  public record Limits(
      int bytes,
      int smallBytes,
      int large,
      long bytesTogether,
      int together,
      Duration arrival,
      Duration answer) {

    public Limits {
      if (bytes < 1
          || smallBytes < 1
          || smallBytes > bytes
          || large < 1
          || bytesTogether <= bytes
          || together < 1) {
        throw new IllegalArgumentException("no body could ever be received");
      }
    }
  }

  private final Limits limits;
  private final Set<Body> arriving = new LinkedHashSet<>();
  private final FairTurns largeTurns;
  private final Set<Object> waitingForLarge = new HashSet<>();
  private int open;
  private long reserved;

  public Bodies(Limits limits) {
    this.limits = limits;
    this.largeTurns = new FairTurns(limits.together(), (long) limits.large() * limits.bytes());
  }

  /**
   * The body of a request, which has to be closed once the request has been answered.
   *
   * @throws NotServedException with the answer to give, for which the caller may be gone
   */
  public Body receive(Context context) throws NotServedException {
    var body = new Body(this, Requester.of(context));
    admit(body);
    boolean isWhole = false;
    try {
      var arrived = body.served().copy();
      var _ = after(limits.arrival(), arrived, () -> cutOff(body, NotServedException.tooSlow()));
      body.read(context.bodyInputStream(), context.contentLength(), limits);
      arrived.complete(null);
      isWhole = true;
    } catch (IOException _) {
      throw NotServedException.brokenOff();
    } finally {
      if (!isWhole) {
        body.close();
      }
    }
    var _ = after(limits.answer(), body.served(), () -> cutOff(body, NotServedException.busy()));
    return body;
  }

  private static CompletableFuture<Void> after(
      Duration limit, CompletableFuture<Void> ended, Runnable action) {
    return ended
        .copy()
        .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(_ -> {
          action.run();
          return null;
        });
  }

  /** Requests that are not answered yet. */
  synchronized int open() {
    return open;
  }

  /** Bytes that are taken. */
  synchronized long reserved() {
    return reserved;
  }

  private synchronized void admit(Body body) throws NotServedException {
    while (open >= limits.together()) {
      var oldest = victim(_ -> 1, _ -> 0L);
      if (oldest.isEmpty()) {
        throw NotServedException.busy();
      }
      cut(oldest.get(), NotServedException.busy());
    }
    open++;
    arriving.add(body);
  }

  /** Memory for so many bytes more; waits for it where bodies that are there already take it. */
  synchronized byte[] reserve(Body body, int length) throws NotServedException {
    try {
      while (true) {
        throwIfCut(body);
        if (reserved + length <= limits.bytesTogether()) {
          reserved += length;
          return body.add(length);
        }
        var largest = victim(Body::reserved, Body::reserved);
        if (largest.isPresent() && largest.get() != body) {
          cut(largest.get(), NotServedException.busy());
        } else if (body.reserved() > 0) {
          throw NotServedException.busy();
        } else {
          wait();
        }
      }
    } catch (InterruptedException _) {
      throwIfCut(body);
      Thread.currentThread().interrupt();
      throw NotServedException.busy();
    }
  }

  /**
   * Waits until one more large body may be read on. Its bytes wait on the caller's side meanwhile,
   * or in the window of one stream: so of a connection only one waits.
   *
   * @param most bytes that it has
   */
  FairTurns.Turn awaitLarge(Body body, int most) throws NotServedException {
    var connection = body.requester().connection();
    synchronized (this) {
      throwIfCut(body);
      if (!waitingForLarge.add(connection)) {
        throw NotServedException.busy();
      }
    }
    try {
      return largeTurns.take(body.requester(), most, limits.arrival());
    } catch (NotServedException e) {
      throwIfCut(body);
      throw e;
    } finally {
      synchronized (this) {
        waitingForLarge.remove(connection);
      }
    }
  }

  synchronized byte[] whole(Body body, int length) throws NotServedException {
    throwIfCut(body);
    arriving.remove(body);
    return body.joined(length);
  }

  synchronized void throwIfCut(Body body) throws NotServedException {
    if (body.cut().isPresent()) {
      throw body.cut().get();
    }
  }

  synchronized void end(Body body) {
    if (!body.isOver()) {
      open -= body.cut().isEmpty() ? 1 : 0;
      reserved -= body.reserved();
      arriving.remove(body);
      body.over();
      notifyAll();
    }
  }

  private synchronized void cutOff(Body body, NotServedException why) {
    if (!body.isOver() && body.cut().isEmpty()) {
      cut(body, why);
    }
  }

  /** From now on it counts no more, though its thread may take a while to see it. */
  private void cut(Body body, NotServedException why) {
    open--;
    reserved -= body.reserved();
    arriving.remove(body);
    body.cutOff(why);
    notifyAll();
  }

  /**
   * Of the bodies that are still arriving, from the address for which the sum of the measure is
   * greatest, the one that is greatest by the rank, the oldest of several.
   */
  private Optional<Body> victim(ToLongFunction<Body> measure, ToLongFunction<Body> rank) {
    Map<String, Long> sums = new HashMap<>();
    arriving.forEach(
        body -> sums.merge(body.requester().address(), measure.applyAsLong(body), Long::sum));
    long most = sums.values().stream().mapToLong(Long::longValue).max().orElse(0);
    Predicate<Body> isOfMost = body -> sums.get(body.requester().address()) == most;
    // The first of several that compare as equal is the oldest.
    return arriving.stream()
        .filter(isOfMost)
        .reduce((first, next) ->
            Comparator.comparingLong(rank).compare(next, first) > 0 ? next : first);
  }
}
