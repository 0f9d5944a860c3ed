package io.muster.deploy.serve.lease;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;

/**
 * Since when the lease has not been renewed, as far as it was seen here, as client-go counts it: by
 * this machine's stopwatch, from the moment after a renewal was seen. Its holder counts from before
 * it has sent that renewal, so the lease is over for its holder first, however the clocks of both
 * machines are set. Safe for concurrent use.
 */
final class ObservedLease {

  /** No Muster holds a lease for longer: leaseDurationSeconds cannot be more. */
  private static final Duration LONGEST = Duration.ofDays(1);

  private final Clocks clocks;
  private Optional<Said> last = Optional.empty();
  private Instant since = Instant.MIN;

  /** What changes with each renewal. */
  private record Said(
      Optional<String> holder, Optional<ZonedDateTime> acquired, Optional<ZonedDateTime> renewed) {

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

  /** This process has written it so. */
  void written(LeaderElectionRecord own) {
    seen(Said.of(own));
  }

  private synchronized void seen(Said said) {
    if (!last.equals(Optional.of(said))) {
      last = Optional.of(said);
      since = clocks.steady().instant();
    }
  }

  /** For how long nobody has been seen to renew it; zero if it has not been seen yet. */
  synchronized Duration age() {
    return last.isEmpty() ? Duration.ZERO : Duration.between(since, clocks.steady().instant());
  }

  /** The record that was read just now, renewed when that was seen, by this machine's clock. */
  synchronized LeaderElectionRecord asSeen(LeaderElectionRecord found) {
    seen(Said.of(found));
    return new LeaderElectionRecord(
        found.getHolderIdentity(),
        found.getLeaseDuration().compareTo(LONGEST) > 0 ? LONGEST : found.getLeaseDuration(),
        found.getAcquireTime(),
        clocks.wall().instant().minus(age()).atZone(ZoneOffset.UTC),
        found.getLeaderTransitions());
  }
}
