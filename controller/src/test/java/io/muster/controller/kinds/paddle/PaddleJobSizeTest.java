package io.muster.controller.kinds.paddle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.elastic.CapacityOracle;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.GangPolicy;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import io.muster.controller.core.elastic.View;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How large a job may be, for those who share the room out. */
final class PaddleJobSizeTest {

  private static PlayedJob running() {
    return PlayedJob.example().run(4);
  }

  private static ResizableJob elastic(PlayedJob played) {
    return played.size().elastic(played.now).orElseThrow();
  }

  @Test
  void itMayGrowToItsMaximumAtOnceAndGivesBackAboveItsMinimumAlone() {
    var size = elastic(running());

    assertThat(size.workers())
        .extracting(Worker::name)
        .containsExactly("example-trainer-0", "example-trainer-1");
    assertThat(size.least()).isEqualTo(2);
    assertThat(size.most()).isEqualTo(10);
    assertThat(size.stride().most()).isEqualTo(8);
    assertThat(size.isWhole()).isTrue();
    assertThat(size.coming()).isZero();
    assertThat(size.last()).isEmpty();
  }

  @Test
  void trainersThatWereAskedForAndAreNotThereAreComing() {
    var played = running();
    played.decide(new Decision.Grow("", 3, "there is room for more"));

    assertThat(elastic(played).coming()).isEqualTo(3);
    assertThat(elastic(played).isWhole()).isFalse();
    played.run(1);
    assertThat(elastic(played).coming()).isZero();
    played.run(1);
    assertThat(elastic(played).workers()).hasSize(5);
    assertThat(elastic(played).isWhole()).isTrue();
  }

  /** All jobs are looked at together: what stops at one of them stops at all. */
  @Test
  void aMomentAtTheEndOfTimeDoesNotKeepTheOthersFromBeingSized() {
    var decided = "{\"count\": 2, \"at\": \"+1000000000-12-31T23:59:59Z\"}";
    var size = elastic(running().annotated(TrainerDecision.KEY, decided));
    CapacityOracle room = mock();
    when(room.places(any(), any())).thenReturn(List.of(Optional.of(List.of())));
    var view = new View(List.of(size), List.of(), List.of(), List.of(), room);

    assertThatCode(() -> new GangPolicy(GangPolicy.HeadRoom.NONE).plan(view, Instant.EPOCH))
        .doesNotThrowAnyException();
  }

  @Test
  void thoseThatFindNoRoomForAMinuteAreGivenUpAndTheMinimumNever() {
    var played = running();
    played.room = 6;
    played.decide(new Decision.Grow("", 3, "there is room for more"));
    played.run(59);
    assertThat(played.size().withoutThoseThatWait(played.now)).isEmpty();
    played.run(2);
    var decided = played.size().withoutThoseThatWait(played.now).orElseThrow();
    assertThat(decided.count()).isEqualTo(3);
    assertThat(decided.hasFailed()).isTrue();
    assertThat(decided.why()).isEqualTo("no room for 2 of them within 60 s");
    played.annotated(TrainerDecision.KEY, decided.written()).run(3);
    assertThat(played.pods).hasSize(6);
    assertThat(played.phase()).isEqualTo("running");
    assertThat(elastic(played).isWhole()).isTrue();
    assertThat(elastic(played).last().orElseThrow().hasFailed()).isTrue();
    assertThat(played.records().getFirst().status()).isEqualTo("False");

    played.pods.remove("example-trainer-0");
    played.room = 0;
    played.run(70);
    var again = played.size().withoutThoseThatWait(played.now).orElseThrow();
    assertThat(again.count()).isEqualTo(2);
    assertThat(played.annotated(TrainerDecision.KEY, again.written()).size().trainers().numbers())
        .containsExactly(1, 2);
  }

  /** What they would have is not kept from others for as long as a quota stands. */
  @Test
  void thoseThatCannotBeCreatedAreGivenUpToo() {
    var played = running();
    played.quota = played.pods.size() + 1;
    played.decide(new Decision.Grow("", 3, "there is room for more"));
    played.run(59);
    assertThat(elastic(played).coming()).isEqualTo(2);
    assertThat(played.size().withoutThoseThatWait(played.now)).isEmpty();
    played.run(2);

    var decided = played.size().withoutThoseThatWait(played.now).orElseThrow();
    assertThat(decided.count()).isEqualTo(3);
    assertThat(decided.hasFailed()).isTrue();
    assertThat(decided.why()).isEqualTo("2 of them could not be created within 60 s");
    played.annotated(TrainerDecision.KEY, decided.written()).run(3);
    assertThat(played.phase()).isEqualTo("running");
    assertThat(elastic(played).coming()).isZero();
    assertThat(elastic(played).isWhole()).isTrue();
    assertThat(elastic(played).most()).isEqualTo(3);
    played.run(600);
    assertThat(elastic(played).most()).isEqualTo(10);
  }

