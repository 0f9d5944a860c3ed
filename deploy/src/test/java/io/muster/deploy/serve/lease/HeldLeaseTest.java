package io.muster.deploy.serve.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Clocks that are set, and machines that sleep. */
final class HeldLeaseTest {

  private static final Duration LEASE = Duration.ofSeconds(15);

  private Instant wall = Instant.parse("2026-01-01T12:00:00Z");
  private long nanos = -7;
  private final SteadyClock steady = new SteadyClock(() -> wall, () -> nanos);
  private final HeldLease lease = new HeldLease(new Clocks(steady, () -> wall), LEASE);

  private void passes(long seconds) {
    nanos += seconds * 1_000_000_000L;
    wall = wall.plusSeconds(seconds);
  }

  private boolean isHeld() {
    return steady.instant().isBefore(lease.until());
  }

  @Test
  void itIsHeldAsLongAsItLastsFromTheMomentBeforeItsWriteWasSent() {
    assertThat(isHeld()).isFalse();
    var sent = lease.now();
    passes(4);
    lease.renewed(sent);
    passes(10);
    assertThat(isHeld()).isTrue();
    passes(1);
    assertThat(isHeld()).isFalse();
  }

  @Test
  void aClockThatIsSetBackDoesNotMakeItLonger() {
    lease.renewed(lease.now());
    passes(14);
    wall = wall.minusSeconds(30);
    assertThat(isHeld()).isTrue();
    passes(2);
    assertThat(isHeld()).as("16 s by any stopwatch").isFalse();
  }

  @Test
  void aMachineThatSleepsDoesNotKeepIt() {
    lease.renewed(lease.now());
    wall = wall.plusSeconds(3_600);
    assertThat(isHeld()).as("an hour later, and the stopwatch stood still").isFalse();
    lease.renewed(lease.now());
    assertThat(isHeld()).as("renewed").isTrue();
  }

  @Test
  void whatIsLostIsNotHeld() {
    lease.renewed(lease.now());
    lease.lost();
    assertThat(lease.until()).isEqualTo(Instant.MIN);
  }

  @Test
  void steadyTimeGoesOnByTheStopwatchAloneHoweverTheClockIsSet() {
    var before = steady.instant();
    assertThat(before).isEqualTo(wall);
    wall = wall.minusSeconds(3_600);
    assertThat(steady.instant()).isEqualTo(before);
    nanos += Duration.ofMinutes(10).toNanos();
    assertThat(steady.instant()).as("ten minutes later").isEqualTo(before.plusSeconds(600));
    wall = wall.plusSeconds(7_200);
    assertThat(steady.instant()).isEqualTo(before.plusSeconds(600));
  }
}
