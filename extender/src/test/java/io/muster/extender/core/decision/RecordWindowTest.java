package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What happens between the last look at a gang's places and the moment its record is stored. */
final class RecordWindowTest extends ProtocolScenes {

  private static final String[] THREE = {"n0", "n1", "n2"};

  private GangRecord arrived(List<Pod> gang, String... nodes) {
    var effects = new ArrayList<Effect>();
    long call = 1;
    for (var pod : gang) {
      effects.addAll(bind(call++, pod, placeOf(pod, nodes)));
    }
    return record(effects);
  }

  private List<Effect> stored(GangRecord record) {
    return on(new Event.RecordWritten(record.gang(), record.epoch(), true));
  }

  private static List<Effect> bindings(List<Effect> effects) {
    return effects.stream().filter(Effect.Bind.class::isInstance).toList();
  }

  private GangRecord threeOnThreeNodes() {
    nodes(THREE);
    lead(false);
    return arrived(members("g", 3, 3), THREE);
  }

  private int acceptedWithin(Duration time, List<Pod> pods) {
    int accepted = 0;
    for (long passed = 0; passed < time.toSeconds() && accepted < pods.size(); passed += 10) {
      after(10);
      accepted = 0;
      for (var pod : pods) {
        accepted += ask(pod, FOUR) instanceof Answer.Accept ? 1 : 0;
      }
    }
    return accepted;
  }

