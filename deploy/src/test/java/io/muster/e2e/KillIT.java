package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.faults.KillRun;
import io.muster.faults.KillSpot;
import io.muster.faults.ProxiedMuster;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One kill at each point; {@code deploy/verify kill} does many. */
@ExtendWith(SandboxExtension.class)
@Order(1)
final class KillIT {

  private static final InstantSource CLOCK = InstantSource.system();
  private static final long SEED = 7;

  private static ProxiedMuster muster;
  private static GangWatch watch;

  @BeforeAll
  static void putProxiesAroundMuster(Sandbox sandbox) {
    muster = ProxiedMuster.in(sandbox, CLOCK);
    watch = new GangWatch(sandbox.client(), CLOCK);
  }

  @AfterAll
  static void takeThemAway() {
    watch.close();
    muster.close();
  }

  @ParameterizedTest
  @EnumSource
  void everyGangIsWholeOrWaitsWholeAfterAKill(KillSpot spot) {
    var outcome = KillRun.of(muster, watch, CLOCK, spot, SEED);

    assertThat(outcome.faults()).as(outcome.toString()).isEmpty();
  }
}
