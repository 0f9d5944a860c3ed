package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms.OnLoss;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Gangs whose members kube-scheduler binds together, by their PodGroup, in virtual time. */
final class NativePlacementTest {

  private static final GangId G = new GangId(Dialect.KOORDINATOR, "ml", "g");

  private final ClusterSimulation cluster =
      new ClusterSimulation(
          1, new Rules(PlacementMode.NATIVE, NodePinPolicy.NEVER, Waiting.DEFAULT));

  private void gpuNodes(int count) {
    cluster.ownersReplace = true;
    for (int i = 0; i < count; i++) {
      cluster.addNode(aNode("gpu-" + i).gpus(1).build());
    }
    run(1_000);
  }

  private static PodBuilder member(int index, int min) {
    return aPod("g-" + index).gpus(1).gang("g", min);
  }

  private void gang(int members, int min, boolean isOwned) {
    for (int i = 0; i < members; i++) {
      var pod = member(i, min).createdAt(cluster.now());
      cluster.create((isOwned ? pod.ownedBy("job") : pod.bare()).build());
    }
  }

  private void run(long millis) {
    cluster.runUntil(Duration.between(Instant.EPOCH, cluster.now()).plusMillis(millis));
  }

  private void untilReleased(int number) {
    for (int i = 0; i < 20_000 && released() < number; i++) {
      run(1);
    }
    assertThat(released()).isEqualTo(number);
  }

  private long released() {
    return cluster.pods.values().stream()
        .filter(pod -> pod.membership().isPresent() && !pod.isGated())
        .count();
  }

  /** A pod of others comes to be on a node where a released member is to go. */
  private String takeAPlannedNode() {
    var node =
        cluster.pods.values().stream()
            .filter(pod -> !pod.isGated() && !pod.isBound())
            .flatMap(pod -> pod.origin().pinning().pin().stream())
            .map(pin -> pin.nodes().getFirst())
            .findFirst()
            .orElseThrow();
    cluster.land(aPod("thief").gpus(1).bare().on(node).build());
    return node;
  }

