package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.core.job.Naming;
import io.muster.controller.core.job.Recovery;
import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.RunPolicy;
import io.muster.controller.core.job.RunPolicy.CleanUp;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Observed;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.RestartRound;
import io.muster.extender.core.gang.Terms;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No number that somebody has written makes the engine hold more than a gang. */
final class LargestJobTest {

  private static final RunPolicy RUN =
      new RunPolicy(
          false,
          false,
          0,
          CleanUp.UNFINISHED,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  private static Job job(Role.Range range, Recovery recovery) {
    return new Job(
        new JobKey("ns", "j", "uid"),
        1,
        List.of(
            new Role("worker", "j-worker", new Naming.Numbered(), range, recovery, Role.End.NEVER),
            new Role(
                "launcher",
                "j-launcher",
                new Naming.Alone(),
                Role.Range.fixed(1),
                Set.of("worker"),
                Recovery.of(Replacement.NEVER),
                Role.End.WITH_ITS_ONE,
                Role.Pause.NONE)),
        RUN,
        List.of());
  }

  private static Outcome look(Job job, JobState state, Resize... resizes) {
    return JobEngine.reconcile(
        job,
        state,
        List.of(resizes),
        new Observed(
            List.of(), Optional.empty(), Map.of(), Optional.empty(), Map.of(), List.of(), Map.of()),
        Instant.EPOCH);
  }

  @Test
  void isAsLargeAsAGang() {
    assertThat(Job.MOST_MEMBERS).isEqualTo(Terms.MAX_MEMBERS);

    var outcome =
        look(job(new Role.Range(5000, 1, 5000), Recovery.of(Replacement.NEVER)), JobState.NEW);

    assertThat(outcome.state().phase()).isEqualTo(Phase.STARTING);
    assertThat(outcome.state().targets().get("worker")).hasSize(5000);
  }

  @ParameterizedTest
  @ValueSource(ints = {5001, 2_000_000_000, Integer.MAX_VALUE})
  void failsBeforeAnythingIsMadeOfALargerOne(int size) {
    for (var job :
        List.of(
            job(new Role.Range(size, 1, size), Recovery.of(Replacement.NEVER)),
            job(new Role.Range(1, size, 1, size), Recovery.of(Replacement.NEVER)),
            job(Role.Range.followed(size, size), Recovery.of(Replacement.LOST)),
            job(Role.Range.followed(size, 1), Recovery.of(Replacement.LOST).keepingNames()))) {
      var outcome = look(job, JobState.NEW);

      assertThat(outcome.state().phase()).isEqualTo(Phase.FAILED);
      assertThat(outcome.state().targets()).isEmpty();
      assertThat(outcome.actions()).isEmpty();
      assertThat(outcome.news())
          .contains(
              new News.Failed(
                  News.Failed.Cause.INVALID,
                  "the job asks for %d members in all (worker %d), and no job may have more than 5000; ask for fewer"
                      .formatted(size, size)));
    }
  }

  @Test
  void countsAllRolesTogether() {
    var role =
        job(Role.Range.followed(Integer.MAX_VALUE, 1), Recovery.of(Replacement.LOST))
            .roles()
            .getFirst();
    var job =
        new Job(
            new JobKey("ns", "j", "uid"),
            1,
            List.of(role, named(role, "b"), named(role, "c")),
            RUN,
            List.of());

    assertThat(job.excess().orElseThrow()).contains("6442450941 members in all");
    assertThat(look(job, JobState.NEW).state().phase()).isEqualTo(Phase.FAILED);
  }

  private static Role named(Role role, String name) {
    return new Role(
        name,
        "j-" + name,
        role.naming(),
        role.range(),
        role.after(),
        role.recovery(),
        role.end(),
        role.pause());
  }

  /** One that runs is not ended over a number: it stays as it is, and says why. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void doesNotFollowARunningOneBeyondThat(boolean keepsNames) {
    var recovery = Recovery.of(Replacement.LOST);
    var known = keepsNames ? recovery.keepingNames() : recovery;
    var begun = look(job(Role.Range.followed(3, 3), known), JobState.NEW).state();

    var outcome = look(job(Role.Range.followed(2_000_000_000, 3), known), begun);

    assertThat(outcome.state().targets().get("worker")).containsExactly(0, 1, 2);
    assertThat(outcome.state().phase()).isEqualTo(Phase.STARTING);
    assertThat(outcome.news())
        .anyMatch(item ->
            item instanceof News.Refused(String message)
                && message.contains("no job may have more than 5000"));
  }

  @ParameterizedTest
  @ValueSource(ints = {4998, 2_000_000_000, Integer.MAX_VALUE})
  void refusesAResizeThatLeadsBeyondThat(int count) {
    var job = job(new Role.Range(3, 3, 1, Integer.MAX_VALUE), Recovery.of(Replacement.NEVER));
    for (var change : List.of(new Change.Add(count), new Change.To(Math.max(count, 5001)))) {
      var outcome = look(job, running(), resize(change));

      assertThat(outcome.state().targets().get("worker")).hasSize(3);
      assertThat(outcome.resizes().getLast().stage()).isEqualTo(Resize.Stage.FAILED);
      assertThat(outcome.resizes().getLast().plan()).isEmpty();
    }
    var fewer = look(job, running(), resize(new Change.Remove(count)));
    assertThat(fewer.resizes().getLast().stage()).isEqualTo(Resize.Stage.FAILED);
  }

  private static JobState running() {
    return new JobState(
        Phase.RUNNING,
        Optional.of(Instant.EPOCH),
        Optional.empty(),
        Optional.empty(),
        0,
        Map.of("worker", List.of(0, 1, 2), "launcher", List.of(0)),
        Map.of(),
        Map.of(),
        Set.of(),
        Optional.empty(),
        Map.of("worker", 3),
        Map.of(),
        Map.of(),
        Map.of(),
        RestartRound.NONE);
  }

  private static Resize resize(Change change) {
    return new Resize(
        new ResizeRequest(
            "ScaleOut:ns/r",
            "worker",
            change,
            Instant.EPOCH,
            false,
            Duration.ofSeconds(60),
            Optional.empty(),
            Optional.empty()),
        Resize.Stage.WAITING,
        List.of(),
        Optional.empty(),
        Optional.empty());
  }
}
