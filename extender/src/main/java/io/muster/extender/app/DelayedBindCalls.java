package io.muster.extender.app;

import io.muster.extender.port.UsageMeter;
import io.muster.extender.port.UsageMeter.Wait;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bind calls that wait for their answer. Each is answered once, at the latest when its time is
 * up. Safe for concurrent use.
 */
final class DelayedBindCalls {

  static final String TOO_LATE = "muster could not settle this binding in time; it is tried again";

  private final Map<Long, Call> calls = new ConcurrentHashMap<>();

  /** Of these, the ones that wait for the rest of their gang, by uid of the pod. */
  private final Map<String, Long> waiting = new ConcurrentHashMap<>();

  /** What calls are told that come when there is nobody left to decide about them. */
  private volatile Optional<String> end = Optional.empty();

  private final AtomicLong lastId = new AtomicLong();
  private final Duration limit;
  private final Executor executor;
  private final InstantSource clock;
  private final UsageMeter meter;

  private record Call(String uid, CompletableFuture<Optional<String>> answer, Instant since) {}

  /** Answers run on the executor, so that whoever answers never waits for a connection. */
  DelayedBindCalls(Duration limit, Executor executor, InstantSource clock, UsageMeter meter) {
    this.limit = limit;
    this.executor = executor;
    this.clock = clock;
    this.meter = meter;
  }

  long take(String uid, CompletableFuture<Optional<String>> answer) {
    var id = lastId.incrementAndGet();
    calls.put(id, new Call(uid, answer, clock.instant()));
    // Whoever ends all calls between these two lines has seen this one, or is seen here.
    end.ifPresent(this::endAll);
    return id;
  }

  /** The call has not been decided as it came: it waits for the rest of its gang. */
  void waits(long id) {
    var call = calls.get(id);
    if (call != null) {
      waiting.put(call.uid(), id);
    }
  }

  /** The pod's Binding goes out. */
  void opened(String uid) {
    var call = Optional.ofNullable(waiting.remove(uid)).map(calls::get);
    call.ifPresent(opened -> meter.waited(Wait.OPENED, age(opened)));
  }

  /** Answers the call; without effect if it has been answered. */
  void answer(long id, Optional<String> error) {
    answer(id, error, error.isPresent() ? Wait.REFUSED : Wait.OPENED);
  }

  private void answer(long id, Optional<String> error, Wait end) {
    var call = calls.remove(id);
    if (call != null) {
      if (waiting.remove(call.uid(), id)) {
        meter.waited(end, age(call));
      }
      try {
        executor.execute(() -> call.answer().complete(error));
      } catch (RejectedExecutionException _) {
        // The term of leadership is over: nobody else would answer it.
        call.answer().complete(error);
      }
    }
  }

  private Duration age(Call call) {
    return Duration.between(call.since(), clock.instant());
  }

  /** Answers every call whose time is up, and says how many there were. */
  int expire() {
    var latest = clock.instant().minus(limit);
    var late =
        calls.entrySet().stream()
            .filter(entry -> !latest.isBefore(entry.getValue().since()))
            .map(Map.Entry::getKey)
            .toList();
    late.forEach(id -> answer(id, Optional.of(TOO_LATE), Wait.EXPIRED));
    return late.size();
  }

  /** Answers every call at once, on the caller's thread, and those that come from now on. */
  void end(String error) {
    end = Optional.of(error);
    endAll(error);
  }

  private void endAll(String error) {
    waiting.clear();
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
