package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms.OnLoss;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** A large gang that loses half of its members, of which each is seen to go by itself. */
final class ManyLossesTest {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Instant NOW = Instant.EPOCH;
  private static final int MEMBERS = 4000;

  /** None has all members put into their order, of whom hardly any are to be placed. */
  @Test
  void eachCostsLittleHoweverManyMembersRun() {
    var muster = new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
    var terms = terms("g", MEMBERS).onLoss(OnLoss.REPLACE).build();
    var members = new ArrayList<Pod>();
    for (int i = 0; i < MEMBERS; i++) {
      muster.on(new Event.NodeSeen(aNode("n" + i).gpus(1).build()), NOW);
      var pod = aPod("g-" + i).gpus(1).gang("g", terms, "").on("n" + i).placedBy(1);
      members.add(pod.createdAt(NOW).phase(Pod.Phase.RUNNING).build());
      muster.on(new Event.PodSeen(members.getLast()), NOW);
    }
    muster.on(new Event.LeaseHeld(Instant.MAX, false), NOW);
    muster.on(new Event.Ready(), NOW);
    muster.on(new Event.Tick(), NOW);

    long before = THREADS.getCurrentThreadCpuTime();
    for (var lost : members.subList(0, MEMBERS / 2)) {
      muster.on(new Event.PodGone(lost.key()), NOW);
    }
    var spent = Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - before);

    var gang = muster.cluster().gangs().all().iterator().next();
    assertThat(gang.reservation.open()).as("places for replacements").hasSize(MEMBERS / 2);
    assertThat(spent).isLessThan(Duration.ofSeconds(6));
  }
}
