package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A gang that runs, which thousands of pods join that have an owner each. */
final class ManyNewcomersTest {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Instant NOW = Instant.EPOCH;
  private static final int MEMBERS = 20_000;
  private static final int LEAST = 10;

  private static PodBuilder member(int index) {
    return aPod("g-" + index).gpus(1).gang("g", LEAST).ownedBy("job-" + index).createdAt(NOW);
  }

  /** None of them has all members looked at, of whom most are of other owners. */
  @Test
  void eachCostsLittleHoweverManyOwnersThereAre() {
    var muster = new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
    for (int i = 0; i < LEAST; i++) {
      muster.on(new Event.NodeSeen(aNode("n" + i).gpus(1).build()), NOW);
      var pod = member(i).on("n" + i).placedBy(1).phase(Pod.Phase.RUNNING);
      muster.on(new Event.PodSeen(pod.build()), NOW);
    }
    muster.on(new Event.LeaseHeld(Instant.MAX, false), NOW);
    muster.on(new Event.Ready(), NOW);
    muster.on(new Event.Tick(), NOW);

    long before = THREADS.getCurrentThreadCpuTime();
    for (int i = LEAST; i < LEAST + MEMBERS; i++) {
      muster.on(new Event.PodSeen(member(i).gated().build()), NOW);
    }
    var spent = Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - before);

    var letGo =
        muster.on(new Event.Tick(), NOW.plusSeconds(4)).stream()
            .filter(Effect.Ungate.class::isInstance)
            .count();
    assertThat(letGo).isEqualTo(MEMBERS);
    assertThat(spent).isLessThan(Duration.ofSeconds(2));
  }
}
