package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangRecord.Place;
import io.muster.extender.core.protocol.SetupFault;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Clusters whose webhook or kube-scheduler is not set up as gangs need it. */
final class SetupFaultsTest extends ProtocolScenes {

  /** A member without a device that kube-scheduler was not made to ask about. */
  private static PodBuilder launcher() {
    return aPod("g-launcher").gang("g", 3).unmarked();
  }

  /** Two workers that wait for a second GPU, and have been asked about. */
  private List<Pod> workersThatWait() {
    nodes("n0");
    lead(false);
    var workers = members("g", 2, 3);
    workers.forEach(pod -> ask(pod, "n0"));
    return workers;
  }

  private static List<Effect> warnings(List<Effect> effects) {
    return effects.stream().filter(Effect.Warn.class::isInstance).toList();
  }

  private static List<Effect> evictions(List<Effect> effects) {
    return effects.stream().filter(Effect.Evict.class::isInstance).toList();
  }

  private int noticed(SetupFault fault) {
    return muster.takeMilestones().setupFaults().getOrDefault(fault, 0);
  }

  @Test
  void aMemberThatWasStartedPastMusterIsReportedOnceWithTheFix() {
    workersThatWait();
    seen(launcher().build());
    assertThat(warnings(after(1))).as("it waits as others do").isEmpty();
    seen(launcher().on("n0").build());
    assertThat(warnings(after(60)))
        .singleElement()
        .isInstanceOfSatisfying(
            Effect.Warn.class,
            warning -> {
              assertThat(warning.pod()).isEqualTo(launcher().build().key());
              assertThat(warning.reason()).isEqualTo("MemberUnmarked");
              assertThat(warning.sentence())
                  .contains("without asking Muster", "webhook", "muster.io/gang-member: 1");
            });
    assertThat(noticed(SetupFault.MEMBER_UNMARKED)).isEqualTo(1);
    assertThat(noticed(SetupFault.MEMBER_UNMARKED)).as("since then").isZero();
  }

  @Test
  void aMemberThatRunsAloneEndsAfterTheTimeOfARepair() {
    workersThatWait();
    seen(launcher().on("n0").build());
    assertThat(evictions(after(29))).isEmpty();
    assertThat(evictions(after(2)))
        .singleElement()
        .satisfies(end -> assertThat(((Effect.Evict) end).pod().name()).isEqualTo("g-launcher"));
    assertThat(evictions(after(55))).as("once a minute").isEmpty();
    assertThat(evictions(after(10))).as("it is still there").hasSize(1);
  }

  @Test
  void aBareMemberThatRunsAloneIsReportedAndNeverEnded() {
    workersThatWait();
    seen(launcher().bare().on("n0").build());
    var effects = after(300);
    assertThat(warnings(effects)).hasSize(1);
    assertThat(evictions(effects)).isEmpty();
  }

  @Test
  void aMemberThatWasStartedPastMusterCountsOnceItsGangGoes() {
    nodes("n0", "n1");
    lead(false);
    seen(launcher().on("n0").build());
    var workers = members("g", 2, 3);
    for (var pod : workers) {
      bind(workers.indexOf(pod), pod, placeOf(pod, "n0", "n1"));
    }
    var id = workers.getFirst().membership().orElseThrow().gang();
    on(new Event.RecordWritten(id, 1, true));
    for (var pod : workers) {
      on(
          new Event.BindingEnded(
              id, pod.key(), "n" + workers.indexOf(pod), new BindingOutcome.Bound()));
    }
    var effects = after(120);
    assertThat(warnings(effects)).hasSize(1);
    assertThat(evictions(effects)).isEmpty();
  }

  @Test
  void whatMusterWasAskedAboutOrIsNotToBeAskedAboutIsNotReported() {
    workersThatWait();
    seen(launcher().placedBy(1).on("n0").build());
    seen(aPod("g-marked").gang("g", 3).on("n0").build());
    seen(aPod("g-elsewhere").gang("g", 3).unmarked().scheduler("another").on("n0").build());
    seen(aPod("single").unmarked().on("n0").build());
    var effects = after(120);
    assertThat(warnings(effects)).isEmpty();
    assertThat(evictions(effects)).isEmpty();
  }

  /** kube-scheduler was not asked about any of them. */
  @Test
  void aGangWhoseMinimumWasStartedPastMusterGoesOn() {
    nodes("n0");
    lead(false);
    ask(aPod("single").gpus(1).build(), "n0");
    var effects = new ArrayList<Effect>();
    for (int i = 0; i < 20; i++) {
      effects.addAll(seen(aPod("g-" + i).gang("g", 3).unmarked().on("n0").build()));
    }
    effects.addAll(after(120));
    assertThat(evictions(effects)).isEmpty();
    assertThat(warnings(effects)).as("some are enough").hasSize(16);
    assertThat(noticed(SetupFault.MEMBER_UNMARKED)).isEqualTo(20);
  }

  @Test
  void aMemberOfAGangThatCanNeverStartIsReportedAndLeftAlone() {
    nodes("n0");
    lead(false);
    ask(aPod("single").gpus(1).build(), "n0");
    seen(aPod("g-0").unusableGang("g", "min", "", "no minimum").unmarked().on("n0").build());
    var effects = after(120);
    assertThat(warnings(effects)).hasSize(1);
    assertThat(evictions(effects)).isEmpty();
  }

