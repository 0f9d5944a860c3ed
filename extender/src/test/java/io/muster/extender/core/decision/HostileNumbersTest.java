package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Effect;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One pod of one user with numbers that the API takes and no sum of which fits. */
final class HostileNumbersTest extends ProtocolScenes {

  private static Pod graceful(PodBuilder pod, long seconds) {
    var built = pod.build();
    return new Pod(
        built.key(),
        built.demand(),
        built.progress(),
        built.origin(),
        built.membership(),
        built.later(),
        built.observed(),
        new Pod.Wishes(
            built.wishes().hints(), built.wishes().preempts(), Duration.ofSeconds(seconds)));
  }

  @ParameterizedTest
  @ValueSource(longs = {3_600, Long.MAX_VALUE})
  void aPodThatTakesForEverToEndHoldsUpNobodyElse(long grace) {
    nodes(FOUR);
    lead(false);
    var stubborn = aPod("stubborn").gpus(1).on("n0").phase(Pod.Phase.RUNNING);
    seen(graceful(stubborn, grace));
    seen(graceful(stubborn.deleting(), grace));
    members("big", 4, 4);
    after(400);

    var small =
        IntStream.range(0, 2).mapToObj(i -> member("small", i, 2).priority(1_000).build()).toList();
    small.forEach(this::seen);
    after(5);

    assertThat(small)
        .as("a gang that fits beside it, while another waits for the room that it keeps")
        .allMatch(pod -> ask(pod, FOUR) instanceof Answer.Accept);
  }

  @ParameterizedTest
  @ValueSource(longs = {3_600, Long.MAX_VALUE})
  void aVictimThatTakesForEverToEndIsEndedLikeAnyOther(long grace) {
    nodes("n0", "n1");
    lead(false);
    seen(graceful(aPod("stubborn").gpus(1).on("n0").phase(Pod.Phase.RUNNING), grace));
    seen(aPod("other").gpus(1).on("n1").priority(5).phase(Pod.Phase.RUNNING).build());
    ask(aPod("asks").gpus(1).build(), "n0");
    seen(member("high", 0, 1).priority(1_000).build());

    assertThat(after(200).stream().filter(Effect.Evict.class::isInstance))
        .extracting(effect -> ((Effect.Evict) effect).pod().name())
        .containsExactly("stubborn");
  }

  @Test
  void aPodThatStartedOutsideAllTimeHoldsUpNobodyElse() {
    nodes(FOUR);
    lead(false);
    for (var at : List.of(Instant.MIN, Instant.MAX)) {
      var pod = aPod("odd" + at).gpus(1).createdAt(at).running(Duration.ofSeconds(Long.MAX_VALUE));
      var started =
          new Pod.Progress(
              Pod.Phase.RUNNING,
              Optional.of("n0"),
              Optional.empty(),
              false,
              Set.of(),
              Optional.empty(),
              false,
              Optional.empty(),
              Optional.of(at),
              Optional.empty());
      seen(pod.build().at(started));
    }
    members("big", 4, 4);
    after(400);
    var small = List.of(member("small", 0, 1).priority(9).build());
    small.forEach(this::seen);
    assertThat(small).allMatch(pod -> ask(pod, FOUR) instanceof Answer.Accept);
  }

  @Test
  void productsAndSumsEndAtTheLargestNumber() {
    assertThat(Bounds.product(3, 4)).isEqualTo(12);
    assertThat(Bounds.product(Long.MAX_VALUE, 2)).isEqualTo(Long.MAX_VALUE);
    assertThat(Bounds.product(1L << 32, 1L << 31)).isEqualTo(Long.MAX_VALUE);
    assertThat(Bounds.product(Long.MAX_VALUE, 0)).isZero();
    assertThat(Bounds.sum(Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    assertThat(Bounds.sum(3, 4)).isEqualTo(7);
    assertThat(Bounds.within(Instant.MAX)).isEqualTo(Bounds.LATEST);
    assertThat(Bounds.within(Instant.MIN)).isEqualTo(Bounds.EARLIEST);
    assertThat(Bounds.within(Duration.ofSeconds(-1), Bounds.LONGEST_RUN)).isZero();
    assertThat(Duration.between(Bounds.EARLIEST, Bounds.LATEST).toNanos()).isPositive();
  }
}
