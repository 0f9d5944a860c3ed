package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.ResizeRequest.Script;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.RunPolicy;
import io.muster.controller.core.job.RunPolicy.CleanUp;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.core.state.ResizeFault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The life of a job with a launcher and elastic workers. */
final class JobEngineTest {

  private static final List<String> BOTH = List.of("j-worker-0", "j-worker-1");

  private final JobSimulation cluster = new JobSimulation();

  private void running() {
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  private List<String> newsOf(String start) {
    return cluster.news.stream()
        .map(Object::toString)
        .filter(text -> text.startsWith(start))
        .toList();
  }

  @Test
  void workersRunBeforeTheLauncherIsMade() {
    running();
    assertThat(cluster.news)
        .containsExactly(
            new News.Accepted(),
            new News.Made("worker"),
            new News.Up("worker", 2),
            new News.Made("launcher"),
            new News.Up("launcher", 1),
            new News.Running());
    assertThat(cluster.hosts).isEqualTo(BOTH);
    assertThat(cluster.pod("j-launcher").createdAt).isAfter(cluster.pod("j-worker-1").createdAt);
  }

  @Test
  void nothingIsHeldWhileNotAllFit() {
    cluster.free = 1;
    cluster.run(20);
    assertThat(cluster.state.phase()).isEqualTo(Phase.STARTING);
    assertThat(cluster.upWorkers()).isEmpty();
    assertThat(cluster.pods).doesNotContainKey("j-launcher");
    cluster.free = 2;
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void aScaleInTellsTheJobWaitsForItsProcessesAndDeletes() {
    running();
    cluster.ask("in", new Change.Remove(1));
    cluster.run(10);
    assertThat(cluster.stage("in")).isEqualTo(Stage.SUCCEEDED);
    assertThat(cluster.resizes.get("in").plan()).containsExactly("j-worker-1");
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
    assertThat(cluster.hosts).containsExactly("j-worker-0");
    assertThat(cluster.state.targets()).containsEntry("worker", List.of(0));
    assertThat(cluster.state.resizing()).isEmpty();
    assertThat(cluster.trainingBroke).isFalse();
    int told = indexOf("Tell[members=[j-worker-0]]");
    int deleted = indexOf("Delete[name=j-worker-1");
    assertThat(told).isLessThan(deleted);
  }

  private int indexOf(String what) {
    for (int i = 0; i < cluster.journal.size(); i++) {
      if (cluster.journal.get(i).contains(what)) {
        return i;
      }
    }
    throw new AssertionError(what + " was never written: " + cluster.journal);
  }

  @Test
  void aScaleInOfUnknownMembersTouchesNobody() {
    running();
    cluster.ask("in", new Change.RemoveNamed(List.of("j-worker-1", "j-worker-9")));
    cluster.run(5);
    assertThat(cluster.stage("in")).isEqualTo(Stage.FAILED);
    assertThat(cluster.news)
        .contains(
            new News.ResizeFailed("in", new ResizeFault.NoSuchMembers(List.of("j-worker-9"))));
    assertThat(cluster.upWorkers()).isEqualTo(BOTH);
    assertThat(cluster.hosts).isEqualTo(BOTH);
  }

  @Test
  void aScaleInLeavesTheLeastAndNeverNobody() {
    cluster.range = new Role.Range(3, 2, 9);
    running();
    cluster.ask("two", new Change.Remove(2));
    cluster.ask("all", new Change.Remove(3));
    cluster.run(5);
    assertThat(cluster.news)
        .contains(
            new News.ResizeFailed("two", new ResizeFault.BelowLeast(1, 2)),
            new News.ResizeFailed("all", new ResizeFault.NobodyLeft(3)));
    assertThat(cluster.upWorkers()).hasSize(3);
  }

  @Test
  void membersWhoseProcessesNeverEndAreDeletedAfterTenMinutes() {
    running();
    cluster.processesStay = true;
    cluster.ask("in", new Change.Remove(1));
    cluster.run(590);
    assertThat(cluster.upWorkers()).isEqualTo(BOTH);
    assertThat(cluster.news).contains(new News.ResizeSlow("in", List.of("j-worker-1")));
    cluster.run(15);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
    assertThat(cluster.news).contains(new News.ResizeSucceeded("in", true));
    // The framework may hold the name against it.
    cluster.processesStay = false;
    cluster.ask("out", new Change.Add(1));
    cluster.run(10);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-2");
  }

  @Test
  void aScaleOutJoinsWhenAllItsMembersRun() {
    running();
    cluster.ask("in", new Change.Remove(1));
    cluster.run(10);
    cluster.ask("out", new Change.Add(2));
    cluster.run(10);
    assertThat(cluster.stage("out")).isEqualTo(Stage.SUCCEEDED);
    assertThat(cluster.resizes.get("out").plan()).containsExactly("j-worker-1", "j-worker-2");
    assertThat(cluster.hosts).containsExactly("j-worker-0", "j-worker-1", "j-worker-2");
    assertThat(cluster.state.targets()).containsEntry("worker", List.of(0, 1, 2));
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void aScaleOutThatCannotBePlacedWholeLeavesTheJobAsItWas() {
    running();
    cluster.free = 1;
    cluster.ask("out", new Change.Add(2));
    cluster.run(30);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SCALING);
    assertThat(cluster.upWorkers()).isEqualTo(BOTH);
    cluster.run(40);
    assertThat(cluster.news).contains(new News.ResizeFailed("out", new ResizeFault.TimedOut()));
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.pods).containsOnlyKeys("j-worker-0", "j-worker-1", "j-launcher");
    assertThat(cluster.hosts).isEqualTo(BOTH);
    assertThat(newsOf("ResizeTold")).isEmpty();
  }

  @Test
  void aScaleOutAboveTheMostIsRefused() {
    cluster.range = new Role.Range(2, 1, 3);
    running();
    cluster.ask("out", new Change.Add(2));
    cluster.run(5);
    assertThat(cluster.news)
        .contains(new News.ResizeFailed("out", new ResizeFault.AboveMost(4, 3)));
  }

  @Test
  void resizesAreCarriedOutOneAtATimeInTheirOrderTheUrgentFirst() {
    running();
    cluster.ask("1", new Change.Add(1));
    cluster.run(1);
    cluster.ask("2", new Change.Add(1));
    cluster.now = cluster.now.plusSeconds(1);
    cluster.ask("3", new Change.Remove(1));
    cluster.now = cluster.now.plusSeconds(1);
    cluster.ask("4", new Change.RemoveNamed(List.of("j-worker-0")), true, Optional.empty());
    cluster.run(40);
    assertThat(newsOf("ResizeStarted"))
        .containsExactly(
            "ResizeStarted[id=1]",
            "ResizeStarted[id=4]",
            "ResizeStarted[id=2]",
            "ResizeStarted[id=3]");
    assertThat(newsOf("ResizeSucceeded")).hasSize(4);
    assertThat(cluster.trainingBroke).isFalse();
  }

  @Test
  void aScriptTakesThePlaceOfTheList() {
    running();
    var script = Optional.of(new Script("/opt/scale.sh", List.of(), 2));
    cluster.ask("out", new Change.Add(1), false, script);
    cluster.run(10);
    assertThat(cluster.stage("out")).isEqualTo(Stage.SUCCEEDED);
    cluster.scriptsFail = true;
    cluster.ask("more", new Change.Add(1), false, script);
    cluster.run(10);
    assertThat(cluster.news)
        .contains(new News.ResizeFailed("more", new ResizeFault.ScriptFailed("exit code 1")));
    assertThat(cluster.journal.stream().filter(line -> line.contains("Script[resize=more")).count())
        .isEqualTo(3);
    assertThat(cluster.upWorkers()).hasSize(3);
  }

  @Test
  void theJobEndsWithItsLauncher() {
    running();
    cluster.ask("in", new Change.Remove(1));
    cluster.run(1);
    cluster.end("j-worker-0", 0);
    cluster.end("j-launcher", 0);
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUCCEEDED);
    assertThat(cluster.pods).containsOnlyKeys("j-worker-0", "j-launcher");
    assertThat(cluster.news).contains(new News.ResizeFailed("in", new ResizeFault.JobEnded()));
    assertThat(cluster.state.endedAt()).isPresent();
  }

