package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Knows the leases by which another controller of a kind is elected, in whatever namespace: they
 * have one name, and no other is seen. One counts while it is renewed; that it is no longer shows
 * in time alone. Safe for concurrent use.
 */
public final class HeldLeases implements AutoCloseable {

  private static final int DEFAULT_SECONDS = 15;

  /** Clocks differ, and a holder may be late. */
  private static final Duration LATE = Duration.ofSeconds(15);

  private final InstantSource clock;
  private final Predicate<Lease> counts;
  private final SharedIndexInformer<Lease> informer;

  private HeldLeases(
      KubernetesClient client,
      String name,
      Predicate<Lease> counts,
      InstantSource clock,
      Runnable listener) {
    this.clock = clock;
    this.counts = counts;
    this.informer =
        client
            .resources(Lease.class)
            .inAnyNamespace()
            .withField("metadata.name", name)
            .runnableInformer(0);
    informer.addEventHandler(new Events(listener));
  }

  /**
   * Begins to watch; they have been read when it returns.
   *
   * @param counts whether one is where it may be
   * @param listener told when one has been taken or left, but not when it is renewed no longer
   * @throws KubernetesClientException if they cannot be read in time
   */
  public static HeldLeases watched(
      KubernetesClient client,
      String name,
      Predicate<Lease> counts,
      InstantSource clock,
      Runnable listener) {
    var leases = new HeldLeases(client, name, counts, clock, listener);
    Informers.start(leases.informer, "leases");
    return leases;
  }

  /** Those that are held now, as {@code namespace/name}, in order. */
  public Set<String> held() {
    var now = clock.instant();
    return informer.getStore().list().stream()
        .filter(lease -> counts.test(lease) && isHeld(lease, now))
        .map(Lease::getMetadata)
        .map(metadata -> metadata.getNamespace() + "/" + metadata.getName())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Whether it has a holder that renews it. */
  static boolean isHeld(Lease lease, Instant now) {
    var spec = lease.getSpec();
    if (spec == null || holder(lease).isEmpty() || spec.getRenewTime() == null) {
      return false;
    }
    int seconds = Objects.requireNonNullElse(spec.getLeaseDurationSeconds(), DEFAULT_SECONDS);
    return now.isBefore(spec.getRenewTime().toInstant().plusSeconds(seconds).plus(LATE));
  }

  private static String holder(Lease lease) {
    return lease.getSpec() == null
        ? ""
        : Objects.requireNonNullElse(lease.getSpec().getHolderIdentity(), "");
  }

  @Override
  public void close() {
    informer.close();
  }

  private record Events(Runnable listener) implements ResourceEventHandler<Lease> {

    @Override
    public void onAdd(Lease lease) {
      listener.run();
    }

    @Override
    public void onUpdate(Lease before, Lease lease) {
      if (!holder(before).equals(holder(lease))) {
        listener.run();
      }
    }

    @Override
    public void onDelete(Lease lease, boolean isStale) {
      listener.run();
    }
  }
}
