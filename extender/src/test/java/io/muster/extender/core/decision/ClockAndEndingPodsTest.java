package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The time of day was set since the process began; the API server says when pods end by it. */
final class ClockAndEndingPodsTest extends ProtocolScenes {

  private static Pod single(String name, String node) {
    return aPod(name).gpus(1).on(node).phase(Pod.Phase.RUNNING).build();
  }

  /**
   * @param minutes by which the time that decisions go by is ahead of the time of day
   */
  @ParameterizedTest
  @ValueSource(longs = {0, 60, -60})
  void nobodyEndsWhereWhatEndsAlreadyIsEnough(long minutes) {
    var ahead = Duration.ofMinutes(minutes);
    now = Instant.EPOCH.plus(Duration.ofDays(1));
    nodes("n0", "n1");
    on(new Event.ClockSet(ahead));
    lead(false);
    ask(aPod("any").gpus(1).build(), "n0", "n1");
    on(new Event.PodGone(aPod("any").build().key()));
    seen(single("stays", "n1"));
    var ends = single("ends", "n0");
    seen(ends);
    after(3600);
    var endsAt = now.minus(ahead).plusSeconds(120);
    seen(
        ends.at(
            new Pod.Progress(Pod.Phase.RUNNING, Optional.of("n0"), Optional.empty(), true, Set.of())
                .endingBy(endsAt)));
    seen(aPod("g-0").gpus(1).gang("g", 1).priority(10).createdAt(now.minus(ahead)).build());
    assertThat(after(60)).noneMatch(Effect.Evict.class::isInstance);
  }
}
