package io.muster.controller.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Resize.Stage;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * The largest job that there may be does not keep others waiting: what a reconcile takes grows with
 * its members, not with the square of their number. The limit is far above what it takes then.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class LargestReconcileTest {

  private static final Duration MOST = Duration.ofSeconds(1);
  private static final int MEMBERS = 4_900;

  private static void isShort(Runnable run) {
    var threads = ManagementFactory.getThreadMXBean();
    long begun = threads.getCurrentThreadCpuTime();
    run.run();
    var taken = Duration.ofNanos(threads.getCurrentThreadCpuTime() - begun);
    assertThat(taken).isLessThan(MOST);
  }

  @Test
  void whereAllThatHaveNamesAreLostAtOnce() {
    var cluster = new SlotCluster();
    cluster.tasks.put("collector", MEMBERS);
    cluster.run(5);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);
    cluster
        .pods
        .values()
        .forEach(pod -> {
          pod.deleting = true;
          pod.isStuck = true;
        });

    isShort(() -> cluster.run(2));

    assertThat(cluster.state.mending().going().get("collector")).hasSize(MEMBERS);
  }

  @Test
  void whereNothingHappens() {
    var cluster = new JobSimulation();
    cluster.free = MEMBERS;
    cluster.range = new Role.Range(MEMBERS, 1, MEMBERS);
    cluster.run(3);
    assertThat(cluster.state.phase()).isEqualTo(Phase.RUNNING);

    isShort(() -> cluster.run(3));
  }

  @Test
  void whereHalfOfThemGoAndComeBack() {
    var cluster = new RankedCluster();
    cluster.replicas = MEMBERS;
    cluster.run(3);
    cluster.ask("half", new Change.To(MEMBERS / 2));

    isShort(() -> cluster.run(1));

    cluster.run(2);
    assertThat(cluster.resizes.get("half").stage()).isEqualTo(Stage.SUCCEEDED);
    cluster.isFull = true;
    cluster.ask("all", new Change.To(MEMBERS));
    cluster.run(1);

    isShort(() -> cluster.run(2));

    cluster.isFull = false;
    cluster.run(2);
    assertThat(cluster.resizes.get("all").stage()).isEqualTo(Stage.SUCCEEDED);
    assertThat(cluster.running()).hasSize(MEMBERS).containsValue((MEMBERS - 1) + "/0");
  }
}
