package io.muster.deploy.serve.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.Lock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When a lease may be taken, and until when it is held, whatever the clocks of machines say. */
final class WatchedLockTest {

  private static final Duration LEASE = Duration.ofSeconds(15);
  private static final Duration APART = Duration.ofMinutes(1);

  private final KubernetesClient client = mock(KubernetesClient.class);
  private final StoredLock stored = new StoredLock();
  private Instant steady = Instant.parse("2026-01-01T12:00:00Z");
  private final Clocks clocks = new Clocks(() -> steady, InstantSource.system());
  private final WatchedLock lock =
      new WatchedLock(
          stored,
          new Leadership.Terms("muster-system", "me", LEASE),
          new HeldLease(clocks, LEASE),
          new ObservedLease(clocks),
          () -> true);
  private final Election election = new Election(client, lock);

  /** What is stored, by an API server that takes its time. */
  private final class StoredLock implements Lock {
    private Optional<LeaderElectionRecord> record = Optional.empty();
    private Duration readingTakes = Duration.ZERO;

    @Override
    public LeaderElectionRecord get(KubernetesClient reader) {
      passes(readingTakes);
      return record.orElse(null);
    }

    @Override
    public void create(KubernetesClient writer, LeaderElectionRecord wanted) {
      record = Optional.of(wanted);
    }

    @Override
    public void update(KubernetesClient writer, LeaderElectionRecord wanted) {
      record = Optional.of(wanted);
    }

    @Override
    public String identity() {
      return "me";
    }

    @Override
    public String describe() {
      return "stored";
    }
  }

  /** The library's own answer to the question, which goes by the time of day. */
  private static final class Election extends LeaderElector {

    Election(KubernetesClient client, Lock lock) {
      super(
          client,
          new LeaderElectionConfigBuilder()
              .withName("muster")
              .withLock(lock)
              .withLeaseDuration(LEASE)
              .withRenewDeadline(Duration.ofSeconds(10))
              .withRetryPeriod(Duration.ofSeconds(3))
              .withLeaderCallbacks(new LeaderCallbacks(() -> {}, () -> {}, _ -> {}))
              .build(),
          Runnable::run);
    }

    boolean mayTake(LeaderElectionRecord found) {
      return canBecomeLeader(found);
    }
  }

  private void passes(Duration time) {
    steady = steady.plus(time);
  }

  private void passes(long seconds) {
    passes(Duration.ofSeconds(seconds));
  }

  private static ZonedDateTime now() {
    return ZonedDateTime.now(ZoneOffset.UTC);
  }

  private static LeaderElectionRecord renewedAt(ZonedDateTime time) {
    return new LeaderElectionRecord("other", LEASE, time, time, 0);
  }

  private boolean mayTake() {
    return election.mayTake(lock.get(client));
  }

  @Test
  void aLiveLeaseOfAMachineWhoseClockIsBehindIsNotTaken() {
    stored.record = Optional.of(renewedAt(now().minus(APART)));
    assertThat(mayTake()).isFalse();
    for (int renewals = 1; renewals < 10; renewals++) {
      passes(14);
      stored.record = Optional.of(renewedAt(now().minus(APART).plusSeconds(14L * renewals)));
      assertThat(mayTake()).isFalse();
    }
  }

  @Test
  void aLeaseThatIsRenewedNoMoreIsTakenWhenItsTimeIsOverWhateverItsClockSaid() {
    stored.record = Optional.of(renewedAt(now().plus(APART)));
    assertThat(mayTake()).isFalse();
    passes(14);
    assertThat(mayTake()).isFalse();
    passes(2);
    assertThat(mayTake()).isTrue();
  }

  /** An election asks seldom; a renewal counts from when the watch has shown it. */
  @Test
  void aRenewalCountsFromWhenItWasFirstSeen() {
    var time = now();
    var found = renewedAt(time);
    lock.observed.seen(
        new LeaseBuilder()
            .withNewSpec()
            .withHolderIdentity("other")
            .withLeaseDurationSeconds((int) LEASE.toSeconds())
            .withAcquireTime(time)
            .withRenewTime(time)
            .endSpec()
            .build());
    passes(10);
    stored.record = Optional.of(found);
    assertThat(mayTake()).isFalse();
    passes(6);
    assertThat(mayTake()).isTrue();
  }

  /** Whatever somebody has written into it by hand. */
  @Test
  void noLeaseIsTakenForLongerThanADay() {
    var time = now();
    stored.record =
        Optional.of(
            new LeaderElectionRecord("somebody", Duration.ofSeconds(1_000_000_000), time, time, 0));
    assertThat(mayTake()).isFalse();
    passes(Duration.ofHours(23));
    assertThat(mayTake()).as("it may be its holder's for so long").isFalse();
    assertThat(lock.observed.age()).isEqualTo(Duration.ofHours(23));
    passes(Duration.ofMinutes(61));
    assertThat(mayTake()).isTrue();
  }

  /** Whoever reads it may read what was stored at the end of a slow answer. */
  @Test
  void aSlowReadMakesTheLeaseOfAnotherNoOlder() {
    stored.record = Optional.of(renewedAt(now()));
    stored.readingTakes = Duration.ofSeconds(20);
    assertThat(mayTake()).isFalse();
  }

  @Test
  void aLeaseThatIsGivenBackIsTakenAtOnce() {
    stored.record = Optional.of(new LeaderElectionRecord(null, LEASE, now(), now(), 0));
    assertThat(mayTake()).isTrue();
  }

  /** The time is taken before the record is read: for others the lease is over no sooner. */
  @Test
  void aSlowReadMakesTheOwnLeaseNoLonger() {
    var begun = steady;
    stored.record = Optional.of(renewedAt(now()));
    stored.readingTakes = Duration.ofSeconds(6);

    lock.get(client);
    lock.update(client, new LeaderElectionRecord("me", LEASE, now(), now(), 1));

    assertThat(lock.held.until()).isEqualTo(begun.plus(LEASE));
  }
}
