package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A launcher that the owner makes once the workers run, for which there has to be room too. */
final class DeferredPodsTest {

  private ClusterSimulation cluster = new ClusterSimulation(1, Rules.extender(NodePinPolicy.NEVER));

  /** Two workers fill a node each, so that the launcher needs a third. */
  private PodBuilder worker(int index) {
    return aPod("g-" + index)
        .gpus(1)
        .cpuMillis(30_000)
        .gang("g", 2)
        .beforeOne(launcher().build())
        .createdAt(cluster.now());
  }

  private PodBuilder launcher() {
    return aPod("g-launcher").cpuMillis(20_000).gang("g", 2).createdAt(cluster.now());
  }

  /** It fits only where the launcher does. */
  private void anotherComes() {
    cluster.create(aPod("another").gpus(1).cpuMillis(20_000).createdAt(cluster.now()).build());
  }

  private void workersCome() {
    cluster.create(worker(0).build());
    cluster.create(worker(1).build());
  }

  private void nodes(int count) {
    for (int i = 0; i < count; i++) {
      cluster.addNode(aNode("n" + i).gpus(1).build());
    }
    run(1);
  }

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  private boolean runs(String pod) {
    return cluster.pods.get("uid-" + pod).isBound();
  }

  private String nodeOf(String pod) {
    return cluster.pods.get("uid-" + pod).progress().nodeName().orElseThrow();
  }

  private void settled() {
    assertThat(cluster.faults).isEmpty();
  }

