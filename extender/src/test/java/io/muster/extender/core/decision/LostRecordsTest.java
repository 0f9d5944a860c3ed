package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.TermsBuilder;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Somebody deletes Gang objects, or Muster ends before it has written what it knows. */
final class LostRecordsTest {

  private final ClusterSimulation cluster =
      new ClusterSimulation(1, Rules.extender(NodePinPolicy.NEVER));

  private void passes(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  private void fourNodes() {
    for (int i = 0; i < 4; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
  }

  private void fourMembers(UnaryOperator<PodBuilder> of) {
    for (int i = 0; i < 4; i++) {
      cluster.create(of.apply(aPod("ml", "g-" + i).gpus(8)).createdAt(cluster.now()).build());
    }
  }

  private long running() {
    return cluster.pods.values().stream()
        .filter(pod -> pod.isBound() && !pod.progress().deleting() && !pod.isTerminal())
        .count();
  }

  @Test
  void membersThatRunAreNotEndedBecauseNothingIsStoredOfTheirGang() {
    fourNodes();
    fourMembers(pod -> pod.gang("g", 4));
    passes(30);
    assertThat(running()).isEqualTo(4);

    cluster.kill();
    cluster.records.clear();
    cluster.removeNode("n3");
    passes(5);
    cluster.startMuster();
    passes(120);

    assertThat(running()).as("of the three that are left").isEqualTo(3);
  }

  @Test
  void whatTheirOwnerLooksAfterIsNotEndedBecauseTheStartWasNotNoted() {
    fourNodes();
    Terms.Usable terms = TermsBuilder.terms("g", 4).onLoss(Terms.OnLoss.OWNER).build();
    fourMembers(pod -> pod.gang("g", terms, ""));
    while (running() < 4) {
      cluster.runUntil(cluster.sinceStart().plusMillis(1));
    }
    cluster.kill();
    assertThat(cluster.records.values()).noneMatch(record -> record.satisfied());
    passes(660);
    cluster.removeNode("n3");
    passes(5);
    cluster.startMuster();
    passes(120);

    assertThat(running()).as("of the three that are left").isEqualTo(3);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void aBurstWithAMemberThatIsGoneAndPerhapsNeverStartedIsUndoneWhileItIsYoung() {
    fourNodes();
    Terms.Usable terms = TermsBuilder.terms("g", 4).onLoss(Terms.OnLoss.OWNER).build();
    fourMembers(pod -> pod.gang("g", terms, ""));
    while (running() < 3) {
      cluster.runUntil(cluster.sinceStart().plusMillis(1));
    }
    cluster.kill();
    var unbound =
        cluster.pods.values().stream().filter(pod -> !pod.isBound()).findFirst().orElseThrow();
    cluster.delete(unbound.key().uid());
    passes(5);
    cluster.startMuster();
    passes(120);

    assertThat(running()).as("three of four are half a gang").isZero();
  }

  @Test
  void aBurstThatWasCutOffIsUndoneAsEverThoughItsOwnerWouldLookAfterLosses() {
    fourNodes();
    Terms.Usable terms = TermsBuilder.terms("g", 4).onLoss(Terms.OnLoss.OWNER).build();
    fourMembers(pod -> pod.gang("g", terms, ""));
    while (running() < 2) {
      cluster.runUntil(cluster.sinceStart().plusMillis(1));
    }
    cluster.kill();
    var unbound =
        cluster.pods.values().stream().filter(pod -> !pod.isBound()).findFirst().orElseThrow();
    var record = cluster.records.values().iterator().next();
    var node = record.placement().get(unbound.key().uid()).node();
    passes(1);
    cluster.removeNode(node);
    cluster.startMuster();
    passes(120);

    assertThat(running()).as("a recorded member is there and has no node").isZero();
  }

  @Test
  void aGangObjectThatIsDeletedIsWrittenAgainAtOnce() {
    fourNodes();
    fourMembers(pod -> pod.gang("g", 4));
    passes(30);
    var record = cluster.records.values().iterator().next();
    assertThat(record.satisfied()).isTrue();

    var decided = cluster.muster().on(new Event.RecordGone(record.gang()), cluster.now());

    assertThat(decided)
        .filteredOn(Effect.WriteReport.class::isInstance)
        .singleElement()
        .isInstanceOfSatisfying(
            Effect.WriteReport.class, write -> assertThat(write.gang()).isEqualTo(record));
    assertThat(cluster.muster().on(new Event.Tick(), cluster.now()))
        .as("once")
        .noneMatch(Effect.WriteReport.class::isInstance);
  }

  @Test
  void oneOfAGangThatHasNoMemberIsLeftDeleted() {
    fourNodes();
    fourMembers(pod -> pod.gang("g", 4));
    passes(30);
    var record = cluster.records.values().iterator().next();
    cluster.pods.values().stream().map(pod -> pod.key().uid()).toList().forEach(cluster::delete);
    passes(30);

    assertThat(cluster.muster().on(new Event.RecordGone(record.gang()), cluster.now())).isEmpty();
  }
}
