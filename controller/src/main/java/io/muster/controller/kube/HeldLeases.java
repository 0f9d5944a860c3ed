package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Knows the leases by which another controller of a kind is elected, in whatever namespace: they
 * have one name, and no other is seen. One counts while it is seen to be renewed, however clocks
 * are set; that it is no longer shows in time alone. Safe for concurrent use.
 */
public final class HeldLeases implements AutoCloseable {

  private static final int DEFAULT_SECONDS = 15;

  /** A holder may be late. */
  private static final Duration LATE = Duration.ofSeconds(15);

  private final Renewals renewals;
  private final Predicate<Lease> counts;
  private final SharedIndexInformer<Lease> informer;

  private HeldLeases(
      KubernetesClient client,
      String name,
      Predicate<Lease> counts,
      Renewals renewals,
      Runnable listener) {
    this.renewals = renewals;
    this.counts = counts;
    this.informer =
        client
            .resources(Lease.class)
            .inAnyNamespace()
            .withField("metadata.name", name)
            .runnableInformer(0);
    informer.addEventHandler(new Events(renewals, listener));
  }

  /**
   * Begins to watch; they have been read when it returns.
   *
   * @param counts whether one is where it may be
   * @param wall the time of day, by which one that is seen for the first time was renewed lately
   * @param steady a clock that nobody sets
   * @param listener told when one has been taken or left, but not when it is renewed no longer
   * @throws KubernetesClientException if they cannot be read in time
   */
  public static HeldLeases watched(
      KubernetesClient client,
      String name,
      Predicate<Lease> counts,
      InstantSource wall,
      InstantSource steady,
      Runnable listener) {
    var leases = new HeldLeases(client, name, counts, new Renewals(wall, steady), listener);
    Informers.start(leases.informer, "leases");
    return leases;
  }

  /** Those that are held now, as {@code namespace/name}, in order. */
  public Set<String> held() {
    return informer.getStore().list().stream()
        .filter(lease -> counts.test(lease) && renewals.isHeld(lease))
        .map(HeldLeases::key)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String key(Lease lease) {
    return lease.getMetadata().getNamespace() + "/" + lease.getMetadata().getName();
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

  /**
   * When leases were last seen to be renewed, by this machine's stopwatch. What one says of the
   * time of day counts only where it is seen for the first time: it may have been left long ago.
   * Safe for concurrent use.
   */
  static final class Renewals {

    private final InstantSource wall;
    private final InstantSource steady;
    private final Map<String, Seen> seen = new HashMap<>();

    /**
     * @param until when it is late, by the stopwatch; long past where nobody holds it
     */
    private record Seen(Optional<ZonedDateTime> renewed, String holder, Instant until) {}

    Renewals(InstantSource wall, InstantSource steady) {
      this.wall = wall;
      this.steady = steady;
    }

    /** Takes in how it is now, and says whether it is held since, or no more. */
    synchronized boolean changes(Lease lease) {
      boolean wasHeld = isHeld(key(lease));
      var before = Optional.ofNullable(seen.get(key(lease)));
      var renewed = renewed(lease);
      var holder = holder(lease);
      if (before
          .filter(last -> last.renewed().equals(renewed) && last.holder().equals(holder))
          .isEmpty()) {
        boolean isRenewed =
            renewed.isPresent() && (before.isPresent() || wasLately(renewed.get(), lease));
        var until =
            isRenewed && !holder.isEmpty() ? steady.instant().plus(lasts(lease)) : Instant.MIN;
        seen.put(key(lease), new Seen(renewed, holder, until));
      }
      return wasHeld != isHeld(key(lease));
    }

    synchronized void gone(Lease lease) {
      seen.remove(key(lease));
    }

    /** Whether it has a holder that renews it. */
    synchronized boolean isHeld(Lease lease) {
      var _ = changes(lease);
      return isHeld(key(lease));
    }

    private boolean isHeld(String key) {
      return Optional.ofNullable(seen.get(key))
          .filter(last -> steady.instant().isBefore(last.until()))
          .isPresent();
    }

    private boolean wasLately(ZonedDateTime renewed, Lease lease) {
      return wall.instant().isBefore(renewed.toInstant().plus(lasts(lease)));
    }

    private static Optional<ZonedDateTime> renewed(Lease lease) {
      return Optional.ofNullable(lease.getSpec()).map(spec -> spec.getRenewTime());
    }

    private static Duration lasts(Lease lease) {
      int seconds =
          Optional.ofNullable(lease.getSpec())
              .map(spec -> spec.getLeaseDurationSeconds())
              .orElse(DEFAULT_SECONDS);
      return LATE.plusSeconds(seconds);
    }
  }

  private record Events(Renewals renewals, Runnable listener)
      implements ResourceEventHandler<Lease> {

    @Override
    public void onAdd(Lease lease) {
      var _ = renewals.changes(lease);
      listener.run();
    }

    @Override
    public void onUpdate(Lease before, Lease lease) {
      boolean changes = renewals.changes(lease);
      if (changes || !holder(before).equals(holder(lease))) {
        listener.run();
      }
    }

    @Override
    public void onDelete(Lease lease, boolean isStale) {
      renewals.gone(lease);
      listener.run();
    }
  }
}
