package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.faults.Outage;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What becomes of other pods while Muster is away. Here it freezes for 20 seconds; {@code
 * deploy/verify outage} takes 60.
 */
@ExtendWith(SandboxExtension.class)
final class OutageIT {

  private static final Duration FROZEN = Duration.ofSeconds(20);
  private static final Duration DEAD = Duration.ofSeconds(6);

  private static final Duration AS_EVER = Duration.ofSeconds(5);
  private static final Duration SOON = Duration.ofSeconds(60);

  @Test
  void ordinaryPodsGoOnAtOnceWhenAFrozenMusterDoes(Sandbox sandbox, TestSpace space) {
    var outcome =
        new Outage(space, sandbox.muster().orElseThrow(), InstantSource.system()).frozenFor(FROZEN);

    report("frozen for " + FROZEN, outcome);
    // kube-scheduler asks about one pod after the other and waits for each answer.
    assertThat(outcome.longestWait()).isLessThan(outcome.away().plus(AS_EVER));
    assertThat(outcome.gangPodAdmitted()).isFalse();
    assertThat(outcome.whole()).isLessThan(SOON);
  }

  @Test
  void ordinaryPodsAreScheduledAsEverWhileMusterIsDead(Sandbox sandbox, TestSpace space) {
    var outcome =
        new Outage(space, sandbox.muster().orElseThrow(), InstantSource.system()).deadFor(DEAD);

    report("dead for " + DEAD, outcome);
    assertThat(outcome.longestWait()).isLessThan(AS_EVER);
    assertThat(outcome.gangPodAdmitted()).isFalse();
    assertThat(outcome.whole()).isLessThan(SOON);
  }

  private static void report(String what, Outage.Outcome outcome) {
    System.out.println("Muster " + what + ": " + outcome);
  }
}
