package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.TermsBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Pods that run, on which an administrator changes what gang they are of and what it needs. */
final class RenamedMembersTest {

  private ClusterSimulation cluster;

  private void run(long seconds) {
    run(Duration.ofSeconds(seconds));
  }

  private void run(Duration time) {
    cluster.runUntil(cluster.sinceStart().plus(time));
  }

  private void clusterOf(PlacementMode mode) {
    cluster = new ClusterSimulation(1, new Rules(mode, NodePinPolicy.NEVER, Waiting.DEFAULT));
    cluster.ownersReplace = true;
    for (int i = 0; i < 4; i++) {
      cluster.addNode(aNode("n" + i).gpus(1).build());
    }
  }

  private void aGangOfTwoRuns(PlacementMode mode) {
    clusterOf(mode);
    for (int i = 0; i < 2; i++) {
      cluster.create(member(i, "g", 2).createdAt(cluster.now()).build());
    }
    run(700);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
  }

  private static PodBuilder member(int index, String gang, int min) {
    return aPod("ml", "g-" + index).gpus(1).gang(gang, min);
  }

  private void renamed(Optional<Membership> membership) {
    for (var pod : List.copyOf(cluster.pods.values())) {
      cluster.store(
          new Pod(
              pod.key(),
              pod.shape(),
              pod.progress(),
              pod.origin(),
              membership,
              pod.later(),
              pod.observed(),
              pod.wishes()));
    }
  }

  private static Optional<Membership> of(String gang, int min) {
    return member(0, gang, min).build().membership();
  }

  private void anotherLeads() {
    cluster.changeLeaderAfter(Duration.ofSeconds(2));
    run(120);
  }

  private void bothStillRun() {
    assertThat(cluster.pods.keySet()).contains("uid-g-0", "uid-g-1");
    assertThat(cluster.pods.values())
        .filteredOn(pod -> Set.of("uid-g-0", "uid-g-1").contains(pod.key().uid()))
        .allMatch(pod -> pod.isBound() && !pod.progress().deleting());
  }

  @ParameterizedTest
  @EnumSource
  void thoseThatAreOfNoGangForAMomentAndThenOfALargerOneGoOn(PlacementMode mode) {
    aGangOfTwoRuns(mode);
    renamed(Optional.empty());
    run(30);
    renamed(of("g", 4));
    run(30);
    bothStillRun();
    anotherLeads();
    bothStillRun();
    anotherLeads();
    bothStillRun();
  }

  @ParameterizedTest
  @EnumSource
  void soDoThoseThatAreOfNoGangUntilItsObjectHasGone(PlacementMode mode) {
    aGangOfTwoRuns(mode);
    renamed(Optional.empty());
    run(1200);
    assertThat(cluster.records).isEmpty();
    renamed(of("g", 4));
    run(30);
    anotherLeads();
    bothStillRun();
  }

  @ParameterizedTest
  @EnumSource
  void soDoThoseThatAreOfAnotherGangFromThenOn(PlacementMode mode) {
    aGangOfTwoRuns(mode);
    renamed(of("other", 3));
    run(30);
    anotherLeads();
    bothStillRun();
    assertThat(cluster.report("other").phase()).isEqualTo(Phase.WAITING);
  }

  /** Until the record of the gang's burst is stored; nobody is bound by it yet. */
  private void untilTheRecordIsStored(String gang) {
    var limit = cluster.sinceStart().plusSeconds(60);
    while (cluster.records.values().stream()
            .filter(record -> record.gang().name().equals(gang))
            .noneMatch(record -> record.phase() == Phase.BINDING)
        && cluster.sinceStart().compareTo(limit) < 0) {
      cluster.runUntil(cluster.sinceStart().plusMillis(1));
    }
    assertThat(cluster.sinceStart()).isLessThan(limit);
  }

  private void nodesWithoutPodsGo() {
    cluster.nodes.keySet().stream()
        .filter(node ->
            cluster.pods.values().stream()
                .noneMatch(pod -> pod.progress().nodeName().equals(Optional.of(node))))
        .toList()
        .forEach(cluster::removeNode);
  }

