package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Gangs whose terms stand in an object of the cluster. */
final class ObjectTermsTest {

  private static final TermsObject GROUP =
      new TermsObject(TermsObject.Kind.PLUGINS_POD_GROUP, "ml", "g");

  private ClusterSimulation cluster = new ClusterSimulation(7);

  private void cluster(NodePinPolicy pins, int nodes) {
    cluster = new ClusterSimulation(7, Rules.extender(pins));
    nodes(nodes);
  }

  private void nodes(int count) {
    for (int i = 0; i < count; i++) {
      cluster.addNode(aNode("n" + i).gpus(1).build());
    }
    run(1);
  }

  private void members(int from, int to) {
    for (int i = from; i < to; i++) {
      cluster.create(
          aPod("ml", "g-" + i)
              .gpus(1)
              .gang(Dialect.SCHEDULER_PLUGINS, GROUP)
              .createdAt(cluster.now())
              .build());
    }
  }

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void startsWholeUnderTheTermsOfItsObject(NodePinPolicy pins) {
    cluster(pins, 3);
    cluster.state(GROUP, terms("g", 4).build());
    run(1);
    members(0, 4);
    run(20);
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.TOO_LARGE);

    cluster.addNode(aNode("n3").gpus(1).build());
    run(20);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void waitsForItsObjectAndSaysWhich(NodePinPolicy pins) {
    cluster(pins, 4);
    members(0, 4);
    run(20);
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.TERMS_MISSING);
    assertThat(cluster.report("g").message())
        .isEqualTo(
            "PodGroup \"g\" (scheduling.x-k8s.io) does not exist in namespace \"ml\"; create it");
    assertThat(cluster.explained)
        .anySatisfy(effect ->
            assertThat(effect.toString())
                .contains("gang has not init, gangName: ml/g")
                .contains("does not exist"));
    assertThat(cluster.muster().placementQueries().queued(cluster.now()))
        .singleElement()
        .matches(gang -> gang.members() == 4 && gang.devices() == 0);
    assertThat(cluster.muster().placementQueries().queues())
        .singleElement()
        .matches(queue -> queue.asked() == 0);

