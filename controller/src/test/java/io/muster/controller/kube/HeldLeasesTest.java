package io.muster.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** Whether another controller is there, by its lease. */
final class HeldLeasesTest {

  private static final Instant RENEWED = Instant.parse("2026-01-01T00:00:00Z");

  private static Lease lease(String holder) {
    return new LeaseBuilder()
        .withNewSpec()
        .withHolderIdentity(holder)
        .withLeaseDurationSeconds(15)
        .withRenewTime(RENEWED.atZone(ZoneOffset.UTC))
        .endSpec()
        .build();
  }

  @Test
  void itIsHeldUntilItsHolderIsLate() {
    assertThat(HeldLeases.isHeld(lease("manager-0"), RENEWED.plusSeconds(2))).isTrue();
    assertThat(HeldLeases.isHeld(lease("manager-0"), RENEWED.plusSeconds(29))).isTrue();
    assertThat(HeldLeases.isHeld(lease("manager-0"), RENEWED.plusSeconds(30))).isFalse();
  }

  @Test
  void oneThatWasGivenBackOrNeverTakenIsNotHeld() {
    assertThat(HeldLeases.isHeld(lease(""), RENEWED)).isFalse();
    assertThat(HeldLeases.isHeld(new Lease(), RENEWED)).isFalse();
    assertThat(HeldLeases.isHeld(new LeaseBuilder().withNewSpec().endSpec().build(), RENEWED))
        .isFalse();
  }
}
