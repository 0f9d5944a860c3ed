package io.muster.deploy.serve.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Versions that go back say that etcd was restored. */
final class RestoredLeaseTest {

  private final AtomicInteger restored = new AtomicInteger();
  private final RestoredLease lock =
      new RestoredLease(
          new Leadership.Terms("muster-system", "me", Duration.ofSeconds(15)),
          restored::incrementAndGet);

  @Test
  void anEarlierVersionThanBeforeIsToldOnce() {
    lock.toRecord(lease("780"));
    lock.toRecord(lease("781"));
    lock.toRecord(lease("781"));
    assertThat(restored).hasValue(0);

    lock.toRecord(lease("640"));
    lock.toRecord(lease("641"));

    assertThat(restored).hasValue(1);
  }

  @Test
  void aVersionThatIsNoNumberSaysNothing() {
    lock.toRecord(lease("780"));

    assertThat(lock.toRecord(lease("z")).getHolderIdentity()).isEqualTo("me");

    assertThat(restored).hasValue(0);
  }

  private static Lease lease(String version) {
    return new LeaseBuilder()
        .withNewMetadata()
        .withName("muster")
        .withResourceVersion(version)
        .endMetadata()
        .withNewSpec()
        .withHolderIdentity("me")
        .withLeaseDurationSeconds(15)
        .withAcquireTime(ZonedDateTime.parse("2026-01-01T12:00:00Z"))
        .withRenewTime(ZonedDateTime.parse("2026-01-01T12:00:00Z"))
        .withLeaseTransitions(0)
        .endSpec()
        .build();
  }
}
