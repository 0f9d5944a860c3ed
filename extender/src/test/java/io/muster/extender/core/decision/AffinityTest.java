package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Rules;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Gangs under a kube-scheduler that does not ask Muster, in virtual time. */
final class AffinityTest {

  private final ClusterSimulation cluster = new ClusterSimulation(1, Rules.affinity());

  private final GangScheduler muster = new GangScheduler(Deadlines.DEFAULT, Rules.affinity());
  private Instant now = Instant.EPOCH;

  private void gpuNodes(int count) {
    for (int i = 0; i < count; i++) {
      cluster.addNode(aNode("gpu-" + i).gpus(1).label("set", "gpu").build());
    }
  }

  private static PodBuilder member(int index, int min) {
    return aPod("g-" + index).gpus(1).gang("g", min);
  }

  private void gang(int members, int min) {
    for (int i = 0; i < members; i++) {
      cluster.create(member(i, min).createdAt(cluster.now()).build());
    }
  }

  private void runFor(Duration time) {
    cluster.runUntil(Duration.between(Instant.EPOCH, cluster.now()).plus(time));
  }

  private void runFor(long seconds) {
    runFor(Duration.ofSeconds(seconds));
  }

  private long released() {
    return cluster.pods.values().stream().filter(pod -> !pod.isGated()).count();
  }

  private void untilTheRecordIsStored() {
    for (int i = 0; i < 20_000 && !isRecorded(); i++) {
      runFor(Duration.ofMillis(1));
    }
    assertThat(isRecorded()).isTrue();
  }

  private boolean isRecorded() {
    return cluster.records.values().stream().anyMatch(r -> r.phase() == Phase.BINDING);
  }

  @Test
  void aGangThatFitsIsRecordedWholeAndThenTiedToItsPlaces() {
    gpuNodes(4);
    runFor(1);
    gang(4, 4);
    runFor(5);

    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.pods.values())
        .allSatisfy(pod ->
            assertThat(pod.origin().pinning().pin().orElseThrow().nodes())
                .containsExactly(pod.progress().nodeName().orElseThrow()));
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void everyMemberIsGatedWhateverTheSizeOfItsGangAndWhoeverAnswers() {
    gpuNodes(4);
    runFor(1);
    cluster.create(member(0, 1).build());
    assertThat(cluster.pods.values()).allMatch(Pod::isGatedByMuster);
    cluster.kill();
    cluster.create(member(1, 1).build());
    assertThat(cluster.pods.values()).allMatch(Pod::isGatedByMuster);
  }

