package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.RunPolicy;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Resize;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The controller is killed before and after each of its writes and starts again: what is there at
 * the end is what would have been there.
 */
final class KilledControllerTest {

  /** What happens to a job after it runs; while it starts, if nothing does. */
  record Story(String name, Consumer<JobSimulation> event) {

    @Override
    public String toString() {
      return name;
    }

    JobSimulation told(int killAfter, boolean isCutOff) {
      var cluster = new JobSimulation();
      cluster.isCutOff = isCutOff;
      if (name.equals("start")) {
        cluster.killAfter = killAfter;
      } else {
        cluster.run(5);
        cluster.writes = 0;
        event.accept(cluster);
        cluster.killAfter = killAfter;
      }
      cluster.run(40);
      return cluster;
    }
  }

  /** What there is in the end; names, not uids, for pods may have been made in another order. */
  private record End(
      JobState.Phase phase,
      Map<String, List<Integer>> targets,
      Map<String, Member.Phase> pods,
      List<String> hosts,
      Map<String, Resize.Stage> resizes,
      int restarts,
      boolean trainingBroke) {

    static End of(JobSimulation cluster) {
      var pods = new TreeMap<String, Member.Phase>();
      cluster.pods.forEach((name, pod) -> pods.put(name, pod.phase));
      var resizes = new TreeMap<String, Resize.Stage>();
      cluster.resizes.forEach((id, resize) -> resizes.put(id, resize.stage()));
      return new End(
          cluster.state.phase(),
          cluster.state.targets(),
          pods,
          cluster.hosts,
          resizes,
          cluster.state.restarts(),
          cluster.trainingBroke);
    }
  }

  static Stream<Story> stories() {
    return Stream.of(
        new Story("start", _ -> {}),
        new Story("scale-in", cluster -> cluster.ask("in", new Change.Remove(1))),
        new Story("scale-out", cluster -> cluster.ask("out", new Change.Add(2))),
        new Story(
            "in and out",
            cluster -> {
              cluster.ask("a", new Change.RemoveNamed(List.of("j-worker-0")));
              cluster.ask("b", new Change.Add(2));
            }),
        new Story(
            "failed worker",
            cluster -> {
              cluster.replacement = Replacement.ON_FAILURE;
              cluster.end("j-worker-0", 137);
            }),
        new Story(
            "restart",
            cluster -> {
              cluster.run = JobSimulation.policy(2, RunPolicy.CleanUp.UNFINISHED);
              cluster.end("j-launcher", 1);
            }),
        new Story("suspension", cluster -> cluster.run = JobSimulation.suspended()),
        new Story("end", cluster -> cluster.end("j-launcher", 0)));
  }

  @ParameterizedTest
  @MethodSource("stories")
  void theEndIsTheSameWhereverItIsKilled(Story story) {
    assertSameEnds(story, false);
  }

  /** As it is where somebody changes the job before all is done that was decided. */
  @ParameterizedTest
  @MethodSource("stories")
  void theEndIsTheSameWhereverItStopsAndDecidesAnew(Story story) {
    assertSameEnds(story, true);
  }

  private static void assertSameEnds(Story story, boolean isCutOff) {
    var undisturbed = story.told(-1, isCutOff);
    assertThat(undisturbed.writes).isPositive();
    assertThat(undisturbed.trainingBroke).isFalse();
    for (int writes = 0; writes <= undisturbed.writes; writes++) {
      var stopped = story.told(writes, isCutOff);
      assertThat(End.of(stopped))
          .as("stopped after %d of %d writes: %s", writes, undisturbed.writes, stopped.journal)
          .isEqualTo(End.of(undisturbed));
    }
  }
}