    cluster.state(GROUP, terms("g", 4).build());
    run(20);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.faults).isEmpty();
  }

  /** A set of a few bytes may say that it has two thousand million groups. */
  @Test
  void eachGroupOfALeaderWorkerSetGoesByWhatTheSetSaysOnce() {
    nodes(4);
    var kind = TermsObject.Kind.LEADER_WORKER_SET;
    for (int i = 0; i < 4; i++) {
      var group = new TermsObject(kind, "ml", "s/" + 12_345 * (i / 2));
      cluster.create(
          aPod("ml", "s-" + i).gpus(1).gang(Dialect.OWNER, group).createdAt(cluster.now()).build());
    }
    run(20);
    assertThat(cluster.report("leaderworkerset-s-12345").message())
        .startsWith("LeaderWorkerSet \"s\" (leaderworkerset.x-k8s.io) does not exist");

    var set = new TermsObject(kind, "ml", "s");
    cluster.state(set, terms("s", 2).build());
    run(20);
    assertThat(cluster.boundOf("leaderworkerset-s-0")).isEqualTo(2);
    assertThat(cluster.boundOf("leaderworkerset-s-12345")).isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  /** The case of volcano-sh/volcano#6010: members are ahead of the object that counts them. */
  @Test
  void anObjectThatComesLateNeverLetsAPartOfTheGangGo() {
    nodes(8);
    members(0, 2);
    run(3);
    members(2, 6);
    run(3);
    assertThat(cluster.boundOf("g")).isZero();
    cluster.state(GROUP, terms("g", 8).build());
    run(20);
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.MEMBERS_MISSING);
    members(6, 8);
    run(20);
    assertThat(cluster.boundOf("g")).isEqualTo(8);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aMinimumThatIsRaisedWhileTheGangWaitsHolds() {
    nodes(3);
    cluster.state(GROUP, terms("g", 4).build());
    run(1);
    members(0, 4);
    run(10);
    cluster.state(GROUP, terms("g", 5).build());
    run(1);
    cluster.addNode(aNode("n3").gpus(1).build());
    run(20);
    assertThat(cluster.boundOf("g")).isZero();

    cluster.state(GROUP, terms("g", 3).build());
    run(20);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.records.values()).allMatch(record -> record.minAvailable() == 3);
    assertThat(cluster.faults).isEmpty();
  }

  /** Not only one that waits for room: its members may be on their way to their places. */
  @Test
  void aMinimumThatIsRaisedWhileMembersArriveHolds() {
    nodes(8);
    cluster.state(GROUP, terms("g", 4).build());
    run(1);
    members(0, 3);
    run(1);
    cluster.state(GROUP, terms("g", 6).build());
    cluster.runUntil(cluster.sinceStart().plusMillis(100));
    members(3, 4);
    run(30);
    assertThat(cluster.boundOf("g")).isZero();
    members(4, 6);
    run(60);
    assertThat(cluster.boundOf("g")).isEqualTo(6);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aWaitingGangWhoseObjectIsDeletedWaitsForAnother() {
    nodes(3);
    cluster.state(GROUP, terms("g", 4).build());
    members(0, 4);
    run(10);
    cluster.withdraw(GROUP);
    run(10);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.TERMS_MISSING);
    cluster.addNode(aNode("n3").gpus(1).build());
    run(20);
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Terms.MatchPolicy.class)
  void aRunningGangWhoseObjectIsDeletedRunsOnAlsoWhereMusterWasKilled(Terms.MatchPolicy policy) {
    nodes(4);
    cluster.state(GROUP, terms("g", 4).counting(policy).build());
    members(0, 4);
    run(20);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    cluster.withdraw(GROUP);
    run(20);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    cluster.restartAfter(Duration.ofSeconds(1));
    run(60);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aGangIsTakenUpUnderTheTermsOfItsObject() {
    nodes(4);
    cluster.state(GROUP, terms("g", 4).build());
    members(0, 4);
    for (int i = 0; i < 20_000 && cluster.boundOf("g") == 0; i++) {
      cluster.runUntil(cluster.sinceStart().plusMillis(1));
    }
    assertThat(cluster.boundOf("g")).isBetween(1L, 3L);
    cluster.restartAfter(Duration.ofSeconds(1));
    run(60);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void anObjectThatIsMendedLetsTheGangStart() {
    nodes(2);
    cluster.state(GROUP, new Terms.Unusable("spec.minMember", "0", "spec.minMember is \"0\""));
    members(0, 2);
    run(10);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.INVALID_TERMS);
    assertThat(cluster.report("g").message()).isEqualTo("spec.minMember is \"0\"");
    cluster.state(GROUP, terms("g", 2).build());
    run(20);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aNamespaceThatLooksOnIsToldUnderTheTermsOfTheObject() {
    nodes(4);
    cluster.enrol("ml", Enrolment.SHADOW);
    run(1);
    cluster.state(GROUP, terms("g", 6).build());
    members(0, 2);
    run(20);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.SHADOW);
    assertThat(cluster.report("g").message()).contains("2 of at least 6 members");
    cluster.state(GROUP, terms("g", 2).build());
    run(20);
    assertThat(cluster.report("g").message()).contains("2 of at least 2 members");
  }

  @ParameterizedTest
  @EnumSource(names = {"ALWAYS", "NEVER"})
  void podsWhoseObjectSaysThatTheyAreNoGangStartOneByOne(NodePinPolicy pins) {
    cluster(pins, 1);
    members(0, 2);
    run(10);
    assertThat(cluster.boundOf("g")).isZero();
    cluster.dissolve(GROUP);
    run(20);
    assertThat(cluster.boundOf("g")).isEqualTo(1);
    cluster.addNode(aNode("n1").gpus(1).build());
    run(20);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    cluster.addNode(aNode("n2").gpus(1).build());
    members(2, 3);
    run(20);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
  }

  @Test
  void theGangOfAnotherSchedulerIsToldOfUnderTheTermsOfItsObject() {
    nodes(2);
    for (int i = 0; i < 2; i++) {
      cluster.create(
          aPod("ml", "g-" + i)
              .gpus(1)
              .gang(Dialect.VOLCANO, GROUP)
              .startedBy("volcano")
              .createdAt(cluster.now())
              .build());
    }
    cluster.state(GROUP, terms("g", 3).build());
    run(20);
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.OBSERVED);
    assertThat(cluster.report("g").message())
        .startsWith("2 of at least 3 members bound, by scheduler volcano");
    cluster.dissolve(GROUP);
    run(660);
    assertThat(cluster.records).as("nothing is told of a gang that is none").isEmpty();
  }
}