  @Test
  void aGangThatDoesNotFitKeepsItsGatesAndHoldsNothing() {
    gpuNodes(3);
    runFor(1);
    gang(4, 4);
    runFor(30);
    assertThat(released()).isZero();
    cluster.create(aPod("single").gpus(1).build());
    runFor(5);
    assertThat(cluster.pods.get("uid-single").isBound()).isTrue();
    cluster.addNode(aNode("late-0").gpus(1).build());
    runFor(5);
    assertThat(released()).as("the single alone").isEqualTo(1);
    cluster.addNode(aNode("late-1").gpus(1).build());
    runFor(5);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void nobodyIsReleasedWhileTheRecordCannotBeStored() {
    gpuNodes(4);
    runFor(1);
    cluster.writeFailures = 100;
    gang(4, 4);
    runFor(30);
    assertThat(released()).isZero();
    cluster.writeFailures = 0;
    runFor(30);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
  }

  @Test
  void aGangWhoseReleaseAKillCutOffBeforeItBeganEndsWhole() {
    gpuNodes(4);
    runFor(1);
    gang(4, 4);
    untilTheRecordIsStored();
    cluster.kill();
    assertThat(released()).isZero();
    runFor(3);
    assertThat(cluster.boundOf("g")).isZero();
    cluster.startMuster();
    runFor(5);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void releasesThatGotLostAreRepeated() {
    gpuNodes(4);
    runFor(1);
    gang(4, 4);
    untilTheRecordIsStored();
    cluster.writeFailures = 100;
    runFor(1);
    assertThat(released()).isZero();
    cluster.writeFailures = 0;
    runFor(12);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
  }

  @Test
  void aGangThatKubeSchedulerIsSlowToBindWaitsForItAndNobodyEnds() {
    cluster.ownersReplace = true;
    gpuNodes(4);
    runFor(1);
    cluster.scheduler.asleep = true;
    gang(4, 4);
    runFor(300);
    assertThat(released()).isEqualTo(4);
    assertThat(cluster.boundOf("g")).as("kube-scheduler alone binds").isZero();
    cluster.scheduler.asleep = false;
    cluster.pods.keySet().forEach(uid -> cluster.scheduler.enqueue(uid, Duration.ZERO));
    runFor(20);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.pods).containsOnlyKeys("uid-g-0", "uid-g-1", "uid-g-2", "uid-g-3");
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aGangThatWasUndoneGoesOnceANodeThatFailedItIsForgivenThoughNothingElseHappens() {
    cluster.ownersReplace = true;
    gpuNodes(2);
    runFor(1);
    cluster.scheduler.asleep = true;
    gang(2, 2);
    untilTheRecordIsStored();
    runFor(Duration.ofMillis(200));
    var thief = aPod("thief").gpus(1).bare().build();
    cluster.createUnseen(thief);
    cluster.bind(thief, "gpu-0", Optional.empty());
    runFor(20);
    cluster.delete("uid-thief");
    runFor(25);
    assertThat(cluster.pods).as("undone").doesNotContainKeys("uid-g-0", "uid-g-1");
    assertThat(cluster.pods.values()).allMatch(Pod::isGatedByMuster);
    cluster.scheduler.asleep = false;
    runFor(60);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
  }

  @Test
  void aMemberThatKubeSchedulerRefusesIsNotBoundAgainstItsRulesAndTheGangStartsAgain() {
    cluster.ownersReplace = true;
    gpuNodes(4);
    runFor(1);
    cluster.scheduler.reject("uid-g-2");
    gang(4, 4);
    runFor(20);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    assertThat(cluster.pods.get("uid-g-2").isBound()).isFalse();
    runFor(60);
    assertThat(cluster.pods).as("all have been recreated").doesNotContainKey("uid-g-0");
    assertThat(cluster.boundOf("g")).isEqualTo(4);
  }

  @Test
  void bareMembersAreNeverEndedAndGoOnToBeCompleted() {
    gpuNodes(4);
    runFor(1);
    for (int i = 0; i < 4; i++) {
      cluster.create(member(i, 4).bare().createdAt(cluster.now()).build());
    }
    cluster.scheduler.asleep = true;
    untilTheRecordIsStored();
    runFor(Duration.ofMillis(200));
    var taken = "gpu-0";
    cluster.removeNode(taken);
    cluster.scheduler.asleep = false;
    cluster.pods.keySet().forEach(uid -> cluster.scheduler.enqueue(uid, Duration.ZERO));
    runFor(120);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    assertThat(cluster.pods).hasSize(4);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.BROKEN);
    cluster.addNode(aNode(taken).gpus(1).build());
    runFor(30);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
  }

  @Test
  void membersBeyondTheMinimumGoOnceTheGangHasStarted() {
    gpuNodes(3);
    runFor(1);
    gang(4, 3);
    runFor(10);
    assertThat(cluster.boundOf("g")).isEqualTo(3);
    assertThat(released()).as("kube-scheduler has them all").isEqualTo(4);
    cluster.addNode(aNode("late").gpus(1).build());
    runFor(20);
    assertThat(cluster.boundOf("g")).isEqualTo(4);
    assertThat(cluster.explained).as("no member passes for one without a mark").isEmpty();
  }

  /** Its gate is off, and nothing would keep kube-scheduler from starting it alone. */
  @Test
  void aMemberThatFoundNoRoomIsMadeAnewOnceNobodyIsLeftOfThoseThatRan() {
    gpuNodes(2);
    runFor(1);
    gang(2, 2);
    runFor(5);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    cluster.create(member(2, 2).createdAt(cluster.now()).build());
    runFor(5);
    assertThat(cluster.pods.get("uid-g-2").isGated()).isFalse();

    cluster.ownersReplace = true;
    cluster.isReplaced = pod -> pod.key().name().equals("g-2");
    cluster.scheduler.asleep = true;
    cluster.delete("uid-g-0");
    cluster.delete("uid-g-1");
    runFor(5);
    cluster.scheduler.asleep = false;
    cluster.pods.keySet().forEach(uid -> cluster.scheduler.enqueue(uid, Duration.ZERO));
    runFor(20);
    assertThat(cluster.pods.values())
        .as("it waits for a second one")
        .singleElement()
        .matches(Pod::isGatedByMuster);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void nobodyElseIsReleasedWhileAPlaceOfACutReleaseIsMissing() {
    var places = new HashMap<String, GangRecord.Place>();
    for (int i = 0; i < 3; i++) {
      muster.on(new Event.NodeSeen(aNode("n" + i).gpus(1).build()), now);
      places.put("uid-g-" + i, new GangRecord.Place("g-" + i, "n" + i));
    }
    var out = member(0, 3).on("n0").placedBy(1).build();
    var id = out.membership().orElseThrow().gang();
    muster.on(
        new Event.RecordFound(
            new GangRecord(
                id,
                1,
                1,
                Phase.BINDING,
                3,
                false,
                places,
                Optional.of("job-uid"),
                Optional.empty())),
        now);
    muster.on(new Event.PodSeen(out), now);
    muster.on(new Event.PodSeen(member(1, 3).gated().build()), now);
    muster.on(new Event.LeaseHeld(Instant.MAX, false), now);
    muster.on(new Event.Ready(), now);
    for (int i = 0; i < 10; i++) {
      now = now.plusMillis(500);
      assertThat(releases(muster.on(new Event.Tick(), now))).isEmpty();
    }
    muster.on(new Event.PodSeen(member(2, 3).uid("again").gated().build()), now);
    var written =
        muster.on(new Event.Tick(), now).stream()
            .filter(Effect.WriteRecord.class::isInstance)
            .map(effect -> ((Effect.WriteRecord) effect).gang())
            .findFirst()
            .orElseThrow();
    assertThat(written.placement()).containsOnlyKeys("uid-g-0", "uid-g-1", "again");
    assertThat(releases(muster.on(new Event.RecordWritten(id, written.epoch(), true), now)))
        .containsExactlyInAnyOrder("g-1", "g-2");
  }

  private static List<String> releases(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.Release.class::isInstance)
        .map(effect -> ((Effect.Release) effect).pod().name())
        .toList();
  }

  @Test
  void theMembersOwnTermsAreKeptAndNarrowed() {
    muster.on(new Event.NodeSeen(aNode("n0").gpus(1).label("zone", "b").build()), now);
    muster.on(new Event.LeaseHeld(Instant.MAX, false), now);
    muster.on(new Event.Ready(), now);
    var zone = new Requirement("zone", Operator.IN, Set.of("b"));
    var disk = new Requirement("disk", Operator.EXISTS, Set.of());
    var own =
        new NodeTerm[] {
          new NodeTerm(List.of(zone), List.of()), new NodeTerm(List.of(disk), List.of())
        };
    var pod = aPod("w").gpus(1).gang("g", 1).gated().anyOf(own).build();
    var record =
        muster.on(new Event.PodSeen(pod), now).stream()
            .filter(Effect.WriteRecord.class::isInstance)
            .map(effect -> ((Effect.WriteRecord) effect).gang())
            .findFirst()
            .orElseThrow();
    var effects = muster.on(new Event.RecordWritten(record.gang(), record.epoch(), true), now);

    var release = (Effect.Release) effects.getFirst();
    var name = new Requirement("metadata.name", Operator.IN, Set.of("n0"));
    assertThat(release.terms())
        .containsExactly(
            new NodeTerm(List.of(zone), List.of(name)), new NodeTerm(List.of(disk), List.of(name)));
    assertThat(release.incarnation()).isEqualTo(record.incarnation());
    assertThat(Optional.of(release.pin().nodes())).contains(List.of("n0"));
  }

  /** One of three is enough, and the first was released to a node that is lost since. */
  @Test
  void aReleasedMemberThatCanGoNowhereLeavesTheStartToTheOthers() {
    gpuNodes(1);
    runFor(1);
    for (int i = 0; i < 3; i++) {
      cluster.create(member(i, 1).bare().createdAt(cluster.now()).build());
    }
    untilTheRecordIsStored();
    runFor(Duration.ofMillis(6));
    cluster.removeNode("gpu-0");
    runFor(5);
    assertThat(released()).isEqualTo(1);
    assertThat(cluster.boundOf("g")).isZero();
    cluster.addNode(aNode("late").gpus(1).label("set", "gpu").build());
    runFor(Duration.ofMinutes(5));
    assertThat(cluster.boundNames("g")).doesNotContain("g-0").hasSize(1);
    assertThat(cluster.faults).isEmpty();
  }

  /** The same where the gang waits again: the first is still the one that comes first in rank. */
  @Test
  void aReleasedMemberThatCanGoNowhereDoesNotKeepTheOthersWaiting() {
    gpuNodes(1);
    runFor(1);
    cluster.createUnseen(
        PodBuilder.tied(
            member(0, 1).bare().createdAt(cluster.now()).build(),
            new NodePin("7", List.of("lost"))));
    cluster.create(member(1, 1).bare().createdAt(cluster.now()).build());

    runFor(Duration.ofMinutes(5));

    assertThat(cluster.boundNames("g")).containsExactly("g-1");
    assertThat(cluster.faults).isEmpty();
  }
}
