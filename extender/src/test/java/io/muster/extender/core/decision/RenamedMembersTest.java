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
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
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
