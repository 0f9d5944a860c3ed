package io.muster.deploy.serve.lease;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.extender.port.Delays;
import io.muster.extender.port.LeaderLease;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the Lease {@code muster}, or waits for it; one process at a time decides. The lease counts
 * from the moment before its last successful write was sent, so it never ends later here than for
 * others. That of another counts from when it was seen to be renewed, by this machine's stopwatch:
 * clocks of machines may differ by any time. One that is given back is taken at once: it is
 * watched. Safe for concurrent use.
 */
public final class Leadership implements LeaderLease, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

  /** Of the Lease. */
  public static final String NAME = "muster";

  private static final Duration BETWEEN_ELECTIONS = Duration.ofMillis(500);

  private final KubernetesClient client;
  private final WatchedLock lock;
  private final Duration lease;
  private final Delays timers;
  private final SharedIndexInformer<Lease> watch;
  private Optional<Standing> current = Optional.empty();
  private volatile Runnable whenRestored = () -> {};
  private boolean isGivenBack;
  private boolean closed;

  /** Whose lease it is, and for how long. */
  public record Terms(String namespace, String identity, Duration lease) {}

  /** An election, and how the library ends it. */
  private record Standing(Election election, CompletableFuture<?> end) {}

  /**
   * @param mayMakeAnew whether a Lease that is missing may be made again; may block
   */
  public Leadership(
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
            new RestoredLease(terms, this::goneBack),
            terms,
            new HeldLease(clocks, terms.lease()),
            new ObservedLease(clocks),
            mayMakeAnew);
    this.watch = client.leases().inNamespace(terms.namespace()).withName(NAME).runnableInformer(0);
    watch.exceptionHandler((_, _) -> true);
    watch.addEventHandler(new Seen());
  }

  /**
   * Stands for election from now on, again after each loss.
   *
   * @param newWhenRestored run, whether this process leads or not, when etcd was restored
   */
  public void start(Runnable whenGained, Runnable whenLost, Runnable newWhenRestored) {
    whenRestored = newWhenRestored;
    stand(
        () -> {
          LOG.atInfo().addKeyValue("identity", lock.identity()).log("leads");
          guarded(whenGained);
        },
        () -> {
          LOG.atWarn().addKeyValue("identity", lock.identity()).log("leads no more");
          guarded(whenLost);
        });
    var _ = watch.start();
  }

  /** What escapes from a callback would end the election without its being said. */
  private void guarded(Runnable callback) {
    try {
      callback.run();
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("a fault of Muster's; it stands for election again");
      endElection();
    }
  }

  /** An election locks itself while it asks and while it ends: none ends under our own lock. */
  private void endElection() {
    endElection(true);
  }

  private void endElection(boolean givesBack) {
    present()
        .ifPresent(standing -> {
          if (!standing.end().isDone()) {
            standing.election().end(client, givesBack);
            standing.end().cancel(true);
          }
        });
  }

  private synchronized Optional<Standing> present() {
    return current;
  }

  /** One election ends with the loss of the lease; the next one begins a little later. */
  private synchronized void stand(Runnable whenGained, Runnable whenLost) {
    if (closed) {
      return;
    }
    var election = new Election(lock, whenGained, whenLost);
    var config =
        new LeaderElectionConfigBuilder()
            .withName(NAME)
            .withLock(election)
            .withLeaseDuration(lease)
            .withRenewDeadline(lease.multipliedBy(2).dividedBy(3))
            .withRetryPeriod(lease.dividedBy(5))
            .withReleaseOnCancel(true)
            .withLeaderCallbacks(election.callbacks())
            .build();
    var end = client.leaderElector().withConfig(config).build().start();
    current = Optional.of(new Standing(election, end));
    var _ =
        end.whenComplete((_, _) -> timers.after(untilNext(), () -> stand(whenGained, whenLost)));
  }

  private synchronized Duration untilNext() {
    var pause = isGivenBack ? Duration.ZERO : BETWEEN_ELECTIONS;
    isGivenBack = false;
    return pause;
  }

  /**
   * The API server's data has gone back: a term that began before goes by what is no more, and the
   * next one reads the cluster again, also where the lease was over before this was seen, since the
   * same term would go on with the next renewal. Nothing is written by it from now on. May be told
   * while an election asks, so that election ends a little later.
   */
  public void goneBack() {
    LOG.atWarn().log("the apiserver's data was put back to an earlier state; it is read again");
    var begun = present().map(Standing::election).filter(Election::leads);
    begun.ifPresent(Election::giveUp);
    Thread.startVirtualThread(() -> {
      if (begun.isPresent()) {
        endElection();
      }
      whenRestored.run();
    });
  }

  /**
   * An election asks once in a while; a new one begins by asking. After a lease that was given back
   * here one begins anyway, and may be just taking it when the watch tells of that.
   */
  private void seen(Lease before, Lease lease) {
    lock.observed.seen(lease);
    if (isHeld(lease) || isOurs(before) || !lock.held.until().equals(Instant.MIN)) {
      return;
    }
    synchronized (this) {
      if (closed) {
        return;
      }
      isGivenBack = true;
    }
    endElection(false);
  }

  private boolean isOurs(Lease lease) {
    return isHeld(lease) && lease.getSpec().getHolderIdentity().equals(lock.identity());
  }

  /** Whether it has a holder; one that was given back at an orderly end has none. */
  public static boolean isHeld(Lease lease) {
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
  public boolean anotherLeads() {
    return lock.followsAnother && lock.held.until().equals(Instant.MIN);
  }

  /**
   * For how long nobody was seen to renew the lease; zero while it is held here. It is not where
   * its renewals get no answer, though this process has not given up yet.
   */
  public Duration unrenewed() {
    boolean isHeldHere = lock.held.now().steady().isBefore(lock.held.until());
    return isHeldHere ? Duration.ZERO : lock.observed.age();
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    watch.close();
    endElection();
  }

  private final class Seen implements ResourceEventHandler<Lease> {

    @Override
    public void onAdd(Lease lease) {
      // The election has just begun, or goes on after a break of the watch.
      lock.observed.seen(lease);
    }

    @Override
    public void onUpdate(Lease before, Lease lease) {
      seen(before, lease);
    }

    @Override
    public void onDelete(Lease lease, boolean isStateUnknown) {
      // The election makes it anew.
    }
  }
}