  @Test
  void cleaningUpIsAsTheJobSays() {
    cluster.run = JobSimulation.policy(0, CleanUp.ALL);
    running();
    cluster.end("j-launcher", 1);
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.FAILED);
    assertThat(cluster.pods).isEmpty();

    var other = new JobSimulation();
    other.run = JobSimulation.policy(0, CleanUp.NOTHING);
    other.run(5);
    other.end("j-launcher", 1);
    other.run(5);
    assertThat(other.pods).hasSize(3);
  }

  @Test
  void aFailedWorkerIsReplacedUnderANewName() {
    cluster.replacement = Replacement.ON_FAILURE;
    running();
    cluster.end("j-worker-0", 1);
    cluster.run(6);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-1", "j-worker-2");
    assertThat(cluster.hosts).containsExactly("j-worker-1", "j-worker-2");
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(newsOf("MembersReplaced")).containsExactly("MembersReplaced[names=[j-worker-2]]");
    cluster.vanish("j-worker-1");
    cluster.run(6);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-2");
  }

  @Test
  void signalsAndDeletionsAreReplacedWhereThePolicySaysSo() {
    cluster.replacement = Replacement.ON_SIGNAL;
    running();
    cluster.end("j-worker-0", 1);
    cluster.run(3);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-1");
    cluster.end("j-worker-1", 137);
    cluster.run(3);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-2");
    cluster.replacement = Replacement.ALWAYS;
    cluster.vanish("j-worker-2");
    cluster.run(3);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-3", "j-worker-4");
  }

  @Test
  void aFailedJobStartsAgainAsAWholeAsOftenAsItMay() {
    cluster.run = JobSimulation.policy(1, CleanUp.UNFINISHED);
    running();
    cluster.ask("in", new Change.Remove(1));
    cluster.run(10);
    cluster.end("j-launcher", 1);
    cluster.run(10);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.state.restarts()).isEqualTo(1);
    assertThat(cluster.upWorkers()).isEqualTo(BOTH);
    cluster.end("j-launcher", 1);
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.FAILED);
  }

  @Test
  void aSuspendedJobHoldsNothingAndStartsAgain() {
    running();
    cluster.run = JobSimulation.suspended();
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.SUSPENDED);
    assertThat(cluster.pods).isEmpty();
    cluster.run = JobSimulation.policy(0, CleanUp.UNFINISHED);
    cluster.run(6);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void aHeldJobMakesNoPods() {
    cluster.run =
        new RunPolicy(
            false,
            true,
            0,
            CleanUp.UNFINISHED,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.STARTING);
    assertThat(cluster.pods).isEmpty();
    cluster.run = JobSimulation.policy(0, CleanUp.UNFINISHED);
    cluster.run(6);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void aJobEndsThatWaitsOrRunsTooLongAndIsRemovedAfterItsTime() {
    cluster.run =
        new RunPolicy(
            false,
            false,
            3,
            CleanUp.UNFINISHED,
            Optional.of(Duration.ofMinutes(1)),
            Optional.empty(),
            Optional.of(Duration.ofSeconds(30)),
            Optional.empty());
    cluster.free = 1;
    cluster.run(65);
    assertThat(cluster.state.phase()).isEqualTo(Phase.FAILED);
    assertThat(newsOf("Failed[cause=WAITED")).hasSize(1);
    assertThat(cluster.pods).isEmpty();
    assertThat(cluster.isRemoved).isFalse();
    cluster.run(30);
    assertThat(cluster.isRemoved).isTrue();

    var other = new JobSimulation();
    other.run =
        new RunPolicy(
            false,
            false,
            3,
            CleanUp.UNFINISHED,
            Optional.empty(),
            Optional.of(Duration.ofMinutes(1)),
            Optional.empty(),
            Optional.empty());
    other.run(65);
    assertThat(other.state.phase()).isEqualTo(Phase.FAILED);
    assertThat(other.upWorkers()).isEmpty();
  }

  @Test
  void refusedPodsTakeTheirGangAlongAndAreTriedAgain() {
    cluster.refuses = Optional.of("exceeded quota: gpus");
    cluster.run(20);
    assertThat(cluster.pods).isEmpty();
    assertThat(cluster.state.phase()).isEqualTo(Phase.STARTING);
    assertThat(cluster.news).contains(new News.Refused("exceeded quota: gpus"));
    cluster.refuses = Optional.empty();
    cluster.run(12);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void aScaleOutWhosePodsAreRefusedFailsWithTheReason() {
    running();
    cluster.refuses = Optional.of("exceeded quota: gpus");
    cluster.ask("out", new Change.Add(2));
    cluster.run(70);
    assertThat(cluster.news)
        .contains(new News.ResizeFailed("out", new ResizeFault.Refused("exceeded quota: gpus")));
    assertThat(cluster.upWorkers()).isEqualTo(BOTH);
  }

  @Test
  void aLauncherThatWasDeletedIsMadeAgainWithTheMembersOfNow() {
    running();
    cluster.ask("in", new Change.Remove(1));
    cluster.run(10);
    cluster.vanish("j-launcher");
    cluster.run(5);
    assertThat(cluster.hosts).containsExactly("j-worker-0");
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);

    cluster.launcherReplacement = Replacement.NEVER;
    cluster.vanish("j-launcher");
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.FAILED);
  }

  @Test
  void anotherSizeInTheJobBecomesARequest() {
    running();
    cluster.range = new Role.Range(4, 1, 9);
    cluster.generation = 2;
    cluster.run(10);
    assertThat(cluster.upWorkers()).hasSize(4);
    assertThat(cluster.resizes).containsOnlyKeys("Scale:ml/j-to-4-2");
    cluster.range = new Role.Range(1, 1, 9);
    cluster.generation = 3;
    cluster.run(10);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
    assertThat(cluster.state.asked()).isEqualTo(Map.of("worker", 1));
  }

  @ParameterizedTest
  @CsvSource({"2, 2", "3, 3"})
  void aSizeThatFindsNoRoomGivesWayToTheNext(int next, int workers) {
    running();
    cluster.free = 1;
    cluster.range = new Role.Range(9, 1, 9);
    cluster.generation = 2;
    cluster.run(3);
    assertThat(cluster.resizes).containsOnlyKeys("Scale:ml/j-to-9-2");

    cluster.range = new Role.Range(next, 1, 9);
    cluster.generation = 3;
    cluster.run(6);
    cluster.free = 100;
    cluster.run(10);

    assertThat(cluster.resizes).doesNotContainKey("Scale:ml/j-to-9-2");
    assertThat(cluster.upWorkers()).hasSize(workers);
    assertThat(cluster.state.asked()).isEqualTo(Map.of("worker", next));
  }

  @Test
  void aSizeThatIsTakenBackWhileMembersGoIsReachedAgain() {
    running();
    cluster.processesStay = true;
    cluster.range = new Role.Range(1, 1, 9);
    cluster.generation = 2;
    cluster.run(4);
    cluster.range = new Role.Range(2, 1, 9);
    cluster.generation = 3;
    cluster.run(3);
    cluster.processesStay = false;
    cluster.run(15);

    assertThat(cluster.upWorkers()).hasSize(2);
    assertThat(cluster.state.asked()).isEqualTo(Map.of("worker", 2));
  }

  @Test
  void aJobThatCannotBeRunFailsWithItsProblems() {
    cluster.problems = List.of("spec.a is missing", "spec.b is \"x\"");
    cluster.run(2);
    assertThat(cluster.news)
        .contains(new News.Failed(News.Failed.Cause.INVALID, "spec.a is missing; spec.b is \"x\""));
    assertThat(cluster.pods).isEmpty();
  }

  @Test
  void aRequestThatIsDeletedHalfWayLeavesAConsistentJob() {
    running();
    cluster.free = 0;
    cluster.ask("out", new Change.Add(2));
    cluster.run(3);
    cluster.resizes.remove("out");
    cluster.run(3);
    assertThat(cluster.pods).containsOnlyKeys("j-worker-0", "j-worker-1", "j-launcher");
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);

    cluster.processesStay = true;
    cluster.ask("in", new Change.Remove(1));
    cluster.run(5);
    assertThat(cluster.hosts).containsExactly("j-worker-0");
    cluster.resizes.remove("in");
    cluster.run(3);
    assertThat(cluster.hosts).isEqualTo(BOTH);
    assertThat(cluster.upWorkers()).isEqualTo(BOTH);
  }

  @Test
  void aLauncherThatFailsBeforeItWasSeenToRunEndsTheJob() {
    cluster.run(1);
    while (!cluster.pods.containsKey("j-launcher")) {
      cluster.run(1);
    }
    cluster.end("j-launcher", 1);
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.FAILED);
    assertThat(newsOf("Running")).hasSize(1);
  }

  @Test
  void aWorkerThatFailsBeforeTheLauncherIsMadeIsReplacedOrEndsTheJob() {
    cluster.free = 0;
    cluster.run(2);
    cluster.end("j-worker-0", 1);
    cluster.run(2);
    assertThat(cluster.state.phase()).isEqualTo(Phase.FAILED);

    var other = new JobSimulation();
    other.replacement = Replacement.ON_FAILURE;
    other.free = 0;
    other.run(2);
    other.end("j-worker-0", 1);
    other.free = 2;
    other.run(6);
    assertThat(other.state.phase()).isEqualTo(Phase.RUNNING);
    assertThat(other.upWorkers()).containsExactly("j-worker-1", "j-worker-2");
  }
}
