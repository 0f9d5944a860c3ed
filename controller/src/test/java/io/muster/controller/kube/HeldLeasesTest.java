package io.muster.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** Whether another controller is there, by its lease. */
final class HeldLeasesTest {

  private static final Instant BEGUN = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);

  private Instant wall = BEGUN;
  private Instant steady = BEGUN;
  private final HeldLeases.Renewals renewals = new HeldLeases.Renewals(() -> wall, () -> steady);

  private static LeaseBuilder lease() {
    return new LeaseBuilder().withNewMetadata().withName("l").withNamespace("n").endMetadata();
  }

  private static Lease lease(String holder, Instant renewed) {
    return lease()
        .withNewSpec()
        .withHolderIdentity(holder)
        .withLeaseDurationSeconds(15)
        .withRenewTime(renewed.atZone(ZoneOffset.UTC))
        .endSpec()
        .build();
  }

  private void passes(long seconds) {
    wall = wall.plusSeconds(seconds);
    steady = steady.plusSeconds(seconds);
  }

  @Test
  void itIsHeldUntilItsHolderIsLate() {
    var lease = lease("manager-0", BEGUN);
    assertThat(renewals.isHeld(lease)).isTrue();
    passes(29);
    assertThat(renewals.isHeld(lease)).isTrue();
    passes(1);
    assertThat(renewals.isHeld(lease)).isFalse();
    assertThat(renewals.changes(lease("manager-0", BEGUN.plusSeconds(30)))).isTrue();
    assertThat(renewals.changes(lease("manager-0", BEGUN.plusSeconds(32)))).isFalse();
  }

  @Test
  void oneThatWasGivenBackOrNeverTakenIsNotHeld() {
    assertThat(renewals.isHeld(lease("", BEGUN))).isFalse();
    assertThat(renewals.isHeld(lease().build())).isFalse();
    assertThat(renewals.isHeld(lease().withNewSpec().endSpec().build())).isFalse();
  }

  @Test
  void oneThatWasLeftLongAgoIsNotHeld() {
    assertThat(renewals.isHeld(lease("manager-0", BEGUN.minus(HOUR)))).isFalse();
  }

  @Test
  void oneThatIsRenewedIsHeldWhenThisClockIsSetForward() {
    assertThat(renewals.isHeld(lease("manager-0", BEGUN))).isTrue();
    wall = wall.plus(HOUR);
    passes(2);

    assertThat(renewals.isHeld(lease("manager-0", BEGUN))).isTrue();
    passes(40);
    assertThat(renewals.isHeld(lease("manager-0", BEGUN.plusSeconds(42)))).isTrue();
  }

  @Test
  void oneThatIsRenewedNoLongerIsNotHeldWhenThisClockIsSetBack() {
    assertThat(renewals.isHeld(lease("manager-0", BEGUN))).isTrue();
    wall = wall.minus(HOUR);
    passes(31);

    assertThat(renewals.isHeld(lease("manager-0", BEGUN))).isFalse();
  }

  @Test
  void oneOfAMachineWhoseClockIsBehindIsHeldOnceItIsSeenToBeRenewed() {
    assertThat(renewals.isHeld(lease("manager-0", BEGUN.minus(HOUR)))).isFalse();
    passes(2);

    assertThat(renewals.isHeld(lease("manager-0", BEGUN.minus(HOUR).plusSeconds(2)))).isTrue();
  }
}
