package io.muster.controller.kinds.di.server.presence;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.kube.Rejection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one process among those to which the names of the server lead, in a slice of its own for
 * each name, and keeps an eye on the others: who does not answer several times in a row is no
 * longer called. Whoever is turned away by mistake puts itself back, at most every five seconds,
 * and turns nobody away as long as it is not back. Safe for concurrent use.
 */
public final class Presence {

  private static final Logger LOG = LoggerFactory.getLogger(Presence.class);

  /** Between two checks. */
  public static final Duration ROUND = Duration.ofMillis(500);

  /** Silences in a row after which nobody is led to a process. */
  static final int SILENCES = 3;

  /** Between two writes of a slice: what is written shows in the watch a little later. */
  static final Duration WRITTEN_APART = Duration.ofSeconds(5);

  private final NameStore store;
  private final ServingProcess self;
  private final Function<ServingProcess, CompletableFuture<Boolean>> question;
  private final InstantSource clock;
  private final Map<ServerName, Instant> written = new HashMap<>();
  private final Map<ServingProcess, Integer> silences = new HashMap<>();
  private final Set<ServingProcess> asked = new HashSet<>();
  private boolean hasLeft;

  /**
   * Does nothing yet.
   *
   * @param question whether a process answers under its name, within a bounded time; must not fail
   */
  public Presence(
      NameStore store,
      ServingProcess self,
      Function<ServingProcess, CompletableFuture<Boolean>> question,
      InstantSource clock) {
    this.store = store;
    this.self = self;
    this.question = question;
    this.clock = clock;
  }

  /** Checks all names; to be called once in each {@link #ROUND}. */
  public synchronized void check() {
    if (hasLeft) {
      return;
    }
    boolean isThere = true;
    for (var name : ServerName.ALL) {
      try {
        isThere &= keep(name);
      } catch (KubernetesClientException e) {
        LOG.atWarn()
            .addKeyValue("service", name.namespace() + "/" + name.service())
            .addKeyValue("message", Rejection.sentence(e))
            .log("this process cannot be put among those that serve DIJobs; tried again");
      }
    }
    if (isThere) {
      askOthers();
    } else {
      silences.clear();
    }
  }

  /** Whether nothing is amiss with the slice of this process. */
  private boolean keep(ServerName name) {
    var own = own(name);
    return switch (store.standing(name)) {
      case UNKNOWN -> false;
      case ABSENT -> true;
      case ANOTHERS -> {
        own.filter(_ -> isDue(name)).ifPresent(store::delete);
        yield true;
      }
      case MUSTERS -> {
        if (own.filter(this::isRight).isPresent()) {
          yield true;
        }
        if (isDue(name)) {
          store.put(name.slice(self));
        }
        yield false;
      }
    };
  }

  private Optional<EndpointSlice> own(ServerName name) {
    var wanted = name.slice(self).getMetadata().getName();
    return store.slices(name).stream()
        .filter(slice -> slice.getMetadata().getName().equals(wanted))
        .findFirst();
  }

  private boolean isRight(EndpointSlice slice) {
    return ServingProcess.isReady(slice)
        && ServingProcess.of(slice).filter(self::equals).isPresent();
  }

  private boolean isDue(ServerName name) {
    var now = clock.instant();
    if (now.isBefore(written.getOrDefault(name, Instant.MIN).plus(WRITTEN_APART))) {
      return false;
    }
    written.put(name, now);
    return true;
  }

  private void askOthers() {
    var others = new HashSet<ServingProcess>();
    for (var name : ServerName.ALL) {
      store.slices(name).stream()
          .filter(ServingProcess::isReady)
          .flatMap(slice -> ServingProcess.of(slice).stream())
          .filter(process -> !process.equals(self))
          .forEach(others::add);
    }
    silences.keySet().retainAll(others);
    for (var other : others) {
      if (asked.add(other)) {
        var _ = question.apply(other).thenAccept(isThere -> heard(other, isThere));
      }
    }
  }

  private synchronized void heard(ServingProcess other, boolean isThere) {
    asked.remove(other);
    if (isThere || hasLeft) {
      silences.remove(other);
    } else if (silences.merge(other, 1, Integer::sum) >= SILENCES) {
      silences.remove(other);
      turnAway(other);
    }
  }

  private void turnAway(ServingProcess other) {
    LOG.atWarn()
        .addKeyValue("process", other.name())
        .addKeyValue("address", other.address())
        .log("a process that serves DIJobs does not answer: nobody is led to it any more");
    for (var name : ServerName.ALL) {
      for (var slice : store.slices(name)) {
        if (ServingProcess.isReady(slice)
            && ServingProcess.of(slice).filter(other::equals).isPresent()) {
          try {
            store.turnAway(slice);
          } catch (KubernetesClientException e) {
            LOG.atWarn()
                .addKeyValue("slice", slice.getMetadata().getName())
                .addKeyValue("message", Rejection.sentence(e))
                .log("it could not be written that a process does not answer; tried again");
          }
        }
      }
    }
  }

  /** Leads nobody here any more. */
  public synchronized void leave() {
    hasLeft = true;
    for (var name : ServerName.ALL) {
      try {
        // One that was written just now may not be seen yet.
        if (written.containsKey(name) || own(name).isPresent()) {
          store.delete(name.slice(self));
        }
      } catch (KubernetesClientException e) {
        LOG.atWarn()
            .addKeyValue("service", name.namespace() + "/" + name.service())
            .addKeyValue("message", Rejection.sentence(e))
            .log("callers are still led here for a moment, though this process ends");
      }
    }
  }
}
