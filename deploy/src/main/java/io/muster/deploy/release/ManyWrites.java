package io.muster.deploy.release;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.deploy.config.ApiRefusal;
import java.net.HttpURLConnection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Many small writes to the API server, a few at a time. One that is refused keeps no other from
 * being made, and an object that is gone needs none. Stateless.
 */
final class ManyWrites {

  /** What the API server has for one client besides the cluster's own work. */
  private static final int AT_ONCE = 8;

  private static final int NAMED = 10;

  private ManyWrites() {}

  /**
   * How they went. Immutable.
   *
   * @param refused by the name of the object, why
   */
  record Outcome(int done, SortedMap<String, String> refused) {

    Outcome {
      refused = Collections.unmodifiableSortedMap(new TreeMap<>(refused));
    }

    /** How many were refused, the first few of them, and why; empty if all are made. */
    Optional<String> words() {
      if (refused.isEmpty()) {
        return Optional.empty();
      }
      var first =
          refused.entrySet().stream()
              .limit(NAMED)
              .map(entry -> "%s (%s)".formatted(entry.getKey(), entry.getValue()))
              .toList();
      var more = refused.size() - first.size();
      return Optional.of(
          "%d: %s%s"
              .formatted(
                  refused.size(),
                  String.join(", ", first),
                  more > 0 ? " and %d more".formatted(more) : ""));
    }
  }

  /**
   * Makes one for each object, and returns when all have been tried.
   *
   * @param write tells whether there was something to be written
   * @throws KubernetesClientException if the API server does not answer; the rest is left then
   */
  static <T> Outcome each(List<T> objects, Function<T, String> name, Predicate<T> write)
      throws InterruptedException {
    var done = new AtomicInteger();
    var silence = new AtomicReference<KubernetesClientException>();
    var refused = Collections.synchronizedSortedMap(new TreeMap<String, String>());
    try (var writers = Executors.newFixedThreadPool(AT_ONCE)) {
      for (var object : objects) {
        writers.execute(() -> {
          if (silence.get() != null) {
            return;
          }
          try {
            if (write.test(object)) {
              done.incrementAndGet();
            }
          } catch (KubernetesClientException e) {
            if (e.getCode() <= 0) {
              silence.compareAndSet(null, e);
            } else if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
              refused.put(name.apply(object), ApiRefusal.sentence(e));
            }
          }
        });
      }
    }
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (silence.get() != null) {
      throw silence.get();
    }
    return new Outcome(done.get(), refused);
  }
}
