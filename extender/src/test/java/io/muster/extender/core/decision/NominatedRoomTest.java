package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** kube-scheduler has preempted a member of a gang for a pod without one. */
final class NominatedRoomTest extends GangScenes {

  private static final int OF_THE_GANG = 5;

  private String node = "";

  private PodBuilder member(int index) {
    return aPod("g-" + index)
        .gpus(1)
        .gang("g", 2)
        .priority(OF_THE_GANG)
        .ownedBy("job")
        .createdAt(cluster.now());
  }

  private PodBuilder single(int priority) {
    return aPod("single").gpus(1).priority(priority).createdAt(cluster.now());
  }

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  private boolean isBound(String uid) {
    return cluster.pods.get(uid).isBound();
  }

  @BeforeEach
  void oneIsPreempted() {
    gpuNodes(2);
    cluster.create(member(0).build());
    cluster.create(member(1).build());
    run(10);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
    node = cluster.pods.get("uid-g-0").progress().nodeName().orElseThrow();
    cluster.delete("uid-g-0");
    run(2);
  }

  @Test
  void thePodTakesWhatIsKeptForAReplacement() {
    cluster.create(single(OF_THE_GANG + 1).nominated(node).build());
    run(10);
    assertThat(isBound("uid-single")).isTrue();

    cluster.create(member(0).uid("again").build());
    run(30);
    assertThat(isBound("again")).as("there is no room").isFalse();
    cluster.delete("uid-single");
    run(30);
    assertThat(isBound("again")).as(cluster.report("g").message()).isTrue();
    settled();
  }

  /** The owner of the gang is as quick as kube-scheduler. */
  @Test
  void thePodTakesThePlaceOfAReplacementThatHasCome() {
    cluster.create(single(OF_THE_GANG + 1).nominated(node).build());
    cluster.create(member(0).uid("again").build());
    run(10);

    assertThat(isBound("uid-single")).isTrue();
    assertThat(isBound("again")).isFalse();
    settled();
  }

  @Test
  void thePodDoesNotTakeThePlaceOfAReplacementWhoseBindingIsUnderWay() {
    var muster = cluster.muster();
    var again = member(0).uid("again").build();
    var single = single(OF_THE_GANG + 1).nominated(node).build();
    muster.on(new Event.PodSeen(again), cluster.now());
    muster.on(new Event.PodSeen(single), cluster.now());
    assertThat(muster.bind(new BindCall(1, again.key(), node), cluster.now()))
        .hasAtLeastOneElementOfType(Effect.Bind.class);
    assertThat(muster.bind(new BindCall(2, single.key(), node), cluster.now()))
        .noneMatch(Effect.Bind.class::isInstance);
  }

  @Test
  void whatIsKeptForItsEqualIsNotTaken() {
    cluster.create(single(OF_THE_GANG).nominated(node).build());
    run(10);

    assertThat(isBound("uid-single")).isFalse();
    settled();
  }

  /** kube-scheduler sees that somebody has gone a moment before Muster does, or after. */
  @Test
  void whoWasPreemptedAndIsNotSeenToBeGoneDoesNotStandInTheWay() {
    var muster = cluster.muster();
    var other = cluster.pods.get("uid-g-1").progress().nodeName().orElseThrow();
    muster.on(new Event.PodSeen(member(1).on(other).deleting().build()), cluster.now());

    var equal = single(OF_THE_GANG).uid("equal").nominated(other).build();
    assertThat(muster.filter(equal, List.of(other), cluster.now()).answer())
        .isInstanceOf(Answer.Refuse.class);
    var single = single(OF_THE_GANG + 1).nominated(other).build();
    assertThat(muster.filter(single, List.of(other), cluster.now()).answer())
        .isInstanceOf(Answer.Accept.class);
  }

  /** Nobody was preempted for it. */
  @Test
  void aPodThatHasNoNodeNominatedWaits() {
    cluster.create(single(OF_THE_GANG + 1).build());
    run(10);

    assertThat(isBound("uid-single")).isFalse();
    settled();
  }

  /** What they leave would be too little beside what is kept for a gang that comes before it. */
  @Test
  void nobodyIsPreemptedBesideWhatIsKeptForOthers() {
    cluster.create(aPod("low").gpus(1).priority(1).on(node).build());
    run(1);
    var muster = cluster.muster();
    var victims = Map.of(node, Set.of("uid-low"));
    assertThat(muster.preemptable(single(OF_THE_GANG).build(), victims)).isEmpty();
    assertThat(muster.preemptable(single(OF_THE_GANG + 1).build(), victims)).containsExactly(node);
    assertThat(muster.preemptable(single(2).gpus(0).build(), victims)).containsExactly(node);
  }

  /** Its gang keeps what it leaves, whatever its own priority is. */
  @Test
  void aMemberOfAGangThatComesFirstIsPreemptedForNobody() {
    var other = cluster.pods.get("uid-g-1").progress().nodeName().orElseThrow();
    var victims = Map.of(other, Set.of("uid-g-1"));
    assertThat(cluster.muster().preemptable(single(OF_THE_GANG).build(), victims)).isEmpty();
    assertThat(cluster.muster().preemptable(single(OF_THE_GANG + 1).build(), victims))
        .containsExactly(other);
  }
}
