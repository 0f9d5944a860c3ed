package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.Growth;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.Rules;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/**
 * Thousands of pods for which kube-scheduler keeps nodes: a gang that is tried costs no look at
 * each of them.
 */
final class ManyNominatedPodsTest {

  private static final int FEW = 500;
  private static final int MANY = 5000;
  private static final int NODES = 500;
  private static final int GANGS = 300;
  private static final int OF_THE_PODS = 5;

  private final Instant now = Instant.EPOCH;

  private GangScheduler beside(int nominated) {
    var muster = new GangScheduler(Deadlines.DEFAULT, Rules.affinity());
    for (int i = 0; i < NODES; i++) {
      muster.on(new Event.NodeSeen(aNode("n" + i).gpus(16).build()), now);
    }
    muster.on(new Event.LeaseHeld(Instant.MAX, false), now);
    muster.on(new Event.Ready(), now);
    var seen = new ArrayList<Event>();
    for (int i = 0; i < nominated; i++) {
      seen.add(
          new Event.PodSeen(
              aPod("pod-" + i).gpus(1).priority(OF_THE_PODS).nominated("n" + i % NODES).build()));
    }
    muster.onAll(seen, now);
    return muster;
  }

  /** Each of them asks for something else, and is tried for itself. */
  private void gangsCome(GangScheduler muster) {
    for (int i = 0; i < GANGS; i++) {
      var name = "g-" + i;
      muster.on(
          new Event.PodSeen(
              aPod(name).gpus(16).cpuMillis(i).gang(name, 1).gated().priority(OF_THE_PODS).build()),
          now);
    }
  }

  @Test
  void thoughTheyAreKeptFromIt() {
    var growth =
        Growth.between(
            FEW,
            MANY,
            nominated -> {
              var muster = beside(nominated);
              return () -> gangsCome(muster);
            });
    assertThat(growth).as("times as much beside ten times as many").isLessThan(3);
  }
}
