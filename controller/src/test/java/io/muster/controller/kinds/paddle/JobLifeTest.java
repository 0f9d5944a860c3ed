package io.muster.controller.kinds.paddle;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.state.Observed;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kinds.paddle.api.ReplicaStates;
import io.muster.controller.kinds.paddle.api.ScaleRecords.ScaleRecord;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What users see of a job from its beginning to its end, in virtual time. */
final class JobLifeTest {

  private static final List<String> FIVE =
      List.of("master-0", "pserver-0", "pserver-1", "trainer-0", "trainer-1");

  private static PlayedJob running() {
    var played = PlayedJob.example().run(4);
    assertThat(played.phase()).isEqualTo("running");
    return played;
  }

  @Test
  void itIsPendingThenCreatingThenRunning() {
    var played = PlayedJob.example();
    played.room = 0;
    played.run(2);
    assertThat(played.phase()).isEqualTo("pending");
    played.room = 4;
    played.run(2);
    assertThat(played.phase()).isEqualTo("creating");
    assertThat(played.reason()).isEqualTo("4 of 5 pods run");
    played.room = 5;
    played.run(2);
    assertThat(played.phase()).isEqualTo("running");
    assertThat(played.reason()).isEqualTo("all pods are running");
    assertThat(played.job.getStatus().replicaStatuses())
        .containsExactly(
            new ReplicaStates("master", "running", Map.of("running", 1)),
            new ReplicaStates("pserver", "running", Map.of("running", 2)),
            new ReplicaStates("trainer", "running", Map.of("running", 2)));
    assertThat(played.job.getStatus().selector()).isEqualTo("paddle-job=example");
  }

  @Test
  void oneThatWasEndedAsAWholeForAnotherGangIsPendingAgain() {
    var played = running();
    played.room = 0;
    played.pods.clear();
    played.run(3);
    assertThat(played.pods).hasSize(5);
    assertThat(played.phase()).isEqualTo("pending");
    played.room = 5;
    played.run(2);
    assertThat(played.phase()).isEqualTo("running");
  }

  @Test
  void podsThatAreMadeOrOnTheirWayAreNoWarning() {
    var played = PlayedJob.example();
    played.room = 0;
    for (var reason : List.of(Reason.MEMBERS_MISSING, Reason.RESERVED, Reason.BINDING)) {
      played.report =
          Optional.of(new GangReport(GangRecord.Phase.WAITING, 5, 0, reason, "under way", ""));
      played.run(2);
      assertThat(played.reason()).isEqualTo("under way");
    }
    assertThat(played.events).noneMatch(event -> event.startsWith("Pending: "));
    played.report =
        Optional.of(new GangReport(GangRecord.Phase.WAITING, 5, 0, Reason.NO_ROOM, "full", ""));
    played.run(1);
    assertThat(played.events).contains("Pending: full");
  }

  @Test
  void whyAGangWaitsIsTheReasonOfTheJob() {
    var played = PlayedJob.example();
    played.room = 0;
    played.run(2);
    // What another component says of a pod is not the reason of the job.
    played.pods.get("example-trainer-0").getStatus().getConditions().add(condition("Gang \"x\""));
    played.report =
        Optional.of(
            new GangReport(
                GangRecord.Phase.WAITING,
                5,
                0,
                Reason.NO_ROOM,
                "no room for 5 members together: 2 Insufficient cpu",
                "add nodes for 1 more member"));
    played.run(1);
    assertThat(played.reason())
        .isEqualTo(
            "no room for 5 members together: 2 Insufficient cpu; add nodes for 1 more member");
  }

  /** Trainers that run without anybody to hold the parameters train nothing. */
  @Test
  void aJobWhoseServersAreGoneDoesNotRun() {
    var played = running();
    played.room = 0;
    played.pods.keySet().removeIf(name -> !name.contains("trainer"));
    played.run(2);
    assertThat(played.phase()).isEqualTo("pending");
    assertThat(played.reason()).startsWith("master 0 of 1, pserver 0 of 2: ");
    played.room = 99;
    played.run(2);
    assertThat(played.phase()).isEqualTo("running");
  }

  private static PodCondition condition(String message) {
    return new PodConditionBuilder()
        .withType("PodScheduled")
        .withStatus("False")
        .withMessage(message)
        .build();
  }

