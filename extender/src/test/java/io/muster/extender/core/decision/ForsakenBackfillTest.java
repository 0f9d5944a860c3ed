package io.muster.extender.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.NodeBuilder;
import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nothing is kept for a gang that could not use it: its queue, or the nodes, do not let it. */
final class ForsakenBackfillTest extends QueuedGangScenes {

  private static final Waiting WAITING =
      new Waiting(
          Duration.ofSeconds(60),
          Duration.ofHours(4),
          Duration.ofHours(12),
          Duration.ofDays(1),
          Duration.ofMinutes(10),
          true);

  ForsakenBackfillTest() {
    super(waiting(WAITING));
  }

  @Override
  NodeBuilder node(int index) {
    return super.node(index).label("set", "gpu");
  }

  private void isLimitedTo(long devices) {
    configure(queue("small", Optional.empty(), Optional.of(devices), "team"));
  }

  /** All of so many nodes are taken one by one, and what comes free is kept for two of them. */
  private void twoAreKeptOf(int count) {
    nodes(count);
    isLimitedTo(16);
    for (int i = 0; i < count; i++) {
      gang("others", "running-" + i, 1, pod -> pod);
      after(5);
    }
    gang("team", "big", 2, pod -> pod.selecting("set", "gpu"));
    after(100);
    assertThat(cluster.report("big").message()).contains("kept for it: 0 of 16 devices");
  }

  @Test
  void whatIsKeptForAGangIsGivenOutWhenItsQueueForbidsItToStart() {
    twoAreKeptOf(2);
    gang("others", "small", 1, pod -> pod.priority(-1));
    cluster.complete("uid-running-0-0");
    after(10);
    assertThat(cluster.boundOf("small")).as("it comes later").isZero();
    isLimitedTo(8);
    after(30);
    assertThat(cluster.boundOf("small")).as("the limit may be raised again").isZero();

    after(60);

    assertThat(cluster.boundOf("small")).isEqualTo(1);
    assertThat(cluster.report("big").reason().code()).isEqualTo("Quota");
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void whatIsKeptStaysWhileItsQueueForbidsItForAMoment() {
    twoAreKeptOf(2);
    gang("others", "small", 1, pod -> pod.priority(-1));
    cluster.complete("uid-running-0-0");
    for (int i = 0; i < 5; i++) {
      isLimitedTo(8);
      after(30);
      isLimitedTo(16);
      after(15);
    }
    assertThat(cluster.report("big").message()).contains("kept for it: 8 of 16 devices");

    cluster.complete("uid-running-1-0");
    after(30);

    assertThat(cluster.boundOf("big")).isEqualTo(2);
    assertThat(cluster.boundOf("small")).isZero();
    assertThat(cluster.faults).isEmpty();
  }

  private static Stream<UnaryOperator<NodeBuilder>> changes() {
    return Stream.of(
        node -> node.taint("team", "b", Taint.Effect.NO_SCHEDULE),
        node -> node.label("set", "cpu"));
  }

  private List<String> kept() {
    return cluster.muster().cluster().backfillHolds().gangs().stream()
        .flatMap(gang -> gang.entry.backfill().orElseThrow().wanted.keySet().stream())
        .sorted()
        .toList();
  }

  private void endsOn(String node) {
    cluster.pods.values().stream()
        .filter(pod -> pod.progress().nodeName().equals(Optional.of(node)))
        .map(pod -> pod.key().uid())
        .toList()
        .forEach(cluster::complete);
  }

  @ParameterizedTest
  @MethodSource("changes")
  void whatIsKeptMovesWhenANodeNoLongerTakesTheGang(UnaryOperator<NodeBuilder> change) {
    twoAreKeptOf(3);
    var before = kept();
    assertThat(before).hasSize(2);
    var left = before.getFirst();

    cluster.addNode(change.apply(node(left.charAt(1) - '0')).build());
    after(10);

    hasMovedFrom(left);
  }

  private void hasMovedFrom(String left) {
    assertThat(kept()).hasSize(2).doesNotContain(left);
    gang("others", "small", 1, pod -> pod.priority(-1));
    var now = kept();
    now.forEach(node -> {
      endsOn(node);
      after(20);
    });
    assertThat(cluster.boundOf("big")).isEqualTo(2);
    assertThat(cluster.boundOf("small")).isZero();
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void whatIsKeptMovesWhenANodeHasFewerDevicesForGood() {
    twoAreKeptOf(3);
    var left = kept().getFirst();

    cluster.addNode(node(left.charAt(1) - '0').gpus(4).build());
    after(20);
    assertThat(kept()).as("they may come back").contains(left);
    after(30);

    hasMovedFrom(left);
  }

  /** A claim outlives its pod by moments, and a device plugin that starts again offers none. */
  @Test
  void whatIsKeptStaysWhileANodeLacksDevicesForAMoment() {
    twoAreKeptOf(2);
    gang("others", "small", 1, pod -> pod.priority(-1));
    for (var kept : kept()) {
      int index = kept.charAt(1) - '0';
      cluster.addNode(node(index).gpus(0).build());
      endsOn(kept);
      after(2);
      cluster.addNode(node(index).build());
      after(20);
    }

    assertThat(cluster.boundOf("big")).isEqualTo(2);
    assertThat(cluster.boundOf("small")).isZero();
    assertThat(cluster.faults).isEmpty();
  }
}
