package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.core.state.ResizeFault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What becomes of a job when nodes of its members will go. */
final class JobReclaimTest {

  private static final Duration NOTICE = Duration.ofMinutes(2);

  private final JobSimulation cluster = new JobSimulation();

  private void running(int workers, int least) {
    cluster.range = new Role.Range(workers, least, 9);
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  private void onNode(String node, String... workers) {
    for (var worker : workers) {
      cluster.pod(worker).node = node;
    }
  }

  private void leaves(String node) {
    cluster.leaving.put(node, cluster.now.plus(NOTICE));
  }

  private List<Resize> asked(String word) {
    return cluster.resizes.values().stream()
        .filter(resize -> resize.request().id().startsWith("Scale:ml/j-" + word + "-"))
        .toList();
  }

  private long newsOf(String start) {
    return cluster.news.stream().filter(item -> item.toString().startsWith(start)).count();
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
  void theirMembersAreAskedAwayAtOnceByOneRequestThatNamesAllOfThem() {
    running(4, 1);
    onNode("n2", "j-worker-1", "j-worker-3");
    cluster.free = -2;
    leaves("n2");
    cluster.run(1);
    assertThat(asked("leaves"))
        .singleElement()
        .satisfies(resize -> {
          var request = resize.request();
          assertThat(request.change())
              .isEqualTo(new Change.RemoveNamed(List.of("j-worker-1", "j-worker-3")));
          assertThat(request.urgent()).isTrue();
          assertThat(request.forcedAt()).contains(cluster.leaving.get("n2"));
        });
    cluster.run(10);
    assertThat(asked("leaves")).singleElement().matches(r -> r.stage() == Stage.SUCCEEDED);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-2");
    assertThat(indexOf("Tell[members=[j-worker-0, j-worker-2]]"))
        .isLessThan(indexOf("Delete[name=j-worker-1"))
        .isLessThan(indexOf("Delete[name=j-worker-3"));
    assertThat(cluster.trainingBroke).isFalse();
  }

  @Test
  void asManyAreMadeElsewhereByOneRequestUnderTheNextNames() {
    running(4, 1);
    onNode("n2", "j-worker-1", "j-worker-3");
    leaves("n2");
    cluster.run(30);
    assertThat(asked("regains"))
        .singleElement()
        .satisfies(resize -> {
          assertThat(resize.request().change()).isEqualTo(new Change.Add(2));
          assertThat(resize.request().urgent()).isFalse();
          assertThat(resize.plan()).containsExactly("j-worker-3", "j-worker-4");
          assertThat(resize.stage()).isEqualTo(Stage.SUCCEEDED);
        });
    assertThat(cluster.upWorkers())
        .containsExactly("j-worker-0", "j-worker-2", "j-worker-3", "j-worker-4");
    assertThat(cluster.state.owed()).isEmpty();
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void whoHasNotLeftByTheDeadlineIsDeletedAndItsNameIsNotUsedAgain() {
    running(2, 1);
    onNode("n2", "j-worker-1");
    cluster.processesStay = true;
    leaves("n2");
    cluster.run(119);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-1");
    assertThat(cluster.hosts).containsExactly("j-worker-0");
    cluster.run(4);
    assertThat(cluster.pods).doesNotContainKey("j-worker-1");
    assertThat(cluster.news)
        .contains(new News.ResizeSucceeded(asked("leaves").getFirst().request().id(), true));
    cluster.run(10);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-2");
  }

  @Test
  void withoutRoomItIsAskedForAgainEveryTwoMinutesAndOneFailureIsKept() {
    running(2, 1);
    onNode("n2", "j-worker-1");
    leaves("n2");
    cluster.free = -1;
    cluster.run(60 * 10);
    // A minute each for the request to wait and for the pause behind it.
    assertThat(newsOf("ResizeFailed")).isBetween(4L, 5L);
    assertThat(newsOf("ResizeStarted[id=Scale:ml/j-regains-5")).isEqualTo(1);
    assertThat(asked("regains")).hasSizeLessThanOrEqualTo(2);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
    cluster.free = 1;
    cluster.run(130);
    assertThat(cluster.upWorkers()).hasSize(2);
    assertThat(cluster.state.owed()).isEmpty();
  }

  /** A longer name is none that a ScaleOut of a job with the longest name may have. */
  @Test
  void afterAThousandTimesItIsAskedForByTheFirstNameAgain() {
    running(2, 1);
    onNode("n2", "j-worker-1");
    cluster.free = -1;
    cluster.ask("Scale:ml/j-regains-998", new Change.Add(1));
    cluster.run(70);
    leaves("n2");
    cluster.run(60 * 6);
    assertThat(newsOf("ResizeStarted[id=Scale:ml/j-regains-999]")).isEqualTo(1);
    assertThat(newsOf("ResizeStarted[id=Scale:ml/j-regains-1]")).isEqualTo(1);
    assertThat(asked("regains")).hasSizeLessThanOrEqualTo(2);
    cluster.free = 1;
    cluster.run(130);
    assertThat(cluster.upWorkers()).hasSize(2);
  }

  @Test
  void onlyWhatWentWithNodesIsMadeAnew() {
    running(4, 1);
    onNode("n2", "j-worker-2");
    cluster.ask("own", new Change.Remove(1));
    cluster.run(10);
    leaves("n2");
    cluster.run(30);
    assertThat(cluster.upWorkers()).hasSize(3);
    cluster.range = new Role.Range(2, 1, 9);
    cluster.generation = 2;
    cluster.run(30);
    assertThat(cluster.upWorkers()).hasSize(2);
    assertThat(cluster.state.owed()).isEmpty();
  }

  @Test
  void theyGoThoughFewerAreLeftThanTheJobNeedsAndThatIsTold() {
    running(3, 3);
    onNode("n2", "j-worker-1", "j-worker-2");
    cluster.free = -2;
    leaves("n2");
    cluster.run(20);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0");
    assertThat(cluster.news).contains(new News.BelowLeast("worker", 1, 3));
    cluster.free = 2;
    cluster.run(130);
    assertThat(cluster.upWorkers()).hasSize(3);
    var told = newsOf("BelowLeast");
    cluster.run(10);
    assertThat(newsOf("BelowLeast")).isEqualTo(told);
  }

  @Test
  void oneStaysWhereAllWillGoUntilThereAreOthers() {
    running(2, 1);
    onNode("n2", "j-worker-0", "j-worker-1");
    leaves("n2");
    cluster.run(60);
    assertThat(cluster.upWorkers()).hasSize(2).doesNotContain("j-worker-0");
    assertThat(cluster.pods.values())
        .filteredOn(pod -> pod.role.equals("worker"))
        .noneMatch(pod -> pod.node.equals("n2"));
    assertThat(cluster.trainingBroke).isFalse();
    assertThat(newsOf("ResizeFailed")).isZero();
    assertThat(newsOf("Failed")).isZero();
  }

  @Test
  void aJobOfOneWorkerGetsAnotherFirst() {
    running(1, 1);
    onNode("n2", "j-worker-0");
    leaves("n2");
    cluster.run(40);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-1");
    assertThat(cluster.trainingBroke).isFalse();
  }

  @Test
  void aScaleOutWhoseMembersAreElsewhereIsNotInterrupted() {
    running(2, 1);
    onNode("n2", "j-worker-1");
    cluster.free = 0;
    cluster.ask("out", new Change.Add(1));
    cluster.run(3);
    leaves("n2");
    cluster.run(5);
    assertThat(cluster.state.resizing()).contains("out");
    cluster.free = 1;
    cluster.run(20);
    assertThat(cluster.stage("out")).isEqualTo(Stage.SUCCEEDED);
    assertThat(cluster.pods).doesNotContainKey("j-worker-1");
  }

  @Test
  void aScaleOutWhoseMembersAreThereFailsAndItsMembersGo() {
    running(2, 1);
    // The launcher is not told yet when the node's signal comes.
    cluster.ask("out", new Change.Add(1));
    cluster.run(1);
    while (!cluster.pods.containsKey("j-worker-2")) {
      cluster.run(1);
    }
    onNode("n2", "j-worker-2");
    leaves("n2");
    cluster.run(5);
    assertThat(cluster.news)
        .contains(
            new News.ResizeFailed("out", new ResizeFault.NodesLeaving(List.of("j-worker-2"))));
    assertThat(cluster.pods).doesNotContainKey("j-worker-2");
    assertThat(cluster.hosts).containsExactly("j-worker-0", "j-worker-1");
  }

  @Test
  void aRequestForOthersGivesWayToMembersThatHaveToLeave() {
    running(4, 1);
    onNode("n2", "j-worker-3");
    onNode("n3", "j-worker-2");
    cluster.free = -1;
    leaves("n2");
    cluster.run(15);
    assertThat(cluster.state.resizing()).contains("Scale:ml/j-regains-1");
    leaves("n3");
    cluster.run(10);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-1");
    assertThat(cluster.news)
        .contains(new News.ResizeFailed("Scale:ml/j-regains-1", new ResizeFault.GaveWay()));
    cluster.free = 2;
    cluster.run(70);
    assertThat(asked("regains").getLast().request().change()).isEqualTo(new Change.Add(2));
    assertThat(cluster.upWorkers()).hasSize(4);
  }

  @Test
  void aNameThatIsGivenOutAgainCanLeaveAgain() {
    running(2, 1);
    onNode("n2", "j-worker-1");
    leaves("n2");
    cluster.run(30);
    assertThat(cluster.upWorkers()).containsExactly("j-worker-0", "j-worker-1");
    onNode("n2", "j-worker-1");
    cluster.run(30);
    assertThat(asked("leaves")).hasSize(2).allMatch(r -> r.stage() == Stage.SUCCEEDED);
    assertThat(asked("regains")).hasSize(2).allMatch(r -> r.stage() == Stage.SUCCEEDED);
    assertThat(cluster.upWorkers()).hasSize(2);
  }

  @Test
  void aScaleInByCountTakesThemFirst() {
    running(4, 1);
    onNode("n2", "j-worker-1");
    cluster.leaving.put("n2", cluster.now.plus(NOTICE));
    cluster.ask("in", new Change.Remove(1), true, Optional.empty());
    cluster.run(1);
    assertThat(cluster.resizes.get("in").plan()).containsExactly("j-worker-1");
  }

  @Test
  void aLauncherWhoseNodeWillGoIsToldOfAndStays() {
    running(2, 1);
    onNode("n2", "j-launcher");
    leaves("n2");
    cluster.run(10);
    assertThat(cluster.news).contains(new News.DecidingLeaves("j-launcher", "n2"));
    assertThat(asked("leaves")).isEmpty();
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
  }

  @Test
  void aControllerKilledAtAnyWriteComesToTheSameEnd() {
    for (int write = 1; write < 30; write++) {
      var run = new JobSimulation();
      run.range = new Role.Range(3, 1, 9);
      run.run(5);
      run.pod("j-worker-1").node = "n2";
      run.leaving.put("n2", run.now.plus(NOTICE));
      run.killAfter = write;
      run.run(60);
      assertThat(run.upWorkers()).as("killed at write %d", write).hasSize(3);
      assertThat(run.trainingBroke).as("killed at write %d", write).isFalse();
      assertThat(run.state.owed()).as("killed at write %d", write).isEmpty();
    }
  }
}