  @ParameterizedTest
  @EnumSource
  void soDoThoseWhoseThirdLosesItsNodeWhileItIsBeingBound(PlacementMode mode) {
    aThirdIsBeingBound(mode, "g");
    nodesWithoutPodsGo();
    run(200);
    bothStillRun();
    anotherLeads();
    bothStillRun();
  }

  @ParameterizedTest
  @EnumSource
  void soDoThoseWhoseLeaderIsKilledThen(PlacementMode mode) {
    aThirdIsBeingBound(mode, "g");
    cluster.kill();
    nodesWithoutPodsGo();
    anotherLeads();
    run(200);
    bothStillRun();
    cluster.addNode(aNode("late").gpus(1).build());
    run(200);
    bothStillRun();
    assertThat(cluster.boundOf("g")).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource
  void soDoThoseThatAreOfAnotherGangWhenThatIsKilled(PlacementMode mode) {
    aThirdIsBeingBound(mode, "other");
    cluster.kill();
    nodesWithoutPodsGo();
    anotherLeads();
    run(200);
    bothStillRun();
    cluster.addNode(aNode("late").gpus(1).build());
    run(200);
    bothStillRun();
    assertThat(cluster.boundOf("other")).isEqualTo(3);
  }

  private void aThirdIsBeingBound(PlacementMode mode, String gang) {
    aGangOfTwoRuns(mode);
    othersAreBeingBound(gang, 1);
    assertThat(cluster.boundOf(gang)).isEqualTo(2);
  }

  private void othersAreBeingBound(String gang, int others) {
    renamed(Optional.empty());
    run(30);
    renamed(of(gang, 2 + others));
    run(5);
    for (int i = 2; i < 2 + others; i++) {
      cluster.create(member(i, gang, 2 + others).createdAt(cluster.now()).build());
    }
    untilTheRecordIsStored(gang);
  }

  /** Of a burst that is cut off only those end that it has bound. */
  @ParameterizedTest
  @EnumSource(names = {"EXTENDER", "AFFINITY"})
  void soDoThoseBesideWhomAnotherIsBoundAndCannotStay(PlacementMode mode) {
    aGangOfTwoRuns(mode);
    othersAreBeingBound("other", 2);
    while (cluster.boundOf("other") == 2) {
      run(Duration.ofMillis(1));
    }
    var bound = cluster.boundNames("other");
    assertThat(bound).hasSize(3);
    cluster.kill();
    nodesWithoutPodsGo();
    anotherLeads();
    run(200);
    bothStillRun();
    assertThat(cluster.boundOf("other")).isEqualTo(2);
    assertThat(cluster.pods.keySet()).doesNotContain("uid-" + bound.getLast());
    cluster.addNode(aNode("late").gpus(1).build());
    run(200);
    bothStillRun();
    assertThat(cluster.boundOf("other")).isEqualTo(4);
    assertThat(cluster.records.values())
        .filteredOn(record -> record.gang().name().equals("other"))
        .allMatch(record -> record.placement().size() == 4);
  }

  /** The same pods are left where a leader dies that was ending them: only the record tells. */
  @ParameterizedTest
  @EnumSource
  void thoseOfAGangThatStartsAgainEndThoughTheirLeaderDiedBeforeTheyHeardOfIt(PlacementMode mode) {
    clusterOf(mode);
    var terms = TermsBuilder.terms("g", 3).onLoss(Terms.OnLoss.RESTART).build();
    for (int i = 0; i < 3; i++) {
      cluster.create(
          aPod("ml", "g-" + i).gpus(1).gang("g", terms, "").createdAt(cluster.now()).build());
    }
    run(700);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    cluster.delete("uid-g-0");
    run(2);
    cluster.longestPodWriteMillis = 600_000;
    while (cluster.evictions.isEmpty() || cluster.records.values().iterator().next().satisfied()) {
      cluster.runUntil(cluster.sinceStart().plusMillis(1));
    }
    assertThat(cluster.pods.keySet()).contains("uid-g-1", "uid-g-2");
    cluster.kill();
    cluster.longestPodWriteMillis = 30;
    anotherLeads();
    assertThat(cluster.pods.keySet()).doesNotContain("uid-g-1", "uid-g-2");
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    assertThat(cluster.records.values()).noneMatch(GangRecord::ending);
  }
}