  private void started(int nodes, NodePinPolicy pins) {
    cluster = new ClusterSimulation(1, Rules.extender(pins));
    nodes(nodes);
    workersCome();
    run(8);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"NEVER", "ALWAYS"})
  void itsRoomIsKeptFromOthersUntilItComes(NodePinPolicy pins) {
    started(3, pins);
    anotherComes();
    run(20);
    assertThat(runs("another")).isFalse();
    assertThat(cluster.report("g").message())
        .isEqualTo(
            "2 of at least 2 members bound; room is kept for the pod that comes later (cpu 20)");

    cluster.create(launcher().build());
    run(15);
    assertThat(runs("g-launcher")).isTrue();
    assertThat(runs("another")).isFalse();
    assertThat(cluster.report("g").message()).isEqualTo("2 of at least 2 members bound");
    settled();
  }

  @Test
  void itsRoomIsFreeAgainWhenItDoesNotComeInTime() {
    started(3, NodePinPolicy.NEVER);
    anotherComes();
    run(45);
    assertThat(runs("another")).isFalse();
    run(25);
    assertThat(runs("another")).isTrue();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    settled();
  }

  @ParameterizedTest
  @ValueSource(strings = {"NEVER", "ALWAYS"})
  void withoutRoomForItTheGangWaitsAndSaysSo(NodePinPolicy pins) {
    cluster = new ClusterSimulation(1, Rules.extender(pins));
    nodes(2);
    workersCome();
    run(15);
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.TOO_LARGE);
    assertThat(cluster.report("g").message())
        .isEqualTo(
            "no room for the pod that comes later (cpu 20) beside 2 members: 0/2 nodes are"
                + " available: 2 Insufficient cpu; even empty, the 2 nodes that will do would hold 2 of the 3 members");
    assertThat(cluster.explained)
        .anySatisfy(told ->
            assertThat(told.toString())
                .contains(
                    "Gang \"ml/g\" gets rejected due to no room for the pod that comes later (cpu"
                        + " 20) with reason \"0/2 nodes are available: 2 Insufficient cpu.\""));

    cluster.addNode(aNode("late").gpus(1).build());
    run(15);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    settled();
  }

  @ParameterizedTest
  @ValueSource(strings = {"NEVER", "ALWAYS"})
  void onePodIsPlannedForOnceThoughItIsThereAlready(NodePinPolicy pins) {
    cluster = new ClusterSimulation(1, Rules.extender(pins));
    nodes(3);
    cluster.create(worker(0).build());
    cluster.create(launcher().build());
    run(20);
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.report("g").message()).isEqualTo("1 of 2 members exist");

    cluster.create(worker(1).build());
    run(20);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    settled();
  }

  @Test
  void itStartsAfterItsGangThoughItIsThereAtOnceAndThereIsRoom() {
    for (int seed = 0; seed < 20; seed++) {
      cluster = new ClusterSimulation(seed, Rules.extender(NodePinPolicy.NEVER));
      nodes(4);
      List.of(worker(0), worker(1)).forEach(pod -> cluster.createUnseen(pod.build()));
      cluster.runUntil(cluster.sinceStart().plusMillis(6));
      cluster.createUnseen(launcher().build());
      for (int millis = 0; millis < 6_000; millis++) {
        cluster.runUntil(cluster.sinceStart().plusMillis(1));
        assertThat(!runs("g-launcher") || (runs("g-0") && runs("g-1"))).isTrue();
      }
      run(20);
      assertThat(cluster.boundOf("g")).isEqualTo(3);
      settled();
    }
  }

  @Test
  void itIsReleasedToTheRoomThatIsKeptForIt() {
    started(3, NodePinPolicy.ALWAYS);
    cluster.create(launcher().build());
    run(3);
    var pin = cluster.pods.get("uid-g-launcher").origin().pinning().pin().orElseThrow();
    assertThat(pin.nodes().getFirst()).isNotIn(nodeOf("g-0"), nodeOf("g-1"));
    assertThat(runs("g-launcher")).isTrue();
  }

  @Test
  void itIsGatedWhileItsGangWaits() {
    nodes(2);
    workersCome();
    run(5);
    cluster.create(launcher().build());
    run(5);
    assertThat(cluster.pods.get("uid-g-launcher").isGatedByMuster()).isTrue();
  }

  @Test
  void itsRoomMayBeLostWhenMusterIsKilledBeforeItComes() {
    started(3, NodePinPolicy.NEVER);
    cluster.kill();
    run(1);
    cluster.startMuster();
    anotherComes();
    run(10);
    assertThat(runs("another")).isTrue();
    cluster.create(launcher().build());
    run(10);
    assertThat(runs("g-launcher")).isFalse();

    cluster.complete("uid-another");
    run(15);
    assertThat(runs("g-launcher")).isTrue();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    settled();
  }

  @Test
  void itRunsWhenMusterIsKilledAtAnyMomentBeforeItComes() {
    for (int millis = 0; millis < 6_000; millis += 250) {
      cluster = new ClusterSimulation(1 + millis, Rules.extender(NodePinPolicy.NEVER));
      nodes(3);
      workersCome();
      cluster.runUntil(cluster.sinceStart().plusMillis(millis));
      cluster.kill();
      run(1);
      cluster.startMuster();
      run(45);
      cluster.create(launcher().build());
      run(20);
      assertThat(cluster.boundOf("g")).as("killed after %d ms", millis).isEqualTo(3);
      settled();
    }
  }

  @Test
  void itsRoomMovesWhenItsNodeIsLost() {
    started(3, NodePinPolicy.NEVER);
    var kept = cluster.nodes.keySet().stream().filter(this::isIdle).findFirst().orElseThrow();
    cluster.removeNode(kept);
    run(5);
    cluster.addNode(aNode("other").gpus(1).build());
    run(1);
    anotherComes();
    run(10);
    assertThat(runs("another")).isFalse();
    cluster.create(launcher().build());
    run(10);
    assertThat(nodeOf("g-launcher")).isEqualTo("other");
    settled();
  }

  private boolean isIdle(String node) {
    return !node.equals(nodeOf("g-0")) && !node.equals(nodeOf("g-1"));
  }

  @Test
  void nothingIsKeptForAGangThatIsDeleted() {
    started(3, NodePinPolicy.NEVER);
    cluster.delete("uid-g-0");
    cluster.delete("uid-g-1");
    run(5);
    for (var name : List.of("a", "b", "c")) {
      cluster.create(aPod(name).gpus(1).cpuMillis(20_000).createdAt(cluster.now()).build());
    }
    run(10);
    assertThat(runs("a") && runs("b") && runs("c")).isTrue();
    settled();
  }

  @Test
  void nothingIsKeptForAGangWhoseNamespaceStepsIntoTheShadow() {
    started(3, NodePinPolicy.NEVER);
    cluster.enrol("ml", Enrolment.SHADOW);
    run(2);
    cluster.create(
        aPod("other", "another").gpus(1).cpuMillis(20_000).createdAt(cluster.now()).build());
    run(10);
    assertThat(runs("another")).isTrue();
    settled();
  }

  @Test
  void whatItAsksForItselfCountsOnceItIsThere() {
    nodes(2);
    cluster.addNode(aNode("small").gpus(1).cpuMillis(22_000).build());
    cluster.create(worker(0).build());
    cluster.create(launcher().cpuMillis(25_000).build());
    run(20);
    cluster.create(worker(1).build());
    run(15);
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.report("g").message())
        .startsWith("no room for the pod that comes later (cpu 25)");
    settled();
  }

  @Test
  void aReplacementDoesNotTakeItsRoom() {
    started(3, NodePinPolicy.NEVER);
    cluster.delete("uid-g-1");
    run(5);
    cluster.create(launcher().build());
    run(10);
    assertThat(runs("g-launcher")).isTrue();
    assertThat(cluster.report("g").message())
        .isEqualTo("1 member left, fewer than 2; 1 place is kept for a replacement");
    cluster.create(worker(1).uid("again").build());
    run(10);
    assertThat(cluster.pods.get("again").isBound()).isTrue();
    settled();
  }

  @Test
  void itDoesNotTakeTheRoomOfAReplacement() {
    started(3, NodePinPolicy.NEVER);
    run(70);
    anotherComes();
    run(5);
    assertThat(runs("another")).as("its time is over").isTrue();
    cluster.delete("uid-g-1");
    run(5);
    cluster.create(launcher().build());
    run(15);
    assertThat(runs("g-launcher")).isFalse();
    cluster.create(worker(1).uid("again").build());
    run(10);
    assertThat(cluster.pods.get("again").isBound()).isTrue();
    settled();
  }

  @Test
  void anOrdinaryMemberIsToldFromItThoughBothAskForTheSame() {
    cluster = new ClusterSimulation(1, Rules.extender(NodePinPolicy.NEVER));
    nodes(3);
    for (int i = 0; i < 2; i++) {
      cluster.create(
          aPod("g-" + i)
              .gpus(1)
              .gang("g", 2)
              .beforeOne(aPod("g-launcher").gpus(1).build())
              .createdAt(cluster.now())
              .build());
    }
    run(8);
    cluster.create(aPod("another").gpus(1).createdAt(cluster.now()).build());
    run(8);
    assertThat(runs("another")).isFalse();
    cluster.create(aPod("g-launcher").gpus(1).gang("g", 2).createdAt(cluster.now()).build());
    run(10);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    settled();
  }

  @Test
  void itNeedNotBeCloseToTheMembers() {
    for (int i = 0; i < 3; i++) {
      cluster.addNode(aNode("n" + i).gpus(1).label("rack", i < 2 ? "a" : "b").build());
    }
    run(1);
    var close = terms("g", 2).topology(Topology.requiring("rack")).build();
    cluster.create(worker(0).gang("g", close, "").build());
    cluster.create(worker(1).gang("g", close, "").build());
    run(8);
    cluster.removeNode("n2");
    cluster.addNode(aNode("n3").gpus(1).label("rack", "c").build());
    run(2);
    anotherComes();
    run(10);
    assertThat(runs("another")).isFalse();
    cluster.create(launcher().gang("g", close, "").build());
    run(10);
    assertThat(nodeOf("g-launcher")).isEqualTo("n3");
    settled();
  }

  @Test
  void whereKubeSchedulerDoesNotAskTheGangIsPlannedWithItAllTheSame() {
    cluster = new ClusterSimulation(1, Rules.affinity());
    nodes(2);
    workersCome();
    run(10);
    assertThat(cluster.pods.values()).allMatch(Pod::isGatedByMuster);
    cluster.addNode(aNode("late").gpus(1).build());
    run(10);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    cluster.create(launcher().build());
    run(10);
    assertThat(nodeOf("g-launcher")).isNotIn(nodeOf("g-0"), nodeOf("g-1"));
    assertThat(cluster.report("g").message()).isEqualTo("2 of at least 2 members bound");
    settled();
  }
}
