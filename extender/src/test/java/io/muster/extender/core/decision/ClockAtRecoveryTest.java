package io.muster.extender.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A process waits to lead for long, and the time of day is set meanwhile. */
final class ClockAtRecoveryTest extends ProtocolScenes {

  private static final Duration FAR = Duration.ofHours(1);

  /** A member that Muster bound so long ago, by the time of day. */
  private Pod ranFor(int index, String node, Duration time, Duration ahead) {
    var pod = member("g", index, 3).build().runningOn(node, now.minus(ahead).minus(time));
    return PodBuilder.bound(pod, pod.progress(), Optional.of("1"));
  }

  private void leadsWithAClockAheadBy(Duration ahead) {
    on(new Event.ClockSet(ahead));
    lead(true);
  }

  /** Nothing is stored of it, as its Gang object was deleted in the middle of its Bindings. */
  @Test
  void halfAGangThatStartedAMomentAgoIsNoStartedGangThoughTheClockIsFarAhead() {
    now = Instant.EPOCH.plus(FAR.multipliedBy(3));
    nodes(FOUR);
    seen(ranFor(0, "n0", Duration.ofSeconds(2), FAR));
    seen(member("g", 1, 3).createdAt(now.minus(FAR)).gated().build());
    seen(member("g", 2, 3).createdAt(now.minus(FAR)).gated().build());
    leadsWithAClockAheadBy(FAR);
    after(2);
    var gang = muster.cluster().gangs().all().iterator().next();
    assertThat(gang.satisfied()).as("one of three").isFalse();
  }

  @Test
  void aGangThatHasRunForLongIsNotEndedThoughTheClockIsFarBehind() {
    var behind = FAR.negated();
    now = Instant.EPOCH.plus(FAR.multipliedBy(3));
    nodes("n0", "n1");
    seen(ranFor(0, "n0", Duration.ofMinutes(50), behind));
    seen(ranFor(1, "n1", Duration.ofMinutes(50), behind));
    leadsWithAClockAheadBy(behind);
    for (int i = 0; i < 120; i++) {
      var effects = after(1);
      assertThat(effects).noneMatch(Effect.Evict.class::isInstance);
      for (var effect : effects) {
        if (effect instanceof Effect.WriteRecord(var record, var _)) {
          on(new Event.RecordWritten(record.gang(), record.epoch(), true));
        }
      }
    }
  }

  /** Orders by what was given, and who is left alone as just started, go by it. */
  @Test
  void whatStartedAMomentAgoHasNotRunForLongThoughTheClockIsFarAhead() {
    now = Instant.EPOCH.plus(FAR.multipliedBy(3));
    nodes(FOUR);
    leadsWithAClockAheadBy(FAR);
    seen(ranFor(0, "n0", Duration.ofSeconds(1), FAR));
    var gang = muster.cluster().gangs().all().iterator().next();
    assertThat(gang.entry.startedAt().orElseThrow()).isAfter(now.minusSeconds(10));
  }
}