  @Test
  void itScalesToWhatIsDecidedAndSaysSo() {
    var played = running();
    played.decide(new Decision.Grow("", 3, "there is room for more"));
    played.room = 7;
    played.run(2);
    assertThat(played.phase()).isEqualTo("scaling");
    assertThat(played.reason()).isEqualTo("4 of 5 trainers run: there is room for more");
    played.room = 8;
    played.run(2);
    assertThat(played.phase()).isEqualTo("running");
    assertThat(played.job.getStatus().parallelism()).isEqualTo(5);
    assertThat(played.records())
        .containsExactly(
            new ScaleRecord("2026-01-01T00:00:04Z", 3, "True", "there is room for more"));
    assertThat(played.events).contains("Scaling: from 2 to 5 trainers: there is room for more");
  }

  @Test
  void trainersThatAreGivenBackAreThoseThatWereNamedAndTheOthersStay() {
    var played = running();
    played.decide(new Decision.Grow("", 4, "there is room for more"));
    played.run(3);
    var uid = played.pods.get("example-trainer-5").getMetadata().getUid();
    played.decide(
        new Decision.GiveBack(
            "",
            List.of("example-trainer-2", "example-trainer-4"),
            Decision.Cause.GANG,
            Optional.of("MUSTER:ml/urgent"),
            "gives back example-trainer-2, example-trainer-4 for gang ml/urgent, which has a"
                + " higher priority"));
    played.run(3);
    assertThat(played.running()).containsAll(FIVE).contains("trainer-3", "trainer-5").hasSize(7);
    assertThat(played.records().getLast())
        .isEqualTo(
            new ScaleRecord(
                "2026-01-01T00:00:07Z",
                -2,
                "True",
                "gives back example-trainer-2, example-trainer-4 for gang ml/urgent, which has a"
                    + " higher priority"));
    played.decide(new Decision.Grow("", 1, "there is room for more"));
    played.run(3);
    assertThat(played.running()).contains("trainer-2", "trainer-5").hasSize(8);
    assertThat(played.pods.get("example-trainer-5").getMetadata().getUid()).isEqualTo(uid);
  }

  @Test
  void aUserSaysHowManyAndALowerMaximumIsFollowedAtOnce() {
    var played = running();
    played.edit(10, 6);
    played.run(3);
    assertThat(played.job.getStatus().running()).isEqualTo(6);
    assertThat(played.records().getLast().reason()).isEqualTo("parallelism is 6");
    played.edit(4, 6);
    played.run(3);
    assertThat(played.job.getStatus().running()).isEqualTo(4);
    played.edit(10, null);
    played.decide(new Decision.Grow("", 6, "there is room for more"));
    played.run(3);
    played.edit(3, null);
    played.run(3);
    assertThat(played.running()).containsAll(FIVE).contains("trainer-2").hasSize(6);
    assertThat(played.records().getLast().reason()).isEqualTo("max-instance is 3");
  }

  @Test
  void whatNobodyCanHaveMeantLeavesTheSizeAsItIs() {
    var played = running();
    played.decide(new Decision.Grow("", 3, "there is room for more"));
    played.run(3);
    played.annotated(TrainerDecision.KEY, "five").run(3);
    assertThat(played.running()).hasSize(8);
    played.annotated(TrainerDecision.KEY, "{\"count\":0,\"at\":\"now\"}").run(3);
    assertThat(played.running()).hasSize(8);
  }

  @Test
  void whenTrainersHaveSucceededMasterAndPserversGoAndTheTrainersStay() {
    var played = running();
    played.end("example-trainer-1", 0, null);
    played.run(1);
    played.end("example-trainer-0", 137, null);
    played.run(3);
    assertThat(played.phase()).isEqualTo("succeeded");
    assertThat(played.pods).containsOnlyKeys("example-trainer-0", "example-trainer-1");
    assertThat(played.events).anyMatch(event -> event.startsWith("Terminated: "));
    assertThat(played.job.getStatus().completionTime()).isNotNull();
  }

  /** Others have taken the room that was free when it grew. */
  @Test
  void aJobWhoseWorkIsDoneWaitsForNoTrainerThatFindsNoRoom() {
    var played = running();
    played.room = 5;
    played.decide(new Decision.Grow("", 2, "there is room for more"));
    played.run(3);
    assertThat(played.pods).hasSize(7);
    played.room = 3;
    played.end("example-trainer-0", 0, null);
    played.end("example-trainer-1", 0, null);
    played.run(5);
    assertThat(played.phase()).isEqualTo("succeeded");
    assertThat(played.pods).containsOnlyKeys("example-trainer-0", "example-trainer-1");
  }

