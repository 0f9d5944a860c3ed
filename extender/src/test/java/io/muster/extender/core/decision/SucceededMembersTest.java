package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms.MatchPolicy;
import io.muster.extender.core.gang.Terms.OnLoss;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** For which life of their gang members count that have succeeded, whoever leads. */
final class SucceededMembersTest extends GangScenes {

  private static PodBuilder member(int index, OnLoss onLoss, MatchPolicy policy) {
    return aPod("g-" + index)
        .gpus(1)
        .gang("g", terms("g", 3).onLoss(onLoss).counting(policy).build(), "")
        .ownedBy("job");
  }

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  private void oneHasSucceededAndOneIsLost(OnLoss onLoss, MatchPolicy policy) {
    cluster.ownersReplace = true;
    for (int i = 0; i < 4; i++) {
      cluster.addNode(aNode("n" + i).gpus(1).build());
    }
    for (int i = 0; i < 3; i++) {
      cluster.create(member(i, onLoss, policy).createdAt(cluster.now()).build());
    }
    run(10);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    cluster.complete("uid-g-0");
    run(2);
    cluster.delete("uid-g-1");
  }

  private long running() {
    return cluster.pods.values().stream().filter(pod -> pod.isBound() && !pod.isTerminal()).count();
  }

  /** A Job makes no index anew that has succeeded: the others would wait for it for ever. */
  @ParameterizedTest
  @CsvSource({
    "RESTART, ONCE_SATISFIED",
    "RESTART, WAITING_AND_RUNNING",
    "RESTART, ONLY_WAITING",
    "SHRINK, ONCE_SATISFIED",
    "REPLACE, ONCE_SATISFIED",
    "REPLACE, WAITING_AND_RUNNING"
  })
  void theOthersOfItsJobDoNotWaitForWhoHasSucceeded(OnLoss onLoss, MatchPolicy policy) {
    oneHasSucceededAndOneIsLost(onLoss, policy);
    run(120);
    assertThat(running()).as(cluster.report("g").message()).isEqualTo(2);
  }

  /** The same, as another process leads. */
  @ParameterizedTest
  @CsvSource({
    "RESTART, ONCE_SATISFIED",
    "RESTART, WAITING_AND_RUNNING",
    "RESTART, ONLY_WAITING",
    "SHRINK, ONCE_SATISFIED",
    "REPLACE, ONCE_SATISFIED",
    "REPLACE, WAITING_AND_RUNNING",
    "REPLACE, ONLY_WAITING"
  })
  void anotherLeaderChangesNothing(OnLoss onLoss, MatchPolicy policy) {
    oneHasSucceededAndOneIsLost(onLoss, policy);
    run(120);
    long before = running();
    cluster.changeLeaderAfter(seconds(1));
    run(60);
    assertThat(running()).isEqualTo(before);
  }

  /** Nor a label that somebody writes on the one that has succeeded. */
  @ParameterizedTest
  @EnumSource(names = {"RESTART", "SHRINK"})
  void aFurtherVersionOfWhoHasSucceededChangesNothing(OnLoss onLoss) {
    oneHasSucceededAndOneIsLost(onLoss, MatchPolicy.ONCE_SATISFIED);
    run(120);
    long before = running();
    cluster.store(cluster.pods.get("uid-g-0"));
    run(60);
    assertThat(running()).isEqualTo(before);
  }

  private Pod ofTheNextJob(int index) {
    return aPod("next-" + index)
        .gpus(1)
        .gang("g", 2)
        .ownedBy("next")
        .createdAt(cluster.now())
        .build();
  }

  private void aJobOfTwoHasSucceeded() {
    gpuNodes(4);
    for (int i = 0; i < 2; i++) {
      cluster.create(aPod("g-" + i).gpus(1).gang("g", 2).ownedBy("job").build());
    }
    run(10);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    cluster.complete("uid-g-0");
    cluster.complete("uid-g-1");
    run(5);
  }

  /** The Job controller takes its finalizer off a pod once it has counted it. */
  @Test
  void whoHasSucceededForAnotherJobOfTheSameNameDoesNotStartHalfOfTheNext() {
    aJobOfTwoHasSucceeded();
    cluster.create(ofTheNextJob(0));
    run(5);
    assertThat(cluster.boundOf("g")).as("the two that have succeeded").isEqualTo(2);
    assertThat(cluster.report("g").members()).as("of the next").isEqualTo(1);
    assertThat(cluster.records.values())
        .extracting(record -> record.controllerUid())
        .containsExactly(Optional.of("next"));
    cluster.store(cluster.pods.get("uid-g-0"));
    cluster.store(cluster.pods.get("uid-g-1"));
    run(20);
    assertThat(cluster.pods.get("uid-next-0").isBound()).as("one of two").isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void norDoesItForAnotherLeader(boolean followsAnother) {
    aJobOfTwoHasSucceeded();
    cluster.create(ofTheNextJob(0));
    run(20);
    assertThat(cluster.pods.get("uid-next-0").isBound()).as("one of two").isFalse();
    if (followsAnother) {
      cluster.changeLeaderAfter(seconds(1));
    } else {
      cluster.restartAfter(seconds(1));
    }
    run(20);
    assertThat(cluster.pods.get("uid-next-0").isBound()).as("one of two").isFalse();
  }

  /** The former was of two, the next is of three. */
  @Test
  void whatTheFormerJobSaidDoesNotHoldForTheNextWhoeverLeads() {
    aJobOfTwoHasSucceeded();
    for (int i = 0; i < 2; i++) {
      cluster.create(
          aPod("next-" + i).gpus(1).gang("g", 3).ownedBy("next").createdAt(cluster.now()).build());
    }
    run(20);
    assertThat(running()).as("two of three").isZero();
    cluster.changeLeaderAfter(seconds(1));
    run(30);
    assertThat(running()).as("two of three: " + cluster.report("g").message()).isZero();
  }
}
