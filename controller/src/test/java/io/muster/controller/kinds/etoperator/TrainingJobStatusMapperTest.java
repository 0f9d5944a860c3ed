package io.muster.controller.kinds.etoperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.muster.controller.api.Condition;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Passed;
import io.muster.controller.core.state.JobState.Passed.Step;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.RestartRound;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.GangSight;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is stored of a job is read as it was. */
final class TrainingJobStatusMapperTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static TrainingJob job() {
    var job = new TrainingJob();
    job.setMetadata(new ObjectMetaBuilder().withName("j").withNamespace("ml").withUid("u").build());
    return job;
  }

  private static TrainingJob stored(JobState state, News... news) {
    var job = job();
    reconcile(job, state, List.of(news), NOW);
    return job;
  }

  private static void reconcile(TrainingJob job, JobState state, List<News> news, Instant now) {
    job.setStatus(
        TrainingJobStatusMapper.status(
            new DecidedJob<>(job, state, List.of(), List.of(), GangSight.NONE, news, now)));
  }

  private static JobState running(Phase phase) {
    return new JobState(
        phase,
        Optional.of(NOW),
        phase.isEnd() ? Optional.of(NOW) : Optional.empty(),
        phase == Phase.STARTING ? Optional.of(NOW.plusMillis(5)) : Optional.empty(),
        2,
        Map.of(EtOperatorNames.WORKER, List.of(0, 3, 10), EtOperatorNames.LAUNCHER, List.of(0)),
        Map.of(EtOperatorNames.WORKER, List.of(10), EtOperatorNames.LAUNCHER, List.of(0)),
        Map.of(EtOperatorNames.WORKER, 7),
        Set.of(
            new Passed(Step.MADE, EtOperatorNames.WORKER),
            new Passed(Step.UP, EtOperatorNames.WORKER),
            new Passed(Step.MADE, EtOperatorNames.LAUNCHER),
            new Passed(Step.UP, EtOperatorNames.LAUNCHER)),
        phase == Phase.SCALING ? Optional.of("ScaleIn:ml/in") : Optional.empty(),
        Map.of(EtOperatorNames.WORKER, 3),
        Map.of(EtOperatorNames.WORKER, 1),
        Map.of(EtOperatorNames.WORKER, List.of(NOW, NOW, NOW.plusSeconds(7))),
        Map.of(),
        RestartRound.NONE);
  }

  private static final News[] STARTED = {
    new News.Accepted(),
    new News.Made(EtOperatorNames.WORKER),
    new News.Up(EtOperatorNames.WORKER, 3),
    new News.Made(EtOperatorNames.LAUNCHER),
    new News.Up(EtOperatorNames.LAUNCHER, 1),
    new News.Running()
  };

  @Test
  void everyPhaseIsReadAsItWasWritten() {
    for (var phase :
        List.of(Phase.STARTING, Phase.RUNNING, Phase.SCALING, Phase.SUCCEEDED, Phase.FAILED)) {
      assertThat(TrainingJobStatusMapper.state(stored(running(phase), STARTED)))
          .isEqualTo(running(phase));
    }
    assertThat(TrainingJobStatusMapper.state(job())).isEqualTo(JobState.NEW);
  }

  @Test
  void aJobThatHasEndedKeepsWhatItWentThrough() {
    var job = stored(running(Phase.RUNNING), STARTED);
    for (int i = 0; i < 2; i++) {
      reconcile(
          job,
          running(Phase.FAILED),
          i == 0 ? List.of(new News.Failed(News.Failed.Cause.MEMBER, "OOMKilled")) : List.of(),
          NOW);
    }
    assertThat(job.getStatus().conditions())
        .extracting(Condition::type, Condition::status)
        .containsExactly(
            tuple("Created", "True"),
            tuple("WorkersCreated", "True"),
            tuple("WorkersReady", "True"),
            tuple("LauncherCreated", "True"),
            tuple("Running", "False"),
            tuple("Failed", "True"));
    assertThat(job.getStatus().conditions().getLast().reason()).isEqualTo("OOMKilled");
  }

  /** Nobody else tells which pod it was. */
  @ParameterizedTest
  @CsvSource({
    "MEMBER, '', job(ml/j) has failed",
    "MEMBER, OOMKilled, job(ml/j) has failed",
    "EVICTED, Evicted, job(ml/j) has failed",
    "MEMBER, OutOfnvidia.com/gpu, job(ml/j) has failed: OutOfnvidia.com/gpu",
    "MEMBER, j-launcher was deleted, job(ml/j) has failed: j-launcher was deleted",
    "MEMBER, j-worker-0 ended before the job ran,"
        + " job(ml/j) has failed: j-worker-0 ended before the job ran"
  })
  void whatItHasFailedForIsSaid(News.Failed.Cause cause, String why, String message) {
    var job = stored(running(Phase.RUNNING), STARTED);
    reconcile(job, running(Phase.FAILED), List.of(new News.Failed(cause, why)), NOW);
    assertThat(job.getStatus().conditions().getLast().message()).isEqualTo(message);
  }

  @Test
  void whileItIsSuspendedItDoesNotRunAndAfterwardsItIsNotSuspended() {
    var job = stored(running(Phase.RUNNING), STARTED);
    for (var phase : List.of(Phase.SUSPENDED, Phase.RUNNING)) {
      boolean isSuspended = phase == Phase.SUSPENDED;
      var news = isSuspended ? new News.Suspended() : new News.Running();
      reconcile(job, running(phase), List.of(news), NOW);
      assertThat(job.getStatus().conditions())
          .extracting(Condition::type, Condition::status)
          .contains(
              tuple("Suspended", isSuspended ? "True" : "False"),
              tuple("Running", isSuspended ? "False" : "True"));
    }
  }

  @Test
  void tooFewWorkersAreAConditionBesideThePhase() {
    var job = stored(running(Phase.RUNNING), STARTED);
    var tooFew = List.<News>of(new News.BelowLeast(EtOperatorNames.WORKER, 1, 2));
    for (int i = 0; i < 2; i++) {
      reconcile(job, running(Phase.RUNNING), tooFew, NOW.plus(Duration.ofMinutes(i)));
    }
    assertThat(job.getStatus().conditions().getFirst())
        .isEqualTo(
            new Condition(
                "BelowMinReplicas",
                "True",
                "BelowMinReplicas",
                "workers 1 < minReplicas 2",
                NOW.toString(),
                NOW.toString()));
    assertThat(job.getStatus().conditions().getLast().type()).isEqualTo("Running");
    reconcile(job, running(Phase.RUNNING), List.of(), NOW);
    assertThat(job.getStatus().conditions())
        .extracting(Condition::type, Condition::status)
        .contains(tuple("BelowMinReplicas", "False"), tuple("Running", "True"));
  }

  @Test
  void aJobThatStartsAgainForgetsWhatItWentThrough() {
    var job = stored(running(Phase.RUNNING), STARTED);
    var again =
        new JobState(
            Phase.RESTARTING,
            Optional.of(NOW),
            Optional.empty(),
            Optional.empty(),
            3,
            Map.of(),
            Map.of(),
            Map.of(),
            Set.of(),
            Optional.empty(),
            Map.of(),
            Map.of(),
            Map.of(),
            Map.of(),
            RestartRound.NONE);
    reconcile(job, again, List.of(new News.Restarted(3)), NOW);
    assertThat(job.getStatus().conditions()).isEmpty();
    assertThat(job.getStatus().restartCount()).isEqualTo(3);
    assertThat(job.getStatus().phase())
        .as("et-operator never says Restarting")
        .isEqualTo("Created");
    assertThat(TrainingJobStatusMapper.state(job).phase()).isEqualTo(Phase.RESTARTING);
    assertThat(TrainingJobStatusMapper.state(job).passed()).isEmpty();
  }
}