  @Test
  void aTrainerThatAlwaysFailsIsMadeAnewSoOftenAndThenItFailsWithTheMessage() {
    var played = running().annotated("muster.io/trainer-failure-limit", "3");
    int failures = 0;
    for (int i = 0; i < 30 && !played.phase().equals("failed"); i++) {
      if (played.running().contains("trainer-0")) {
        played.end("example-trainer-0", 1, "General Error\n");
        failures++;
      }
      played.run(1);
    }
    played.run(2);
    assertThat(failures).isEqualTo(4);
    assertThat(played.reason())
        .isEqualTo(
            "Failed trainer count beyond the threshold: 3 (example-trainer-0 on 10.0.0.1: exit code"
                + " 1, General Error)");
    assertThat(played.pods).containsOnlyKeys("example-trainer-0");
    assertThat(played.events)
        .contains(
            "PodLost: pod example-trainer-0 has failed (example-trainer-0 on 10.0.0.1: exit code 1,"
                + " General Error)",
            "Pods Failed: " + played.reason());
  }

  @Test
  void theLimitFollowsTheMaximumAndIsNeverBelowTheMinimum() {
    var job = PlayedJob.example().job;
    assertThat(PaddleJobSpecMapper.failureLimit(job)).isEqualTo(10);
    job.getMetadata().getAnnotations().put("muster.io/trainer-failure-limit", "1");
    assertThat(PaddleJobSpecMapper.failureLimit(job)).isEqualTo(2);
    assertThat(PaddleJobSpecMapper.failureLimit(PlayedJob.rigid().job)).isZero();
  }

  @Test
  void aTrainerThatEndsWellOnlyBecauseOthersFailedHasFailed() {
    var played = running();
    played.end("example-trainer-0", 0, "Failed trainer count beyond the threshold: 2");
    played.run(3);
    assertThat(played.phase()).isEqualTo("running");
    assertThat(played.running()).containsAll(FIVE);
  }

  @Test
  void aRigidJobFailsWithItsFirstFailure() {
    var played = PlayedJob.rigid().run(4);
    assertThat(played.phase()).isEqualTo("running");
    played.end("rigid-trainer-1", 139, "Segmentation Fault");
    played.run(3);
    assertThat(played.phase()).isEqualTo("failed");
    assertThat(played.reason())
        .isEqualTo(
            "Failed trainer count beyond the threshold: 0 (rigid-trainer-1 on 10.0.0.1: exit code"
                + " 139, Segmentation Fault)");
  }

  @Test
  void aRigidJobSucceedsWhenEachTrainerHas() {
    var played = PlayedJob.rigid().run(4);
    played.end("rigid-trainer-0", 0, null);
    played.run(3);
    assertThat(played.phase()).isEqualTo("running");
    played.end("rigid-trainer-1", 0, null);
    played.run(3);
    assertThat(played.phase()).isEqualTo("succeeded");
  }

  @Test
  void lostServersAndTrainersComeBackUnderTheirNamesAndCountForNothing() {
    var played = running().annotated("muster.io/trainer-failure-limit", "0");
    for (var name : List.of("example-master-0", "example-pserver-1", "example-trainer-0")) {
      played.pods.remove(name);
      played.run(3);
    }
    assertThat(played.running()).isEqualTo(FIVE);
    assertThat(played.phase()).isEqualTo("running");
  }

  @Test
  void aJobThatCannotBeServedFailsWithTheTextsOfItsFaults() {
    var played = PlayedJob.rigid();
    played.edit(6, null);
    played.run(2);
    assertThat(played.phase()).isEqualTo("failed");
    assertThat(played.reason())
        .startsWith(
            "spec.trainer: max-instances should equal to min-instances when fault_tolerant is"
                + " disabled");
    assertThat(played.pods).isEmpty();
  }

  @Test
  void whereTheApiServerRefusesPodsNobodyOfTheGangStaysAndTheReasonSaysWhy() {
    var played = PlayedJob.example();
    played.room = 0;
    played.run(1);
    played.pods.remove("example-trainer-1");
    played.refusal =
        Optional.of(
            new Observed.Refusal(
                "example-trainer-1",
                "exceeded quota: pods",
                played.now.plus(Duration.ofSeconds(9))));
    played.run(3);
    assertThat(played.pods).isEmpty();
    assertThat(played.phase()).isEqualTo("pending");
    assertThat(played.reason()).isEqualTo("no pods for now: exceeded quota: pods");
    played.refusal = Optional.empty();
    played.room = 5;
    played.run(5);
    assertThat(played.phase()).isEqualTo("running");
  }

  @Test
  void aGracePeriodThatIsNoneIsAsGoodAsNotSaidOnceTheJobRuns() {
    var job = PlayedJob.example().run(5);
    job.annotated(PaddleJob.GRACE_SECONDS, "60s");
    job.pods.remove("example-trainer-1");
    job.run(5);
    assertThat(job.running()).containsExactlyElementsOf(FIVE);
    assertThat(job.pods.get("example-trainer-1").getSpec().getTerminationGracePeriodSeconds())
        .isNull();
  }
}
