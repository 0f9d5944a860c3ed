package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.kube.OnChange;
import io.muster.extender.port.Delays;
import io.muster.webhook.port.AdmissionMeter;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the registration in the cluster as it should be: puts back what somebody else changes or
 * deletes, each time later where they go on about it. While Muster's own namespace is labelled
 * {@value Enrolment#RELEASED_LABEL} there is none. To be run by the leader alone. Safe for
 * concurrent use.
 */
public final class RegistrationKeeper implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RegistrationKeeper.class);
  private static final long NO_RESYNC = 0;

  private final KubernetesClient client;
  private final Supplier<Optional<Registration>> wanted;
  private final String ownNamespace;
  private final Delays timers;
  private final InstantSource clock;
  private final AdmissionMeter meter;
  private final Map<String, Stored> stored = new HashMap<>();
  private final Map<String, Patience> patience = new HashMap<>();
  private final List<SharedIndexInformer<?>> informers = new ArrayList<>();
  private Optional<Registration> standing = Optional.empty();
  private boolean isWatching;
  private boolean isWatchingObjects;
  private boolean isReleased;

  /** How an object was last left: the generation grows with every change of what it says. */
  private record Stored(String uid, long generation, Object meaning) {

    static Stored of(HasMetadata object) {
      var metadata = object.getMetadata();
      return new Stored(
          metadata.getUid(),
          Objects.requireNonNullElse(metadata.getGeneration(), 0L),
          Registration.meaning(object));
    }

    boolean isAtLeast(Stored other) {
      return uid.equals(other.uid) && generation >= other.generation;
    }
  }

  /**
   * @param wanted asked whenever the objects are managed; may change with time; empty once Muster
   *     is being taken away: nothing is written any more
   */
  public RegistrationKeeper(
      KubernetesClient client,
      Supplier<Optional<Registration>> wanted,
      String ownNamespace,
      Delays timers,
      InstantSource clock,
      AdmissionMeter meter) {
    this.client = client;
    this.wanted = wanted;
    this.ownNamespace = ownNamespace;
    this.timers = timers;
    this.clock = clock;
    this.meter = meter;
  }

  /**
   * Makes the objects stand as is wanted now and watches over them from then on; does nothing where
   * they were left so.
   *
   * @throws KubernetesClientException if the apiserver refuses or is away; to be tried again
   */
  public synchronized void keep() {
    var registration = wanted.get();
    if (registration.isEmpty()) {
      return;
    }
    if (!isWatching) {
      isReleased =
          isReleased(Optional.ofNullable(client.namespaces().withName(ownNamespace).get()));
      isWatching = true;
      watch(
          client.namespaces().withName(ownNamespace),
          new OnChange<Namespace>(
              own -> released(isReleased(Optional.of(own))), _ -> released(false)));
    }
    if (!isReleased && !standing.equals(registration)) {
      putAll(registration.get().objects());
      standing = registration;
    }
    if (!isWatchingObjects) {
      isWatchingObjects = true;
      registration.get().objects().forEach(this::watch);
    }
  }

  /** Leaves the objects as they are and manages them no more, until {@link #keep}. */
  @Override
  public synchronized void close() {
    informers.forEach(SharedIndexInformer::stop);
    informers.clear();
    isWatching = false;
    isWatchingObjects = false;
    standing = Optional.empty();
    stored.clear();
    patience.clear();
  }

  private void watch(HasMetadata object) {
    var key = keyOf(object);
    watch(
        client.resource(object),
        new OnChange<HasMetadata>(
            found -> seen(key, Optional.of(found)), _ -> seen(key, Optional.empty())));
  }

  private <T extends HasMetadata> void watch(
      Informable<T> resource, ResourceEventHandler<? super T> handler) {
    var informer = resource.runnableInformer(NO_RESYNC);
    informer.exceptionHandler((_, _) -> true);
    informer.addEventHandler(handler);
    informers.add(informer);
    informer.start();
  }

  /** All at once, since none depends on another. */
  private void putAll(List<HasMetadata> objects) {
    try (var writers = Executors.newVirtualThreadPerTaskExecutor()) {
      objects.stream()
          .map(object ->
              CompletableFuture.supplyAsync(() -> Registration.put(client, object), writers))
          .toList()
          .forEach(write -> left(write.join()));
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private void put(HasMetadata object) {
    left(Registration.put(client, object));
  }

  private void left(HasMetadata object) {
    stored.put(keyOf(object), Stored.of(object));
  }

  private static String keyOf(HasMetadata object) {
    return object.getKind() + " " + object.getMetadata().getName();
  }

  private synchronized void seen(String key, Optional<HasMetadata> now) {
    var left = Optional.ofNullable(stored.get(key));
    if (!isWatching || standing.isEmpty() || left.isEmpty()) {
      return;
    }
    if (now.isPresent() && left.get().isAtLeast(Stored.of(now.get()))) {
      return;
    }
    if (now.filter(object -> differsInAuthoritiesAlone(left.get(), object)).isPresent()) {
      stored.put(key, Stored.of(now.get()));
      return;
    }
    stored.remove(key);
    meter.putBack();
    var wait = patience.computeIfAbsent(key, _ -> new Patience()).next(clock.instant());
    LOG.atWarn()
        .addKeyValue("object", key)
        .addKeyValue("inSeconds", wait.toSeconds())
        .log("somebody else has changed the registration; it is put back");
    timers.after(wait, () -> Thread.startVirtualThread(() -> putBack(key)));
  }

  /** Those are changed by whoever manages the certificates, this process or another. */
  private boolean differsInAuthoritiesAlone(Stored left, HasMetadata now) {
    return now instanceof MutatingWebhookConfiguration configuration
        && left.uid().equals(now.getMetadata().getUid())
        && left.meaning().equals(Registration.meaning(now))
        && wantedObjects()
            .filter(MutatingWebhookConfiguration.class::isInstance)
            .map(MutatingWebhookConfiguration.class::cast)
            .allMatch(own -> RegisteredAuthorities.cover(configuration, own));
  }

  private Stream<HasMetadata> wantedObjects() {
    return wanted.get().stream().flatMap(registration -> registration.objects().stream());
  }

  private synchronized void putBack(String key) {
    if (!isWatching || isReleased || stored.containsKey(key)) {
      return;
    }
    try {
      wantedObjects().filter(o -> keyOf(o).equals(key)).forEach(this::put);
    } catch (KubernetesClientException e) {
      var wait = patience.computeIfAbsent(key, _ -> new Patience()).next(clock.instant());
      LOG.atError()
          .addKeyValue("object", key)
          .addKeyValue("message", e.getMessage())
          .addKeyValue("inSeconds", wait.toSeconds())
          .log("the registration could not be put back; tried again");
      timers.after(wait, () -> Thread.startVirtualThread(() -> putBack(key)));
    }
  }

  private synchronized void released(boolean now) {
    if (!isWatching || now == isReleased) {
      return;
    }
    isReleased = now;
    standing = Optional.empty();
    stored.clear();
    if (now) {
      LOG.atWarn().log("Muster is released from its duty: the registration is withdrawn");
      Thread.startVirtualThread(this::withdraw);
    } else {
      LOG.atInfo().log("Muster is on duty again");
    }
  }

  private void withdraw() {
    try {
      Registration.remove(client);
    } catch (KubernetesClientException e) {
      LOG.atError().addKeyValue("message", e.getMessage()).log("could not be withdrawn");
    }
  }

  private static boolean isReleased(Optional<Namespace> own) {
    return own.map(namespace -> namespace.getMetadata().getLabels())
        .filter(Enrolment::isReleased)
        .isPresent();
  }
}