  @Test
  void aMemberThatGoesStopsTheBurst() {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 3, 3);
    var record = arrived(gang, FOUR);
    on(new Event.PodGone(gang.getFirst().key()));
    var sent = stored(record);
    assertThat(bindings(sent)).as("two are left of three that are needed").isEmpty();
    assertThat(answers(sent)).as("kube-scheduler is told at once").hasSize(2);
  }

  @Test
  void membersWithoutAControllerAreNotLeftHalfBound() {
    nodes(FOUR);
    lead(false);
    var gang = new ArrayList<Pod>();
    for (int i = 0; i < 3; i++) {
      gang.add(member("g", i, 3).bare().build());
      seen(gang.getLast());
    }
    var record = arrived(gang, FOUR);
    on(new Event.PodGone(gang.getFirst().key()));
    assertThat(bindings(stored(record))).isEmpty();
    after(3600);
    for (var node : FOUR) {
      var single = aPod("single-" + node).gpus(1).build();
      assertThat(ask(single, node)).as("an hour later").isInstanceOf(Answer.Accept.class);
    }
  }

  @Test
  void aNodeThatGoesStopsTheBurst() {
    var record = threeOnThreeNodes();
    on(new Event.NodeGone("n1"));
    assertThat(bindings(stored(record))).as("there is no other node").isEmpty();
  }

  @Test
  void aNodeThatIsNotReadyAnyMoreStopsTheBurst() {
    var record = threeOnThreeNodes();
    on(new Event.NodeSeen(aNode("n1").gpus(1).availability(Node.Availability.NOT_READY).build()));
    assertThat(bindings(stored(record))).as("there is no other node").isEmpty();
  }

  @Test
  void roomThatAnotherSchedulerTakesStopsTheBurst() {
    var record = threeOnThreeNodes();
    seen(aPod("stranger").gpus(1).scheduler("another").on("n1").build());
    assertThat(bindings(stored(record))).as("n1 has one GPU, and a stranger has it").isEmpty();
  }

  /** A sibling that was started past Muster has taken its stead. */
  @Test
  void whoseNodeGoesIsNotBoundThoughItIsNotNeededAnyMore() {
    nodes(THREE);
    lead(false);
    var record = arrived(members("g", 3, 2).subList(0, 2), THREE);
    var first = record.placement().get("uid-g-0").node();
    seen(member("g", 2, 2).on("n2").build());
    on(new Event.NodeGone(first));
    assertThat(bindings(stored(record)))
        .singleElement()
        .extracting(sent -> ((Effect.Bind) sent).pod().name())
        .isEqualTo("g-1");
  }

  @Test
  void aMinimumThatIsRaisedStopsTheBurst() {
    var object = new TermsObject(TermsObject.Kind.PLUGINS_POD_GROUP, "ml", "g");
    nodes(FOUR);
    on(new Event.TermsSeen(object, Optional.of(terms("g", 2).build())));
    lead(false);
    var gang = new ArrayList<Pod>();
    for (int i = 0; i < 2; i++) {
      gang.add(aPod("g-" + i).gpus(1).gang(Dialect.SCHEDULER_PLUGINS, object).build());
      seen(gang.getLast());
    }
    var record = arrived(gang, FOUR);
    on(new Event.TermsSeen(object, Optional.of(terms("g", 4).build())));
    assertThat(bindings(stored(record))).as("two members of a gang that needs four").isEmpty();
  }

  @Test
  void nothingIsLostWhereAllIsAsItWas() {
    assertThat(bindings(stored(threeOnThreeNodes()))).hasSize(3);
  }

  @Test
  void anotherTakesThePlaceOfOneThatGoesWhereTheRecordCannotBeStored() {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 4, 3);
    var record = arrived(gang.subList(0, 3), FOUR);
    on(new Event.PodGone(gang.getFirst().key()));
    on(new Event.RecordWritten(record.gang(), record.epoch(), false));
    assertThat(ask(gang.getLast(), FOUR)).isInstanceOf(Answer.Accept.class);
  }

  @Test
  void othersStartWhereAllThatWereRecordedHaveGone() {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 4, 2);
    var record = arrived(gang.subList(0, 2), FOUR);
    on(new Event.PodGone(gang.get(0).key()));
    on(new Event.PodGone(gang.get(1).key()));
    stored(record);
    assertThat(acceptedWithin(Duration.ofMinutes(1), gang.subList(2, 4))).isEqualTo(2);
  }

  @Test
  void replacementsOfAllThatWereRecordedStart() {
    nodes(FOUR);
    lead(false);
    var gang = members("g", 2, 2);
    var record = arrived(gang, FOUR);
    var replacements = new ArrayList<Pod>();
    for (int i = 0; i < 2; i++) {
      on(new Event.PodGone(gang.get(i).key()));
      replacements.add(member("g", i, 2).uid("again-" + i).build());
      seen(replacements.getLast());
    }
    stored(record);
    assertThat(acceptedWithin(Duration.ofMinutes(1), replacements)).isEqualTo(2);
  }

  /** An API server that takes up to 1.5 s for a Gang object. */
  @Test
  void gangsWhosePodsAreDeletedOneAfterTheOtherWhileTheyStartRunInTheEnd() {
    for (int seed = 0; seed < 200; seed++) {
      var random = new Random(seed);
      var cluster = new ClusterSimulation(seed, Rules.extender(NodePinPolicy.NEVER));
      cluster.ownersReplace = true;
      cluster.longestGangWriteMillis = 1500;
      for (var node : FOUR) {
        cluster.addNode(aNode(node).gpus(1).build());
      }
      for (int i = 0; i < 2; i++) {
        var name = "g-" + i;
        cluster.at(
            Duration.ofSeconds(1),
            () ->
                cluster.create(
                    aPod("ml", name).gpus(1).gang("g", 2).createdAt(cluster.now()).build()));
      }
      int at = 1000 + random.nextInt(1500);
      int gap = 50 + random.nextInt(500);
      cluster.at(Duration.ofMillis(at), () -> cluster.delete("uid-g-0"));
      cluster.at(Duration.ofMillis(at + gap), () -> cluster.delete("uid-g-1"));
      cluster.runUntil(Duration.ofMinutes(5));
      assertThat(cluster.boundOf("g")).as("seed %d: %s", seed, cluster.report("g")).isEqualTo(2);
      assertThat(cluster.faults).as("seed %d", seed).isEmpty();
    }
  }

  @Test
  void theLastLookFindsThePlaceOfTheFirstTakenAndNoOther() {
    nodes("n0", "n1");
    lead(false);
    var gang = members("g", 2, 2);
    bind(1, gang.get(0), placeOf(gang.get(0), "n0", "n1"));
    seen(aPod("stranger").gpus(1).scheduler("another").on("n0").build());
    assertThat(answers(bind(2, gang.get(1), "n1"))).hasSize(2);
  }

  @Test
  void theLastLookFindsTheDeviceOfTheFirstOfThreeGoneAndNoOther() {
    nodes(THREE);
    lead(false);
    var gang = members("g", 3, 3);
    bind(1, gang.get(0), placeOf(gang.get(0), THREE));
    bind(2, gang.get(1), placeOf(gang.get(1), "n1", "n2"));
    on(new Event.NodeSeen(aNode("n0").build()));
    assertThat(answers(bind(3, gang.get(2), "n2"))).hasSize(3);
  }
}
