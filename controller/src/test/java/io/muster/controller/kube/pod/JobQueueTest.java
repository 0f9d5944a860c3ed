package io.muster.controller.kube.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.muster.controller.kube.Marks;
import io.muster.extender.core.gang.GangKeys;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which pods move to another queue when their job names another. */
final class JobQueueTest {

  private static final String GATE = io.muster.extender.core.cluster.Pod.GATE;

  private static Pod pod(String name, String queue) {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(name)
            .withUid(name)
            .withAnnotations(new HashMap<>(Map.of(GangKeys.NAME, "g")))
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .build();
    if (!queue.isEmpty()) {
      pod.getMetadata().getAnnotations().put(GangKeys.QUEUE, queue);
    }
    JobQueue.note(pod);
    return pod;
  }

  private static Pod gated(Pod pod) {
    return new PodBuilder(pod)
        .editSpec()
        .addNewSchedulingGate()
        .withName(GATE)
        .endSchedulingGate()
        .endSpec()
        .build();
  }

  private static Map<String, String> marked(String queue) {
    var marks = new HashMap<String, String>();
    marks.put(GangKeys.QUEUE, queue);
    marks.put(JobQueue.NAMED, queue);
    return marks;
  }

  @Test
  void thoseThatWaitMoveAsOftenAsTheJobIsMended() {
    var waiting = gated(pod("a", "gpu"));
    assertThat(JobQueue.waiting(List.of(waiting))).containsOnlyKeys("a");
    assertThat(JobQueue.change(waiting, pod("a", "gpus"))).contains(marked("gpus"));
    assertThat(JobQueue.change(waiting, pod("a", "gpu"))).isEmpty();

    waiting.getMetadata().getAnnotations().putAll(marked("gpus"));
    assertThat(JobQueue.waiting(List.of(waiting))).containsOnlyKeys("a");
  }

  @Test
  void oneThatNamedNoneMayNameOneAndTheOtherWayRound() {
    var waiting = gated(pod("a", ""));
    assertThat(Marks.annotations(waiting)).doesNotContainKey(JobQueue.NAMED);
    assertThat(JobQueue.waiting(List.of(waiting))).containsOnlyKeys("a");
    assertThat(JobQueue.change(waiting, pod("a", "gpus"))).contains(marked("gpus"));
    assertThat(JobQueue.change(gated(pod("a", "gpus")), pod("a", ""))).contains(marked(null));
  }

  @Test
  void whatOthersHaveMadeOfItStays() {
    var named = gated(pod("a", "gpus"));
    named.getMetadata().getAnnotations().put(GangKeys.QUEUE, "theirs");
    var unnamed = gated(pod("b", ""));
    unnamed.getMetadata().getAnnotations().put(GangKeys.QUEUE, "theirs");
    assertThat(JobQueue.waiting(List.of(named, unnamed))).containsOnlyKeys("b");
    assertThat(JobQueue.change(unnamed, pod("b", ""))).isEmpty();
    assertThat(JobQueue.change(unnamed, pod("b", "gpus"))).isEmpty();
  }

  /** Made by DLRover's masters, or before it was noted. */
  @Test
  void oneThatNobodyHasNotedIsTheJobsOnceBothNameTheSame() {
    var waiting = gated(pod("a", "gpu"));
    waiting.getMetadata().getAnnotations().remove(JobQueue.NAMED);
    assertThat(JobQueue.waiting(List.of(waiting))).containsOnlyKeys("a");
    assertThat(JobQueue.change(waiting, pod("a", "gpus"))).isEmpty();
    assertThat(JobQueue.change(waiting, pod("a", "gpu"))).contains(Map.of(JobQueue.NAMED, "gpu"));

    waiting.getMetadata().getAnnotations().put(JobQueue.NAMED, "gpu");
    assertThat(JobQueue.change(waiting, pod("a", "gpus"))).contains(marked("gpus"));
  }

  @Test
  void nobodyMovesOfAGangThatHasStartedNorWhoIsDeleted() {
    var deleted = gated(pod("b", "gpus"));
    deleted.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");
    assertThat(JobQueue.waiting(List.of(gated(pod("a", "gpus")), pod("c", "gpus"), deleted)))
        .isEmpty();
  }
}
