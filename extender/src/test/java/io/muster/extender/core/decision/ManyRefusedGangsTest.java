package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.Growth;
import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/**
 * A queue that is full, and thousands of gangs that wait in it and are all different: what happens
 * to others costs no look at each of them.
 */
final class ManyRefusedGangsTest {

  private static final int FEW = 500;
  private static final int MANY = 4000;
  private static final int EVENTS = 200;

  private Instant now = Instant.EPOCH;

  private static Queue full(String name) {
    return new Queue(
        name,
        1,
        Optional.of(8L),
        Optional.empty(),
        Order.PRIORITY,
        false,
        Optional.empty(),
        Set.of(name));
  }

  private void tick(GangScheduler muster) {
    now = now.plusMillis(500);
    muster.on(new Event.Tick(), now);
  }

  private GangScheduler waiting(int gangs, IntFunction<PodBuilder> member) {
    var muster = new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
    muster.on(new Event.QueuesSet(new Queues(List.of(full("ml"), full("other")))), now);
    for (int i = 0; i < 8; i++) {
      muster.on(new Event.NodeSeen(aNode("n" + i).gpus(8).build()), now);
    }
    muster.on(new Event.PodSeen(aPod("ml", "one").gpus(8).on("n0").build()), now);
    muster.on(new Event.PodSeen(aPod("other", "two").gpus(8).on("n1").build()), now);
    muster.on(new Event.LeaseHeld(Instant.MAX, false), now);
    muster.on(new Event.Ready(), now);
    var seen = new ArrayList<Event>();
    for (int gang = 0; gang < gangs; gang++) {
      for (int i = 0; i < 4; i++) {
        seen.add(
            new Event.PodSeen(
                member
                    .apply(gang)
                    .uid("uid-" + gang + "-" + i)
                    .gang("g" + gang, 4)
                    .createdAt(now)
                    .build()));
      }
    }
    muster.onAll(seen, now);
    for (int i = 0; i < 4; i++) {
      tick(muster);
    }
    assertThat(muster.cluster().gangs().waiting()).hasSize(gangs);
    return muster;
  }

  private void othersCome(GangScheduler muster) {
    for (int i = 0; i < EVENTS; i++) {
      var name = "x-" + i;
      muster.on(new Event.PodSeen(aPod("other", name).gpus(1).gang(name, 2).build()), now);
    }
  }

  /** Were each asked about at each event, it would be more than four times as much. */
  private void eventsOfOthersCostTheSame(IntFunction<PodBuilder> member) {
    var growth =
        Growth.between(
            FEW,
            MANY,
            gangs -> {
              var muster = waiting(gangs, member);
              return () -> othersCome(muster);
            });
    assertThat(growth).as("times as much beside eight times as many").isLessThan(3);
  }

  @Test
  void thoughEachStatesAnotherRunTime() {
    eventsOfOthersCostTheSame(
        gang -> aPod("ml", "g-" + gang).gpus(1).running(Duration.ofMinutes(10L + gang)));
  }

  @Test
  void thoughEachHasAPodThatComesLater() {
    var later = aPod("ml", "later").gpus(1).build();
    eventsOfOthersCostTheSame(gang -> aPod("ml", "g-" + gang).gpus(1).beforeOne(later));
  }
}
