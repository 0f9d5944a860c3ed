package io.muster.controller.kinds.di.server.worker;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kube.Rejection;
import io.muster.extender.port.Delays;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * Calls that wait until something is so with a job. None keeps a thread: each is checked again when
 * the job or one of its pods has changed. Safe for concurrent use.
 */
public final class Waits {

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Executor executor;
  private final Delays delays;
  private final Map<String, Set<Wait<?>>> waits = new ConcurrentHashMap<>();

  /**
   * @param executor runs checks, which may block
   */
  public Waits(Executor executor, Delays delays) {
    this.executor = executor;
    this.delays = delays;
  }

  /**
   * What is waited for.
   *
   * @param check gives the result once it is there; one call at a time
   * @param limit after which {@code late} is the result; empty: without end
   * @param gone ends the wait early, without a result
   */
  record Until<T>(
      Supplier<Optional<T>> check,
      Optional<Duration> limit,
      Supplier<T> late,
      CompletableFuture<Void> gone) {}

  public static String key(DIJob job) {
    return key(job.getMetadata().getNamespace(), job.getMetadata().getName());
  }

  public static String key(String namespace, String job) {
    return namespace + "/" + job;
  }

  /** Waits; the first check comes at once. */
  <T> CompletableFuture<T> until(String job, Until<T> until) {
    var wait = new Wait<>(until);
    waits.compute(job, (_, all) -> with(all, wait));
    var _ =
        wait.result.whenComplete(
            (_, _) -> waits.computeIfPresent(job, (_, all) -> without(all, wait)));
    var _ = until.gone().thenRun(() -> wait.result.cancel(false));
    until.limit().ifPresent(limit -> delays.after(limit, () -> executor.execute(wait::end)));
    wait.wake();
    return wait.result;
  }

  private static Set<Wait<?>> with(Set<Wait<?>> all, Wait<?> wait) {
    var more = all == null ? new HashSet<Wait<?>>() : new HashSet<>(all);
    more.add(wait);
    return more;
  }

  // An entry that is null is taken out of the map.
  private static Set<Wait<?>> without(Set<Wait<?>> all, Wait<?> wait) {
    var fewer = new HashSet<>(all);
    fewer.remove(wait);
    return fewer.isEmpty() ? null : fewer;
  }

  /** A job or one of its pods is not as it was. */
  public void changed(String job) {
    waits.getOrDefault(job, Set.of()).forEach(Wait::wake);
  }

  /** How many calls wait. */
  public int count() {
    return waits.values().stream().mapToInt(Set::size).sum();
  }

  /** Ends all waits without a result. */
  public void close() {
    List.copyOf(waits.values()).forEach(all -> all.forEach(wait -> wait.result.cancel(false)));
  }

  private final class Wait<T> {

    private final Until<T> until;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final AtomicBoolean isAwake = new AtomicBoolean();

    Wait(Until<T> until) {
      this.until = until;
    }

    void wake() {
      if (isAwake.compareAndSet(false, true)) {
        executor.execute(this::check);
      }
    }

    private synchronized void check() {
      isAwake.set(false);
      if (result.isDone()) {
        return;
      }
      try {
        until.check().get().ifPresent(result::complete);
      } catch (KubernetesClientException e) {
        switch (Rejection.of(e)) {
          case CONFLICT, UNAVAILABLE -> delays.after(PAUSE, this::wake);
          case ABSENT, NAMESPACE_ENDS, REFUSED -> result.completeExceptionally(e);
        }
      } catch (RuntimeException e) {
        result.completeExceptionally(e);
      }
    }

    private synchronized void end() {
      if (!result.isDone()) {
        try {
          result.complete(until.late().get());
        } catch (RuntimeException e) {
          result.completeExceptionally(e);
        }
      }
    }
  }
}