  @Test
  void anotherProcessEndsAMemberThatRunsAlone() {
    nodes("n0");
    var launcher = launcher().on("n0").build();
    var worker = member("g", 0, 3).build();
    on(new Event.RecordFound(waiting(launcher)));
    seen(launcher);
    seen(worker);
    lead(true);
    ask(worker, "n0");
    assertThat(evictions(after(32))).hasSize(1);
  }

  /** Muster is set up in a cluster whose gangs have started singly until now. */
  @Test
  void whatRanBeforeMusterKnewItsGangIsLeftAlone() {
    nodes("n0");
    var worker = member("g", 0, 3).build();
    seen(launcher().on("n0").build());
    seen(worker);
    lead(false);
    ask(worker, "n0");
    var effects = after(120);
    assertThat(warnings(effects)).isEmpty();
    assertThat(evictions(effects)).isEmpty();
  }

  private static GangRecord waiting(Pod member) {
    return new GangRecord(
        member.membership().orElseThrow().gang(),
        1,
        0,
        Phase.WAITING,
        3,
        false,
        Map.of(),
        Optional.empty(),
        Optional.empty());
  }

  @Test
  void aBurstWithAMemberThatWasStartedPastMusterCanBeUndone() {
    nodes("n0");
    var launcher = launcher().on("n0").build();
    var worker = member("g", 0, 3).on("n0").placedBy(1).build();
    on(
        new Event.RecordFound(
            new GangRecord(
                worker.membership().orElseThrow().gang(),
                1,
                1,
                Phase.BINDING,
                3,
                false,
                Map.of(
                    launcher.key().uid(),
                    new Place("g-launcher", "n0"),
                    worker.key().uid(),
                    new Place("g-0", "n0"),
                    "gone",
                    new Place("g-1", "n1")),
                Optional.empty(),
                Optional.empty())));
    seen(launcher);
    seen(worker);
    lead(false);
    assertThat(evictions(after(40))).hasSize(2);
  }

  private String[] manyNodes(int count) {
    var names = IntStream.range(0, count).mapToObj(i -> "n" + (1000 + i)).toArray(String[]::new);
    for (var name : names) {
      on(
          new Event.NodeSeen(
              aNode(name).gpus(1).label("zone", name.endsWith("0") ? "a" : "b").build()));
    }
    lead(false);
    return names;
  }

  private List<Effect> told(Pod pod, String... offered) {
    seen(pod);
    return muster.filter(pod, List.of(offered), now).effects().stream()
        .filter(Effect.Announce.class::isInstance)
        .toList();
  }

  private static String[] first(int count, String... names) {
    return List.of(names).subList(0, count).toArray(String[]::new);
  }

  @Test
  void aListThatIsASampleIsToldOnceAnHourAndCounted() {
    var nodes = manyNodes(300);
    var pod = member("g", 0, 2).build();
    var sample = first(100, nodes);
    assertThat(told(pod, sample))
        .singleElement()
        .isInstanceOfSatisfying(
            Effect.Announce.class,
            event -> {
              assertThat(event.warning()).isTrue();
              assertThat(event.reason()).isEqualTo("NodesSampled");
              assertThat(event.sentence())
                  .contains("offered 100 of 300 nodes", "percentageOfNodesToScore: 100");
            });
    var again = new ArrayList<Effect>();
    for (int i = 0; i < 58; i++) {
      now = now.plus(Duration.ofMinutes(1));
      again.addAll(told(pod, sample));
    }
    assertThat(again).isEmpty();
    assertThat(noticed(SetupFault.NODES_SAMPLED)).isEqualTo(59);
    now = now.plus(Duration.ofMinutes(2));
    assertThat(told(pod, sample)).hasSize(1);
  }

  @Test
  void aListIsLookedAtOnceAMinute() {
    var nodes = manyNodes(300);
    for (int i = 0; i < 5; i++) {
      told(member("g", i, 5).build(), first(100, nodes));
    }
    assertThat(noticed(SetupFault.NODES_SAMPLED)).isEqualTo(1);
  }

  @Test
  void aListThatRulesMayHaveCutIsNoSample() {
    var nodes = manyNodes(300);
    var sample = first(100, nodes);
    var own = member("g", 0, 9).byRulesOfItsOwn().build();
    assertThat(told(own, sample)).as("rules that Muster does not know of").isEmpty();
    var few = member("g", 1, 9).build();
    assertThat(told(few, first(99, nodes))).as("shorter than any sample").isEmpty();
    assertThat(told(few, first(150, nodes))).as("half of them").isEmpty();
    var pin = new NodePin("1", List.of(nodes));
    assertThat(told(PodBuilder.tied(member("g", 2, 9).build(), pin), sample))
        .as("tied to its nodes")
        .isEmpty();
    var zone = member("g", 3, 9).selecting("zone", "a").build();
    assertThat(told(zone, sample)).as("its own selector leaves out the others").isEmpty();
    assertThat(noticed(SetupFault.NODES_SAMPLED)).isZero();
  }

  @Test
  void nodesThatAreTakenAreNotMissing() {
    var nodes = manyNodes(300);
    for (int i = 100; i < 300; i++) {
      seen(aPod("there-" + i).gpus(1).on(nodes[i]).build());
    }
    assertThat(told(member("g", 0, 2).build(), first(100, nodes))).isEmpty();
  }
}
