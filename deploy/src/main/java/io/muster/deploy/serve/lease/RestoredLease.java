package io.muster.deploy.serve.lease;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;

/**
 * The stored Lease, with an eye on its version: it is read past all caches, and the versions of
 * what is read so only grow, unless etcd was put back to an earlier state. Watches that are open
 * then, or go on from a later version, never tell what has changed by that. Safe for concurrent
 * use.
 */
final class RestoredLease extends LeaseLock {

  private final Runnable whenRestored;
  private long latest;

  /**
   * @param whenRestored run when an earlier version is read than before
   */
  RestoredLease(Leadership.Terms terms, Runnable whenRestored) {
    super(terms.namespace(), Leadership.NAME, terms.identity());
    this.whenRestored = whenRestored;
  }

  @Override
  protected LeaderElectionRecord toRecord(Lease lease) {
    if (isEarlier(lease.getMetadata().getResourceVersion())) {
      whenRestored.run();
    }
    return super.toRecord(lease);
  }

  private synchronized boolean isEarlier(String version) {
    try {
      long found = Long.parseLong(version);
      boolean earlier = found < latest;
      latest = found;
      return earlier;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
