package io.muster.extender.app;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bind calls that wait for their answer. Each is answered once, at the latest when its time is
 * up. Safe for concurrent use.
 */
final class HeldCalls {

  static final String TOO_LATE = "muster could not settle this binding in time; it is tried again";

  private final Map<Long, Call> calls = new ConcurrentHashMap<>();
  private final AtomicLong lastId = new AtomicLong();
  private final Duration limit;
  private final Executor executor;

  private record Call(CompletableFuture<Optional<String>> answer, Instant end) {}

  /** Answers run on the executor, so that whoever answers never waits for a connection. */
  HeldCalls(Duration limit, Executor executor) {
    this.limit = limit;
    this.executor = executor;
  }

  long take(CompletableFuture<Optional<String>> answer, Instant now) {
    var id = lastId.incrementAndGet();
    calls.put(id, new Call(answer, now.plus(limit)));
    return id;
  }

  /** Answers the call; without effect if it has been answered. */
  void answer(long id, Optional<String> error) {
    var call = calls.remove(id);
    if (call != null) {
      executor.execute(() -> call.answer().complete(error));
    }
  }

  /** Answers every call whose time is up, and says how many there were. */
  int expire(Instant now) {
    var late =
        calls.entrySet().stream()
            .filter(entry -> !now.isBefore(entry.getValue().end()))
            .map(Map.Entry::getKey)
            .toList();
    late.forEach(id -> answer(id, Optional.of(TOO_LATE)));
    return late.size();
  }

  /** Answers every call at once, on the caller's thread. */
  void end(String error) {
    for (var id : List.copyOf(calls.keySet())) {
      var call = calls.remove(id);
      if (call != null) {
        call.answer().complete(Optional.of(error));
      }
    }
  }

  int count() {
    return calls.size();
  }
}
