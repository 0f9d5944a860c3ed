package io.muster.controller.kinds.dlrover;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.elastic.AnyRoom;
import io.muster.controller.core.elastic.ByTerms;
import io.muster.controller.core.elastic.CapacityOracle;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.View;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Standing;
import io.muster.controller.core.state.RestartRound;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.controller.kinds.dlrover.plan.GrowBacks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When lost workers of a job come back, and how often: in virtual time. */
final class GrowingBackTest {

  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration TICK = Duration.ofSeconds(5);

  private static final List<Pod> WORKERS =
      IntStream.range(0, 4).mapToObj(GrowingBackTest::worker).toList();

  private final Map<String, ElasticJob> jobs = new HashMap<>();
  private final List<ScalePlan> plans = new ArrayList<>();
  private final List<Instant> tries = new ArrayList<>();
  private Instant now = START;
  private int room = 2;
  private int lost;
  private String more = "";
  private String ofWorkers = "";
  private String command = "dlrover-run";

  /** Four workers, of which the last ones are lost. */
  private ElasticJobSize size() {
    var text =
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: j, namespace: ml, uid: u, creationTimestamp: "2026-01-01T00:00:00Z"}
        spec:
          %s
          replicaSpecs:
            worker:
              replicas: 4
              %s
              template: {spec: {containers: [{name: main, image: any, args: [%s]}]}}
        """
            .formatted(more, ofWorkers, command);
    var job = jobs.computeIfAbsent(text, it -> Serialization.unmarshal(it, ElasticJob.class));
    var pods = new HashMap<String, Pod>();
    WORKERS.subList(0, 4 - lost).forEach(pod -> pods.put(pod.getMetadata().getName(), pod));
    return new ElasticJobSize(job, state(), pods, List.copyOf(plans));
  }

  private JobState state() {
    var ended = new HashMap<Integer, Boolean>();
    IntStream.range(4 - lost, 4).forEach(index -> ended.put(index, false));
    return new JobState(
        JobState.Phase.RUNNING,
        Optional.of(START),
        Optional.empty(),
        Optional.empty(),
        0,
        Map.of("worker", List.of(0, 1, 2, 3)),
        Map.of(),
        Map.of(),
        Set.of(),
        Optional.empty(),
        Map.of(),
        Map.of(),
        Map.of(),
        Map.of("worker", new Standing(Map.of(), Map.of(), ended)),
        RestartRound.NONE);
  }

  private static Pod worker(int index) {
    return Serialization.unmarshal(
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: j-edljob-worker-%1$d
          namespace: ml
          uid: w%1$d
          creationTimestamp: "2026-01-01T00:00:00Z"
          labels: {elasticjob.dlrover/replica-type: worker, elasticjob.dlrover/replica-index: "%1$d"}
          ownerReferences: [{uid: u, name: j, kind: ElasticJob, apiVersion: any}]
        spec: {containers: []}
        status: {phase: Running}
        """
            .formatted(index),
        Pod.class);
  }

  private final CapacityOracle nodes =
      new AnyRoom() {
        @Override
        public List<Optional<List<String>>> places(List<Wish> wishes, Collection<String> gone) {
          var pods = wishes.stream().flatMap(wish -> likes(wish).stream()).toList();
          var places =
              pods.size() <= room
                  ? Optional.of(Collections.nCopies(pods.size(), "n"))
                  : Optional.<List<String>>empty();
          return Collections.nCopies(wishes.size(), places);
        }
      };

  private List<Decision> decided() {
    var size = size();
    return size.growsBack()
        ? ByTerms.withoutSharing()
            .plan(
                new View(List.of(size.elastic()), List.of(), List.of(), size.leaving(), nodes), now)
        : List.of();
  }

  /** The plan is made, and carried out at once. */
  private void carriedOut() {
    var name = size().growBacks().nextName();
    tries.add(now);
    plans.add(
        Serialization.unmarshal(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ScalePlan
            metadata: {name: %1$s, namespace: ml, creationTimestamp: "%2$s"}
            spec: {ownerJob: j, replicaResourceSpecs: {worker: {replicas: 4}}}
            status: {phase: Succeeded, finishTime: "%2$s"}
            """
                .formatted(name, now),
            ScalePlan.class));
  }

  /** Whoever comes back is lost again before the next look. */
  private void pass(Duration time) {
    for (var until = now.plus(time); now.isBefore(until); now = now.plus(TICK)) {
      if (!decided().isEmpty()) {
        carriedOut();
      }
    }
  }

  @Test
  void lostWorkersComeBackInOneStepOnceThereIsRoomForThem() {
    lost = 2;
    room = 0;
    assertThat(decided()).isEmpty();
    room = 2;
    assertThat(decided())
        .singleElement()
        .isInstanceOfSatisfying(Decision.Grow.class, grow -> assertThat(grow.count()).isEqualTo(2));
    lost = 0;
    assertThat(decided()).isEmpty();
  }

  @Test
  void withRoomForFewerAsManyUnitsComeAsTheirCommandSays() {
    lost = 3;
    command = "dlrover-run, --node_unit=2";
    room = 1;
    assertThat(decided()).isEmpty();
    room = 2;
    assertThat(decided())
        .singleElement()
        .isInstanceOfSatisfying(Decision.Grow.class, grow -> assertThat(grow.count()).isEqualTo(2));
  }

  @Test
  void workersThatEndByThemselvesComeBackEverLaterAndNotForEver() {
    lost = 2;
    pass(Duration.ofDays(2));
    assertThat(tries)
        .extracting(at -> Duration.between(START, at).toMinutes())
        .containsExactly(0L, 1L, 3L, 7L, 15L);
    assertThat(size().growBacks().isGivenUp()).isTrue();
  }

  @Test
  void aJobThatHasBeenWholeForAnHourHasItsTriesBehindIt() {
    lost = 2;
    pass(Duration.ofHours(1));
    assertThat(size().growBacks().past(now.minusSeconds(900))).isEmpty();
    now = now.plus(Duration.ofMinutes(15));
    assertThat(size().growBacks().past(now)).hasSize(GrowBacks.MOST);
    plans.clear();
    assertThat(decided()).hasSize(1);
  }

  @Test
  void nobodyComesBackToASuspendedJobOrOneThatShallNotBeResized() {
    lost = 2;
    more = "suspend: true";
    assertThat(decided()).isEmpty();
    more = "";
    assertThat(decided()).isNotEmpty();
    ofWorkers = "autoScale: false";
    assertThat(decided()).isEmpty();
  }
}
