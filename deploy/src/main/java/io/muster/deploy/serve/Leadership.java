package io.muster.deploy.serve;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.Lock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.extender.port.Delays;
import io.muster.extender.port.LeaderLease;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the Lease {@code muster}, or waits for it; one process at a time decides. The lease counts
 * from the moment before its last successful write was sent, so it never ends later here than for
 * others. That of another counts from when it was seen to be renewed, by this machine's stopwatch:
 * clocks of machines may differ by any time. One that is given back is taken at once: it is
 * watched. Safe for concurrent use.
 */
final class Leadership implements LeaderLease, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
  static final String NAME = "muster";
  private static final Duration BETWEEN_ELECTIONS = Duration.ofMillis(500);

  private final KubernetesClient client;
  private final WatchedLock lock;
  private final Duration lease;
  private final Delays timers;
  private final SharedIndexInformer<Lease> watch;
  private Optional<CompletableFuture<?>> current = Optional.empty();
  private boolean isGivenBack;
  private boolean closed;

  /** Whose lease it is, and for how long. */
  record Terms(String namespace, String identity, Duration lease) {}

  /**
   * @param mayMakeAnew whether a Lease that is missing may be made again; may block
   */
  Leadership(
      KubernetesClient client,
      Terms terms,
      Clocks clocks,
      Delays timers,
      BooleanSupplier mayMakeAnew) {
    this.client = client;
    this.timers = timers;
    this.lease = terms.lease();
    this.lock =
        new WatchedLock(
            new RestoredLease(terms, this::restored),
            terms,
            new HeldLease(clocks, terms.lease()),
            new ObservedLease(clocks),
            mayMakeAnew);
    this.watch = client.leases().inNamespace(terms.namespace()).withName(NAME).runnableInformer(0);
    watch.exceptionHandler((_, _) -> true);
    watch.addEventHandler(new Seen());
  }

  /** Stands for election from now on, again after each loss. */
  void start(Runnable whenGained, Runnable whenLost) {
    var config =
        new LeaderElectionConfigBuilder()
            .withName(NAME)
            .withLock(lock)
            .withLeaseDuration(lease)
            .withRenewDeadline(lease.multipliedBy(2).dividedBy(3))
            .withRetryPeriod(lease.dividedBy(5))
            .withReleaseOnCancel(true)
            .withLeaderCallbacks(
                new LeaderCallbacks(
                    () -> {
                      LOG.atInfo().addKeyValue("identity", lock.identity()).log("leads");
                      guarded(whenGained);
                    },
                    () -> {
                      lock.held.lost();
                      LOG.atWarn().addKeyValue("identity", lock.identity()).log("leads no more");
                      guarded(whenLost);
                    },
                    leader -> LOG.atDebug().addKeyValue("leader", leader).log("leader seen")))
            .build();
    stand(config);
    var _ = watch.start();
  }

  /** What escapes from a callback would end the election without its being said. */
  private void guarded(Runnable callback) {
    try {
      callback.run();
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("a fault of Muster's; it stands for election again");
      synchronized (this) {
        current.ifPresent(election -> election.cancel(true));
      }
    }
  }

  /** One election ends with the loss of the lease; the next one begins a little later. */
  private synchronized void stand(LeaderElectionConfig config) {
    if (closed) {
      return;
    }
    var election = client.leaderElector().withConfig(config).build().start();
    current = Optional.of(election);
    var _ = election.whenComplete((_, _) -> timers.after(untilNext(), () -> stand(config)));
  }

  private synchronized Duration untilNext() {
    var pause = isGivenBack ? Duration.ZERO : BETWEEN_ELECTIONS;
    isGivenBack = false;
    return pause;
  }

  /** A term that began before goes by what is no more: the next one reads the cluster again. */
  private synchronized void restored() {
    if (!lock.held.until().equals(Instant.MIN)) {
      LOG.atWarn().log("the apiserver's data was put back to an earlier state; it is read again");
      current.ifPresent(election -> election.cancel(true));
    }
  }

  /** An election asks once in a while; a new one begins by asking. */
  private synchronized void seen(Lease lease) {
    lock.observed.seen(lease);
    if (!isHeld(lease) && !closed && lock.held.until().equals(Instant.MIN)) {
      isGivenBack = true;
      current.ifPresent(election -> election.cancel(true));
    }
  }

  /** Whether it has a holder; one that was given back at an orderly end has none. */
  static boolean isHeld(Lease lease) {
    return Optional.ofNullable(lease.getSpec())
        .map(LeaseSpec::getHolderIdentity)
        .filter(holder -> !holder.isEmpty())
        .isPresent();
  }

  @Override
  public Instant heldUntil() {
    return lock.held.until();
  }

  @Override
  public boolean followsAnother() {
    return lock.followsAnother;
  }

  /** Whether another process was last seen with the lease. */
  boolean anotherLeads() {
    return lock.followsAnother && lock.held.until().equals(Instant.MIN);
  }

  @Override
  public synchronized void close() {
    closed = true;
    watch.close();
    current.ifPresent(election -> election.cancel(true));
  }

  private final class Seen implements ResourceEventHandler<Lease> {

    @Override
    public void onAdd(Lease lease) {
      // The election has just begun, or goes on after a break of the watch.
      lock.observed.seen(lease);
    }

    @Override
    public void onUpdate(Lease before, Lease lease) {
      seen(lease);
    }

    @Override
    public void onDelete(Lease lease, boolean isStateUnknown) {
      // The election makes it anew.
    }
  }

  /**
   * The lock of the election, with an eye on who holds it and since when. An election goes on after
   * failures of the API alone: whatever else is thrown, by a Lease that somebody has edited for
   * one, is made one of these.
   */
  static final class WatchedLock implements Lock {

    final HeldLease held;
    final ObservedLease observed;
    private final Lock lock;
    private final String namespace;
    private final Duration lease;
    private final BooleanSupplier mayMakeAnew;
    volatile boolean followsAnother;

    /** The election takes the time that it writes before it reads. */
    private volatile HeldLease.Moment asked;

    WatchedLock(
        Lock lock,
        Terms terms,
        HeldLease held,
        ObservedLease observed,
        BooleanSupplier mayMakeAnew) {
      this.lock = lock;
      this.namespace = terms.namespace();
      this.lease = terms.lease();
      this.held = held;
      this.observed = observed;
      this.mayMakeAnew = mayMakeAnew;
      this.asked = held.now();
    }

    private static <T> T asFailureOfTheApi(Supplier<T> work) {
      try {
        return work.get();
      } catch (KubernetesClientException e) {
        throw e;
      } catch (RuntimeException e) {
        throw new KubernetesClientException("the Lease cannot be used as it is: " + e, e);
      }
    }

    /**
     * The age of the lease in it is what was seen of it here: its own times are of other clocks.
     */
    @Override
    public LeaderElectionRecord get(KubernetesClient client) {
      asked = held.now();
      var found = asFailureOfTheApi(() -> lock.get(client));
      if (found == null) {
        return found;
      }
      var holder = Optional.ofNullable(found.getHolderIdentity()).orElse("");
      if (!holder.isEmpty() && !holder.equals(identity())) {
        followsAnother = true;
      }
      return observed.asSeen(found);
    }

    @Override
    public void create(KubernetesClient client, LeaderElectionRecord wanted) {
      if (!mayMakeAnew.getAsBoolean()) {
        throw new KubernetesClientException("the installation that the Lease belonged to is gone");
      }
      lock.create(client, wanted);
      written(wanted);
    }

    @Override
    public void update(KubernetesClient client, LeaderElectionRecord wanted) {
      if (wanted.getLeaseDuration().compareTo(lease) < 0) {
        giveBack(client);
        return;
      }
      lock.update(client, wanted);
      written(wanted);
    }

    /** Without a holder; the library would leave a lease of a second behind, and its holder. */
    private void giveBack(KubernetesClient client) {
      held.lost();
      var stored = client.leases().inNamespace(namespace).withName(NAME);
      var found = stored.get();
      if (Optional.ofNullable(found)
          .map(Lease::getSpec)
          .filter(spec -> identity().equals(spec.getHolderIdentity()))
          .isPresent()) {
        stored.patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"resourceVersion\":\"%s\"},\"spec\":{\"holderIdentity\":null}}"
                .formatted(found.getMetadata().getResourceVersion()));
      }
    }

    private void written(LeaderElectionRecord wanted) {
      if (identity().equals(wanted.getHolderIdentity())) {
        held.renewed(asked);
      } else {
        held.lost();
      }
    }

    @Override
    public String identity() {
      return lock.identity();
    }

    @Override
    public String describe() {
      return lock.describe();
    }
  }

  /**
   * Since when the lease has not been renewed, as far as it was seen here, as client-go counts it:
   * by this machine's stopwatch, from the moment after a renewal was seen. Its holder counts from
   * before it has sent that renewal, so the lease is over for its holder first, however the clocks
   * of both machines are set. Safe for concurrent use.
   */
  static final class ObservedLease {

    private final Clocks clocks;
    private Optional<Said> last = Optional.empty();
    private Instant since = Instant.MIN;

    /** What changes with each renewal. */
    private record Said(
        Optional<String> holder,
        Optional<ZonedDateTime> acquired,
        Optional<ZonedDateTime> renewed) {

      static Said of(LeaderElectionRecord found) {
        return new Said(
            Optional.ofNullable(found.getHolderIdentity()),
            Optional.ofNullable(found.getAcquireTime()),
            Optional.ofNullable(found.getRenewTime()));
      }
    }

    ObservedLease(Clocks clocks) {
      this.clocks = clocks;
    }

    /** The Lease was seen as it is now. */
    void seen(Lease lease) {
      Optional.ofNullable(lease.getSpec())
          .map(spec ->
              new Said(
                  Optional.ofNullable(spec.getHolderIdentity()),
                  Optional.ofNullable(spec.getAcquireTime()),
                  Optional.ofNullable(spec.getRenewTime())))
          .ifPresent(this::seen);
    }

    private synchronized void seen(Said said) {
      if (!last.equals(Optional.of(said))) {
        last = Optional.of(said);
        since = clocks.steady().instant();
      }
    }

    /** The record that was read just now, renewed when that was seen, by this machine's clock. */
    synchronized LeaderElectionRecord asSeen(LeaderElectionRecord found) {
      seen(Said.of(found));
      var age = Duration.between(since, clocks.steady().instant());
      return new LeaderElectionRecord(
          found.getHolderIdentity(),
          found.getLeaseDuration(),
          found.getAcquireTime(),
          clocks.wall().instant().minus(age).atZone(ZoneOffset.UTC),
          found.getLeaderTransitions());
    }
  }
}
