package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Room that is kept for a gang which waits, and who may use it meanwhile. */
final class BackfillReservationsTest {

  private static final Waiting WAITING =
      new Waiting(
          Duration.ofSeconds(60),
          Duration.ofHours(4),
          Duration.ofHours(12),
          Duration.ofDays(1),
          Duration.ofMinutes(10),
          true);

  private final ClusterSimulation cluster =
      new ClusterSimulation(1, new Rules(PlacementMode.EXTENDER, NodePinPolicy.NEVER, WAITING));

  private int made;

  private void nodes(int count, int gpus) {
    for (int i = 0; i < count; i++) {
      cluster.addNode(aNode("n" + i).gpus(gpus).build());
    }
  }

  private static Duration seconds(long seconds) {
    return Duration.ofSeconds(seconds);
  }

  private void gang(String name, int members, int gpus) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          aPod("ml", name + "-" + i)
              .gpus(gpus)
              .gang(name, members)
              .createdAt(cluster.now())
              .build());
    }
  }

  /** One that says how long it runs, and runs so long from its first Binding. */
  private void gang(String name, int members, int gpus, Duration runs) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          aPod("ml", name + "-" + i)
              .gpus(gpus)
              .gang(name, members)
              .running(runs)
              .createdAt(cluster.now())
              .build());
    }
  }

  private Pod single(Duration runs) {
    var pod = aPod("ml", "single-" + made++).gpus(1).createdAt(cluster.now()).build();
    cluster.create(pod);
    endsAfter(pod.key().uid(), runs);
    return pod;
  }

  /** Ends a pod that long after it was bound. */
  private void endsAfter(String uid, Duration runs) {
    cluster.after(
        500,
        () -> {
          var pod = cluster.pods.get(uid);
          if (pod == null) {
            return;
          }
          if (pod.isBound()) {
            cluster.after(
                runs.toMillis(),
                () -> {
                  cluster.complete(uid);
                  cluster.delete(uid);
                });
          } else {
            endsAfter(uid, runs);
          }
        });
  }

  private void gangEndsAfter(String gang, Duration runs) {
    Set<String> uids = new HashSet<>();
    cluster.pods.values().stream()
        .filter(pod -> pod.membership().filter(m -> m.gang().name().equals(gang)).isPresent())
        .forEach(pod -> uids.add(pod.key().uid()));
    uids.forEach(uid -> endsAfter(uid, runs));
  }

  private Instant wholeAt(String gang, int members, Duration atMost) {
    var end = cluster.sinceStart().plus(atMost);
    while (cluster.boundOf(gang) < members && cluster.sinceStart().compareTo(end) < 0) {
      cluster.runUntil(cluster.sinceStart().plusSeconds(1));
    }
    assertThat(cluster.boundOf(gang)).isEqualTo(members);
    return cluster.now();
  }

  /** One of two nodes is taken, and both are claimed. */
  private void bigHasAClaimBesideA() {
    nodes(2, 8);
    gang("a", 1, 8);
    cluster.runUntil(seconds(10));
    gang("big", 2, 8);
    cluster.runUntil(seconds(90));
  }

  private void bigHasAClaimUntilAEndsAfterHalfAnHour() {
    nodes(2, 8);
    gang("a", 1, 8, Duration.ofMinutes(30));
    cluster.runUntil(seconds(10));
    gangEndsAfter("a", Duration.ofMinutes(30));
    gang("big", 2, 8);
    cluster.runUntil(seconds(90));
  }

  @Test
  void aGangThatComesBeforeItInLineUsesWhatIsKept() {
    bigHasAClaimBesideA();
    cluster.create(
        aPod("ml", "urgent")
            .gpus(8)
            .gang("urgent", 1)
            .priority(100)
            .createdAt(cluster.now())
            .build());
    cluster.runUntil(seconds(100));
    assertThat(cluster.boundOf("urgent")).isEqualTo(1);
    assertThat(cluster.faults).isEmpty();
  }

  /** Nobody would be preempted for it: kube-scheduler sees what is kept as free. */
  @Test
  void aPodWithoutAGangThatComesBeforeItUsesWhatIsKept() {
    bigHasAClaimBesideA();
    cluster.create(aPod("ml", "urgent").gpus(2).priority(1).createdAt(cluster.now()).build());
    cluster.create(aPod("ml", "alike").gpus(2).createdAt(cluster.now()).build());
    cluster.runUntil(seconds(100));
    assertThat(cluster.pods.get("uid-urgent").isBound()).isTrue();
    assertThat(cluster.pods.get("uid-alike").isBound()).isFalse();
    assertThat(keptForBig()).isEqualTo(6);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aPodWithoutAGangIsTriedAgainWhereRoomComesFreeForAGangBehindIt() {
    nodes(2, 8);
    gang("a", 2, 8);
    cluster.runUntil(seconds(10));
    gang("big", 2, 8);
    cluster.runUntil(seconds(90));
    cluster.create(aPod("ml", "alike").gpus(2).createdAt(cluster.now()).build());
    cluster.create(aPod("ml", "urgent").gpus(2).priority(1).createdAt(cluster.now()).build());
    cluster.runUntil(seconds(120));
    assertThat(cluster.pods.get("uid-urgent").isBound()).isFalse();

    cluster.complete("uid-a-0");
    cluster.runUntil(seconds(140));
    assertThat(cluster.pods.get("uid-urgent").isBound()).isTrue();
    assertThat(cluster.pods.get("uid-alike").isBound()).isFalse();
    assertThat(keptForBig()).isEqualTo(6);
    assertThat(cluster.faults).isEmpty();
  }

  private long keptForBig() {
    return cluster.muster().cluster().backfillHolds().devices();
  }

  /** One gang of 64 GPUs against an endless stream of pods that each run ten minutes. */
  @Test
  void aLargeGangStartsWithinOneRunTimeOfWhatIsInItsWay() {
    nodes(8, 8);
    var run = Duration.ofMinutes(10);
    stream(run);
    cluster.runUntil(Duration.ofMinutes(15));
    assertThat(cluster.pods.values().stream().filter(Pod::isBound).count()).isGreaterThan(50);

    gang("big", 64, 1);
    var came = cluster.now();
    var whole = wholeAt("big", 64, Duration.ofHours(1));

    assertThat(Duration.between(came.plus(WAITING.backfillAfter()), whole))
        .isLessThan(run.plusSeconds(20));
    assertThat(cluster.faults).isEmpty();
  }

  private void stream(Duration run) {
    for (int i = 0; i < 3; i++) {
      if (cluster.pods.size() < 90) {
        single(run);
      }
    }
    cluster.after(5_000, () -> stream(run));
  }

  @Test
  void whatIsKeptShowsInTheReportWithTheTimeWhenAllIsFree() {
    bigHasAClaimUntilAEndsAfterHalfAnHour();

    assertThat(cluster.report("big").reason()).isEqualTo(Reason.NO_ROOM);
    assertThat(cluster.report("big").message())
        .contains("; what comes free is kept for it: 8 of 16 devices, all by 1970-01-01T00:30:0");
  }

  @Test
  void aGangThatIsOverBeforeMayUseWhatIsKeptAndOneThatIsNotMayNot() {
    bigHasAClaimUntilAEndsAfterHalfAnHour();

    gang("long", 1, 8, Duration.ofMinutes(40));
    gang("unknown", 1, 8);
    cluster.runUntil(cluster.sinceStart().plusSeconds(3));
    assertThat(cluster.report("long").reason()).isEqualTo(Reason.BEHIND_BACKFILL_RESERVATION);
    assertThat(cluster.report("long").message())
        .startsWith("there is room, and it is kept for gang ml/big, which comes before it");
    gang("short", 1, 8, Duration.ofMinutes(10));
    cluster.runUntil(seconds(130));
    assertThat(cluster.boundOf("short")).isEqualTo(1);
    assertThat(cluster.boundOf("long")).isZero();
    assertThat(cluster.boundOf("unknown")).isZero();
    gangEndsAfter("short", Duration.ofMinutes(10));

    var whole = wholeAt("big", 2, Duration.ofMinutes(40));
    assertThat(whole).isBefore(Instant.EPOCH.plus(Duration.ofMinutes(31)));
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void ofTwoThatAskForTheSameTheOneThatIsOverBeforeUsesWhatIsKept() {
    bigHasAClaimUntilAEndsAfterHalfAnHour();

    gang("long", 1, 8, Duration.ofMinutes(40));
    gang("short", 1, 8, Duration.ofMinutes(10));
    cluster.runUntil(seconds(130));

    assertThat(cluster.boundOf("short")).isEqualTo(1);
    assertThat(cluster.boundOf("long")).isZero();
    assertThat(cluster.faults).isEmpty();
  }

  /** What is found out about the first of those alike is told to all of them. */
  @Test
  void gangsAlikeOfTwoNamespacesAreToldOfTheirOwnAlone() {
    bigHasAClaimUntilAEndsAfterHalfAnHour();
    for (var namespace : List.of("speech", "ml", "speech")) {
      var name = "%s-%d".formatted(namespace, made++);
      cluster.create(aPod(namespace, name).gpus(8).gang(name, 1).createdAt(cluster.now()).build());
    }
    for (int i = 0; i < 60; i++) {
      cluster.runUntil(cluster.sinceStart().plusSeconds(5));
      for (var gang : List.of("speech-0", "ml-1", "speech-2")) {
        var report = cluster.report(gang);
        if (report.reason() == Reason.BEHIND_BACKFILL_RESERVATION) {
          var told = gang.startsWith("ml") ? "gang ml/big" : "a gang of another namespace";
          assertThat(report.message())
              .as(gang)
              .startsWith("there is room, and it is kept for %s, which".formatted(told));
        }
      }
    }
    assertThat(cluster.report("ml-1").reason()).isEqualTo(Reason.BEHIND_BACKFILL_RESERVATION);
    assertThat(cluster.report("speech-2").reason()).isEqualTo(Reason.BEHIND_BACKFILL_RESERVATION);
  }

  @Test
  void aGangThatWouldBeLateByTheTimeThatItMayTakeToStartDoesNotUseWhatIsKept() {
    bigHasAClaimUntilAEndsAfterHalfAnHour();

    gang("tight", 1, 8, Duration.ofMinutes(27));
    cluster.runUntil(cluster.sinceStart().plusSeconds(10));
    assertThat(cluster.boundOf("tight")).isZero();
    gang("easy", 1, 8, Duration.ofMinutes(25));
    cluster.runUntil(cluster.sinceStart().plusSeconds(10));
    assertThat(cluster.boundOf("easy")).isEqualTo(1);
  }

  @Test
  void aGangWhoseMembersAllEndTakesTheClaimOfNobody() {
    nodes(2, 8);
    gang("a", 1, 8);
    cluster.runUntil(seconds(10));
    gang("ending", 3, 8);
    gang("big", 2, 8);
    cluster.runUntil(seconds(90));
    cluster.neverEnds = pod -> pod.key().name().startsWith("ending");
    for (int i = 0; i < 3; i++) {
      cluster.delete("uid-ending-" + i);
    }
    cluster.runUntil(seconds(100));
    gang("small", 1, 8);
    cluster.runUntil(seconds(300));
    assertThat(cluster.boundOf("small")).as("there is room, and it is kept for big").isZero();
  }

  @Test
  void aGangIsTakenToRunAsLongAsItsKinDid() {
    nodes(2, 8);
    gang("nightly-1", 1, 8);
    cluster.runUntil(seconds(10));
    gangEndsAfter("nightly-1", Duration.ofMinutes(5));
    cluster.runUntil(Duration.ofMinutes(10));
    assertThat(cluster.pods).isEmpty();

    gang("a", 1, 8, Duration.ofMinutes(30));
    cluster.runUntil(Duration.ofMinutes(11));
    gangEndsAfter("a", Duration.ofMinutes(30));
    gang("big", 2, 8);
    cluster.runUntil(Duration.ofMinutes(13));
    gang("weekly-1", 1, 8);
    gang("nightly-2", 1, 8);
    cluster.runUntil(Duration.ofMinutes(14));
    assertThat(cluster.boundOf("nightly-2")).isEqualTo(1);
    assertThat(cluster.boundOf("weekly-1")).isZero();
  }

  @Test
  void smallGangsPassWhereTheyDelayNobody() {
    nodes(3, 8);
    cluster.addNode(aNode("other").gpus(4).build());
    gang("a", 1, 8);
    cluster.runUntil(seconds(10));
    gang("big", 3, 8);
    cluster.runUntil(seconds(90));
    gang("small", 1, 4);
    cluster.runUntil(seconds(110));
    assertThat(cluster.boundOf("small")).isEqualTo(1);
    assertThat(cluster.boundOf("big")).isZero();
  }

  @Test
  void aBackfillReservationGoesWithItsGang() {
    bigHasAClaimBesideA();
    gang("next", 1, 8);
    cluster.runUntil(seconds(100));
    assertThat(cluster.boundOf("next")).isZero();

    Set.copyOf(cluster.pods.keySet()).stream()
        .filter(uid -> cluster.pods.get(uid).key().name().startsWith("big"))
        .forEach(cluster::delete);
    cluster.runUntil(seconds(125));
    assertThat(cluster.boundOf("next")).isEqualTo(1);
  }

  @Test
  void aGangThatNoNodesCouldHoldGetsNoClaimAndStopsNobody() {
    nodes(2, 8);
    gang("huge", 3, 8);
    cluster.runUntil(seconds(120));
    gang("next", 2, 8);
    cluster.runUntil(seconds(140));
    assertThat(cluster.boundOf("next")).isEqualTo(2);
  }

  @Test
  void aBackfillReservationMovesToOtherNodesWhenOneOfItsOwnGoes() {
    nodes(3, 8);
    gang("a", 1, 8, Duration.ofMinutes(10));
    gang("b", 1, 8, Duration.ofMinutes(20));
    cluster.runUntil(seconds(10));
    gangEndsAfter("a", Duration.ofMinutes(10));
    gangEndsAfter("b", Duration.ofMinutes(20));
    gang("big", 2, 8);
    cluster.runUntil(seconds(90));
    var free =
        cluster.nodes.keySet().stream()
            .filter(node ->
                cluster.pods.values().stream()
                    .noneMatch(pod -> pod.progress().nodeName().filter(node::equals).isPresent()))
            .findFirst()
            .orElseThrow();
    cluster.removeNode(free);

    var whole = wholeAt("big", 2, Duration.ofMinutes(40));
    assertThat(whole).isBefore(Instant.EPOCH.plus(Duration.ofMinutes(21)));
  }

  @Test
  void afterARestartAGangGetsItsClaimAgain() {
    bigHasAClaimBesideA();
    cluster.kill();
    cluster.startMuster();
    cluster.runUntil(seconds(170));
    assertThat(cluster.report("big").message()).contains("what comes free is kept for it: 8 of 16");
  }

  @Test
  void aBackfillReservationEndsWhenItsNamespaceStepsIntoTheShadow() {
    bigHasAClaimBesideA();
    cluster.enrol("ml", Enrolment.SHADOW);
    cluster.pods.keySet().forEach(cluster.scheduler::reject);
    cluster.runUntil(seconds(95));
    for (int i = 0; i < 8; i++) {
      cluster.create(aPod("other", "one-" + i).gpus(1).createdAt(cluster.now()).build());
    }
    cluster.runUntil(seconds(140));
    assertThat(cluster.pods.values().stream().filter(pod -> pod.key().namespace().equals("other")))
        .allMatch(Pod::isBound);
  }
}