  /** One that was there is made anew, however long that takes. */
  @Test
  void oneThatIsLostAndCannotBeMadeAnewYetIsNotGivenUp() {
    var played = running();
    played.decide(new Decision.Grow("", 1, "there is room for more"));
    played.run(70);
    played.quota = played.pods.size() - 1;
    played.pods.remove("example-trainer-2");
    played.run(70);

    assertThat(played.size().withoutThoseThatWait(played.now)).isEmpty();
    played.quota++;
    assertThat(played.run(3).running()).contains("trainer-2");
  }

  @Test
  void itIsNotOursToDecideWhereItsUserHasOrNothingMayChangeOrTheWorkIsDone() {
    assertThat(PlayedJob.rigid().run(4).size().elastic(PlayedJob.START)).isEmpty();

    var exact =
        new PlayedJob(
                """
                apiVersion: paddlepaddle.org/v1
                kind: TrainingJob
                metadata: {name: j}
                spec:
                  fault_tolerant: true
                  trainer: {entrypoint: t, min-instance: 1, max-instance: 5, parallelism: 3}
                """)
            .run(4);
    assertThat(exact.running()).hasSize(4);
    assertThat(exact.size().elastic(exact.now)).isEmpty();

    var done = running();
    done.end("example-trainer-0", 0, null);
    done.run(1);
    assertThat(done.size().elastic(done.now)).isEmpty();
  }

  /** Else it would be again what was decided before, by the room there was then. */
  @ParameterizedTest
  @CsvSource({"10, 3", "10, 9", "4, "})
  void onceItsUserTakesBackWhatHeSaidItIsDecidedFromThere(int most, Integer exact) {
    var played = running();
    played.decide(new Decision.Grow("", 4, "there is room for more"));
    played.run(3);
    assertThat(played.size().asItsUserHasIt(played.now)).isEmpty();
    played.edit(most, exact);
    played.run(3);
    int trainers = played.pods.size() - 3;
    var said = played.size().asItsUserHasIt(played.now).orElseThrow();
    played.annotated(TrainerDecision.KEY, said.written());
    assertThat(played.size().asItsUserHasIt(played.now)).isEmpty();
    played.edit(10, null);
    played.run(3);
    assertThat(trainers).isEqualTo(exact == null ? most : exact);
    assertThat(elastic(played).workers()).hasSize(trainers);
    assertThat(played.events).last().asString().startsWith("Scaling: from 6 to " + trainers);
  }

  @Test
  void whoGoesIsCountedAsLeaving() {
    var played = running();
    played.decide(new Decision.Grow("", 1, "there is room for more"));
    played.run(3);
    var uid = played.pods.get("example-trainer-2").getMetadata().getUid();
    played.decide(
        new Decision.GiveBack(
            "",
            List.of("example-trainer-2"),
            Decision.Cause.EVENNESS,
            Optional.empty(),
            "gives back example-trainer-2"));

    assertThat(played.size().leaving()).containsExactly(uid);
  }

  @ParameterizedTest
  @CsvSource({
    "paddlepaddle/edl-controller, edl, 1, true",
    "mirror/other:7, -max_load_desired=0.9, 1, true",
    "paddlepaddle/edl-controller:latest, edl, 0, false",
    "paddlepaddle/edl-example, edl, 1, false",
  })
  void theControllerWhoseKindItWasIsRecognised(
      String image, String word, int replicas, boolean isIt) {
    var deployment =
        Serialization.unmarshal(
            """
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: training-job-controller}
            spec:
              replicas: %d
              template: {spec: {containers: [{name: c, image: "%s", command: ["/usr/local/bin/edl", "%s"]}]}}
            """
                .formatted(replicas, image, word),
            Deployment.class);
    assertThat(PaddleKind.OPERATOR.isRunBy(deployment)).isEqualTo(isIt);
  }
}
