package io.muster.deploy.serve.lease;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.Lock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one election does with the lock, and whom it tells. The library ends an election in several
 * steps: one that is cancelled while it asks may still take the lease, say so, and give it back,
 * although the next one has begun, which holds the lease by the same name. Once this is over it
 * does none of that. Safe for concurrent use.
 */
final class Election implements Lock {

  private static final Logger LOG = LoggerFactory.getLogger(Election.class);

  private static final Duration LEFT_ALONE = Duration.ofDays(1);

  private final WatchedLock lock;
  private final Runnable whenGained;
  private final Runnable whenLost;

  /** Held while somebody is told, so that nobody is told of the end first. */
  private final Object telling = new Object();

  private volatile boolean leads;
  private volatile boolean isOver;
  private volatile boolean isGivenUp;
  private boolean hasTaken;

  /**
   * @param whenGained told that this process leads, by one thread at a time
   * @param whenLost told once after each of those
   */
  Election(WatchedLock lock, Runnable whenGained, Runnable whenLost) {
    this.lock = lock;
    this.whenGained = whenGained;
    this.whenLost = whenLost;
  }

  /** Whether it was told that this process leads, and of no end of that. */
  boolean leads() {
    return leads;
  }

  /** The lease is not held any more, whatever a request that is under way says of it. */
  void giveUp() {
    isGivenUp = true;
    lock.held.lost();
  }

  private void written() {
    if (isGivenUp) {
      lock.held.lost();
    }
  }

  LeaderCallbacks callbacks() {
    return new LeaderCallbacks(
        this::gained,
        this::lost,
        leader -> LOG.atDebug().addKeyValue("leader", leader).log("leader seen"));
  }

  private void gained() {
    synchronized (telling) {
      if (!isOver && !leads) {
        leads = true;
        whenGained.run();
      }
    }
  }

  private void lost() {
    synchronized (telling) {
      if (leads) {
        leads = false;
        lock.held.lost();
        whenLost.run();
      }
    }
  }

  /**
   * Nothing is read, written or told by it any more. Waits for a request that is under way.
   *
   * @param givesBack whether the lease is given back if it has been taken; else the next election
   *     goes on with it
   */
  void end(KubernetesClient client, boolean givesBack) {
    synchronized (this) {
      isOver = true;
    }
    lost();
    if (givesBack) {
      giveBack(client);
    }
  }

  private synchronized void giveBack(KubernetesClient client) {
    if (hasTaken) {
      hasTaken = false;
      try {
        lock.giveBack(client);
      } catch (KubernetesClientException e) {
        LOG.atWarn()
            .addKeyValue("message", e.getMessage())
            .log("the Lease could not be given back; others wait until it is over");
      }
    }
  }

  private void requireGoingOn() {
    if (isOver) {
      throw new KubernetesClientException("this election is over");
    }
  }

  /** Where this is over, as if somebody else held it: then the library leaves it alone. */
  @Override
  public synchronized LeaderElectionRecord get(KubernetesClient client) {
    if (isOver) {
      var now = ZonedDateTime.now(ZoneOffset.UTC);
      return new LeaderElectionRecord("a later election", LEFT_ALONE, now, now, 0);
    }
    return lock.get(client);
  }

  @Override
  public synchronized void create(KubernetesClient client, LeaderElectionRecord wanted) {
    requireGoingOn();
    lock.create(client, wanted);
    written();
    hasTaken = true;
  }

  @Override
  public synchronized void update(KubernetesClient client, LeaderElectionRecord wanted) {
    requireGoingOn();
    lock.update(client, wanted);
    written();
    hasTaken = identity().equals(wanted.getHolderIdentity());
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