  private void isWhole(int members) {
    assertThat(cluster.boundOf("g")).isEqualTo(members);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void theGroupIsThereWithTheMinimumBeforeAMemberIsReleased() {
    gpuNodes(4);
    gang(4, 3, true);
    run(5_000);
    assertThat(cluster.groups).containsEntry(G, 3);
    isWhole(4);
  }

  @Test
  void aKillBetweenReleasesLeavesNobodyBoundAndTheNextLeaderCompletes() {
    gpuNodes(4);
    cluster.longestPodWriteMillis = 1_000;
    gang(4, 4, false);
    untilReleased(2);
    cluster.kill();
    run(60_000);
    assertThat(released()).isBetween(2L, 3L);
    assertThat(cluster.boundOf("g")).isZero();

    cluster.startMuster();
    run(20_000);
    isWhole(4);
  }

  @Test
  void aTakenNodeHasReleasedMembersComeBackGatedAndStartElsewhereInTwoSeconds() {
    gpuNodes(5);
    cluster.longestPodWriteMillis = 1_000;
    gang(4, 4, true);
    untilReleased(3);
    cluster.longestPodWriteMillis = 20;
    var taken = takeAPlannedNode();
    run(1);
    assertThat(cluster.boundOf("g")).isZero();
    run(2_000);
    isWhole(4);
    assertThat(cluster.pods.values())
        .filteredOn(pod -> pod.progress().nodeName().equals(Optional.of(taken)))
        .hasSize(1);
  }

  /** Its place is free, and whoever replaces it takes it. */
  @Test
  void aMemberThatIsDeletedBetweenReleasesEndsNoOther() {
    gpuNodes(4);
    cluster.longestPodWriteMillis = 1_000;
    gang(4, 4, true);
    untilReleased(3);
    cluster.longestPodWriteMillis = 20;
    var gone =
        cluster.pods.values().stream().filter(pod -> !pod.isGated()).findFirst().orElseThrow();
    var others =
        cluster.pods.values().stream()
            .filter(pod -> !pod.equals(gone))
            .map(pod -> pod.key().uid())
            .toList();
    cluster.delete(gone.key().uid());
    run(20_000);
    isWhole(4);
    assertThat(cluster.pods).containsKeys(others.toArray(String[]::new));
  }

  @Test
  void membersWithoutAControllerAreNotEndedAndStartOnceTheNodeIsFree() {
    gpuNodes(4);
    cluster.longestPodWriteMillis = 1_000;
    gang(4, 4, false);
    untilReleased(3);
    takeAPlannedNode();
    run(90_000);
    assertThat(cluster.boundOf("g")).isZero();
    assertThat(cluster.pods).containsKeys("uid-g-0", "uid-g-1", "uid-g-2", "uid-g-3");

    cluster.delete("uid-thief");
    run(60_000);
    isWhole(4);
  }

  /** Whoever takes long to bind takes nothing from anybody. */
  @Test
  void slownessAloneEndsNobody() {
    gpuNodes(4);
    cluster.scheduler.asleep = true;
    gang(4, 4, true);
    untilReleased(4);
    run(300_000);
    assertThat(cluster.pods).containsKeys("uid-g-0", "uid-g-1", "uid-g-2", "uid-g-3");
    cluster.scheduler.restart();
    cluster.scheduler.asleep = false;
    run(20_000);
    isWhole(4);
  }

  @Test
  void aReplacementIsBoundBesideThoseThatRun() {
    gpuNodes(3);
    gang(3, 3, true);
    run(5_000);
    isWhole(3);
    cluster.delete("uid-g-1");
    run(60_000);
    isWhole(3);
  }

  /** Who has succeeded counts for the gang, but kube-scheduler sees no pod that has ended. */
  @Test
  void whoHasSucceededIsNotWaitedForByKubeScheduler() {
    gpuNodes(3);
    for (int i = 0; i < 3; i++) {
      cluster.create(
          aPod("g-" + i)
              .gpus(1)
              .gang("g", terms("g", 3).onLoss(OnLoss.REPLACE).build(), "worker")
              .ownedBy("job")
              .createdAt(cluster.now())
              .build());
    }
    run(5_000);
    isWhole(3);
    cluster.complete("uid-g-0");
    cluster.delete("uid-g-1");
    run(60_000);
    assertThat(cluster.groups).containsEntry(G, 2);
    assertThat(cluster.pods).containsKeys("uid-g-0", "uid-g-2");
    isWhole(3);
  }

  /** As after a change of the mode, or once somebody has deleted it. */
  @Test
  void aReplacementWaitsForAGroupThatItsRunningGangHasNot() {
    gpuNodes(3);
    gang(3, 3, true);
    run(5_000);
    isWhole(3);
    cluster.kill();
    cluster.groups.clear();
    cluster.startMuster();
    run(5_000);
    assertThat(cluster.groups).isEmpty();
    cluster.delete("uid-g-1");
    run(60_000);
    assertThat(cluster.groups).containsKey(G);
    isWhole(3);
  }

  /**
   * Some came before the API was served: the others must not wait for as many as the gang needs.
   */
  @Test
  void membersOfWhomSomeAreInNoGroupStartAsWithAffinityAndThatIsSaid() {
    gpuNodes(3);
    cluster.createUnseen(member(0, 3).gated().build());
    for (int i = 1; i < 3; i++) {
      cluster.create(member(i, 3).build());
    }
    run(5_000);
    assertThat(cluster.groups).containsEntry(G, 1);
    isWhole(3);
    assertThat(cluster.announced)
        .anySatisfy(event -> {
          assertThat(event.reason()).isEqualTo("NotInPodGroup");
          assertThat(event.sentence()).contains("as with placementMode affinity");
        });
  }

  private void queued(TermsObject group, int members) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          aPod("ml", "q-" + i)
              .gpus(1)
              .gang(Dialect.NATIVE, group)
              .queued()
              .ownedBy("job")
              .createdAt(cluster.now())
              .build());
    }
  }

  /** Its PodGroup may come late; Muster makes none, and gives a reason meanwhile. */
  @Test
  void aGangInAPodGroupOfItsUserWaitsInTheQueueAndStartsWhole() {
    var group = new TermsObject(TermsObject.Kind.NATIVE_POD_GROUP, "ml", "q");
    gpuNodes(3);
    queued(group, 4);
    run(20_000);
    assertThat(cluster.report("q").reason()).isEqualTo(Reason.TERMS_MISSING);
    cluster.state(group, terms("q", 4).build());
    run(20_000);
    assertThat(cluster.boundOf("q")).isZero();
    assertThat(cluster.report("q").reason()).isEqualTo(Reason.TOO_LARGE);

    cluster.addNode(aNode("gpu-3").gpus(1).build());
    run(20_000);
    assertThat(cluster.boundOf("q")).isEqualTo(4);
    assertThat(cluster.report("q").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.groups).isEmpty();
    assertThat(cluster.announced).noneMatch(event -> event.reason().equals("NotInPodGroup"));
    assertThat(cluster.faults).isEmpty();
  }

  /** Policy basic: they do not wait for each other, nor in a queue. */
  @Test
  void podsOfAPodGroupThatIsNoGangAreLetGo() {
    var group = new TermsObject(TermsObject.Kind.NATIVE_POD_GROUP, "ml", "q");
    gpuNodes(1);
    cluster.dissolve(group);
    queued(group, 1);
    run(5_000);
    assertThat(cluster.pods.values()).noneMatch(pod -> pod.isGated());
  }

  private static PodBuilder ofGroup(TermsObject group, String name) {
    return aPod("ml", name).gpus(1).gang(Dialect.NATIVE, group).ownedBy("job");
  }

  private boolean isLetGo(String uid) {
    return !cluster.pods.get(uid).isGated();
  }

  /** The namespace got its label while the gang was running, and one of its pods is made anew. */
  @Test
  void whoReplacesAPodThatWaitedInNoQueueIsLetGoBesideItsSiblings() {
    var group = new TermsObject(TermsObject.Kind.NATIVE_POD_GROUP, "ml", "q");
    gpuNodes(3);
    cluster.state(group, terms("q", 3).build());
    for (int i = 0; i < 2; i++) {
      cluster.land(ofGroup(group, "q-" + i).leftToTheCluster().on("gpu-" + i).build());
    }
    cluster.create(ofGroup(group, "q-2").queued().createdAt(cluster.now()).build());
    run(20_000);
    assertThat(isLetGo("uid-q-2")).isTrue();
    assertThat(cluster.report("q").reason()).isEqualTo(Reason.OBSERVED);
    assertThat(cluster.report("q").message()).contains("the cluster's own gang scheduling");

    cluster.scheduler.asleep = true;
    cluster.kill();
    cluster.startMuster();
    run(60_000);
    assertThat(cluster.pods).containsKeys("uid-q-0", "uid-q-1", "uid-q-2");
    assertThat(cluster.report("q").reason()).isEqualTo(Reason.OBSERVED);
    assertThat(cluster.faults).isEmpty();
  }

  /** The label was so new that one process of Muster knew it and another did not. */
  @Test
  void podsOfWhomSomeWaitInNoQueueAreAllLeftToTheCluster() {
    var group = new TermsObject(TermsObject.Kind.NATIVE_POD_GROUP, "ml", "q");
    gpuNodes(3);
    cluster.state(group, terms("q", 3).build());
    cluster.create(ofGroup(group, "q-0").queued().createdAt(cluster.now()).build());
    cluster.createUnseen(ofGroup(group, "q-1").leftToTheCluster().build());
    cluster.create(ofGroup(group, "q-2").queued().createdAt(cluster.now()).build());
    run(20_000);
    assertThat(isLetGo("uid-q-0")).isTrue();
    assertThat(isLetGo("uid-q-2")).isTrue();
    assertThat(cluster.report("q").reason()).isEqualTo(Reason.OBSERVED);
    assertThat(cluster.faults).isEmpty();
  }

  /** Else a pod that nobody starts would be a way around the queue. */
  @Test
  void aPodOfAnotherSchedulerInThePodGroupLetsNobodyGo() {
    var group = new TermsObject(TermsObject.Kind.NATIVE_POD_GROUP, "ml", "q");
    gpuNodes(3);
    cluster.state(group, terms("q", 3).build());
    cluster.createUnseen(ofGroup(group, "q-1").leftToTheCluster().startedBy("another").build());
    cluster.create(ofGroup(group, "q-0").queued().createdAt(cluster.now()).build());
    run(20_000);
    assertThat(isLetGo("uid-q-0")).isFalse();
  }

  /** The label was taken away while the gang ran: who runs stays Muster's. */
  @Test
  void aGangThatRunsStaysAMemberOfItsQueueBesideAPodThatWaitsInNone() {
    var group = new TermsObject(TermsObject.Kind.NATIVE_POD_GROUP, "ml", "q");
    gpuNodes(4);
    cluster.state(group, terms("q", 3).build());
    queued(group, 3);
    run(20_000);
    assertThat(cluster.report("q").phase()).isEqualTo(Phase.RUNNING);
    cluster.land(ofGroup(group, "q-3").leftToTheCluster().on("gpu-3").build());
    run(20_000);
    assertThat(cluster.boundOf("q")).isEqualTo(3);
    assertThat(cluster.report("q").reason()).isEqualTo(Reason.SATISFIED);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void theGroupOfAGangThatIsForgottenGoes() {
    gpuNodes(2);
    gang(2, 2, true);
    run(5_000);
    cluster.ownersReplace = false;
    cluster.delete("uid-g-0");
    cluster.delete("uid-g-1");
    run(800_000);
    assertThat(cluster.groups).isEmpty();
  }
}
