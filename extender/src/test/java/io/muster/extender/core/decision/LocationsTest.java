package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.gang.Topology.Segment;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What members are told of where they are: segments, domains, roles. */
final class LocationsTest extends ProtocolScenes {

  private static final Topology PAIRS = Topology.ANYWHERE.inSegments(new Segment("rack", 2));
  private static final String[] ALL = {"n0", "n1", "n2", "n3", "n4", "n5"};

  private static List<Event> racks() {
    return IntStream.range(0, ALL.length)
        .<Event>mapToObj(
            i -> new Event.NodeSeen(aNode(ALL[i]).gpus(1).label("rack", "r" + i / 2).build()))
        .toList();
  }

  private static String rackOf(String node) {
    return "r" + (node.charAt(1) - '0') / 2;
  }

  private static Pod member(int index, Terms.Usable terms, String role) {
    return aPod("g-" + index).gpus(1).gang("g", terms, role).build();
  }

  private static List<Pod> gang(Terms.Usable terms, int count) {
    return IntStream.range(0, count).mapToObj(i -> member(i, terms, "")).toList();
  }

  /** All effects from the first bind call to the last Binding. */
  private List<Effect> started(List<Pod> pods) {
    racks().forEach(this::on);
    lead(false);
    pods.forEach(this::seen);
    var told = new ArrayList<Effect>();
    for (var pod : pods) {
      told.addAll(bind(pods.indexOf(pod), pod, placeOf(pod, ALL)));
    }
    told.addAll(on(new Event.RecordWritten(record(told).gang(), 1, true)));
    for (var bind : bindings(told).values()) {
      told.addAll(ended(bind));
    }
    return told;
  }

  private List<Effect> ended(Effect.Bind bind) {
    return on(
        new Event.BindingEnded(bind.gang(), bind.pod(), bind.node(), new BindingOutcome.Bound()));
  }

  private static Map<String, Effect.Bind> bindings(List<Effect> effects) {
    var bindings = new TreeMap<String, Effect.Bind>();
    for (var effect : effects) {
      if (effect instanceof Effect.Bind bind) {
        bindings.put(bind.pod().name(), bind);
      }
    }
    return bindings;
  }

  private static Map<String, Integer> segments(Map<String, Effect.Bind> bindings) {
    var segments = new TreeMap<String, Integer>();
    bindings.forEach(
        (name, bind) -> bind.location().segment().ifPresent(number -> segments.put(name, number)));
    return segments;
  }

  @Test
  void aBindingSaysWhichSegmentAndDomain() {
    var bindings = bindings(started(gang(terms("g", 4).topology(PAIRS).build(), 4)));
    assertThat(segments(bindings)).isEqualTo(Map.of("g-0", 0, "g-1", 0, "g-2", 1, "g-3", 1));
    assertThat(bindings.values())
        .allMatch(bind -> bind.location().domain().equals(Optional.of(rackOf(bind.node()))));
  }

  @Test
  void withoutSegmentsTheDomainAloneIsSaidAndWithoutTopologyNothing() {
    var close = terms("g", 2).topology(Topology.requiring("rack")).build();
    assertThat(bindings(started(gang(close, 2))).values())
        .hasSize(2)
        .allMatch(bind ->
            bind.location()
                .equals(new Effect.Location(Optional.empty(), Optional.of(rackOf(bind.node())))));
    var other = aPod("h-0").gpus(1).gang("h", terms("h", 1).build(), "").build();
    seen(other);
    var told = new ArrayList<>(bind(9, other, placeOf(other, ALL)));
    told.addAll(on(new Event.RecordWritten(record(told).gang(), 1, true)));
    assertThat(bindings(told).get("h-0").location()).isEqualTo(Effect.Location.UNTOLD);
  }

  @Test
  void whoComesLaterIsToldTheSegmentOfItsRank() {
    var terms = terms("g", 4).topology(PAIRS).build();
    started(gang(terms, 4));
    var late = member(4, terms, "");
    seen(late);
    var bindings = bindings(bind(9, late, placeOf(late, ALL)));
    assertThat(bindings.get("g-4").location().segment()).contains(2);
    assertThat(bindings.get("g-4").location().domain())
        .contains(rackOf(bindings.get("g-4").node()));
  }

  @Test
  void segmentsBeginWithTheLowestRankWhateverItIs() {
    var terms = terms("g", 4).topology(PAIRS).build();
    var bindings =
        bindings(started(IntStream.range(5, 9).mapToObj(i -> member(i, terms, "")).toList()));
    assertThat(segments(bindings)).isEqualTo(Map.of("g-5", 0, "g-6", 0, "g-7", 1, "g-8", 1));
    var late = member(9, terms, "");
    seen(late);
    assertThat(segments(bindings(bind(9, late, placeOf(late, ALL))))).isEqualTo(Map.of("g-9", 2));
  }

  @Test
  void segmentsOfARoleAreCountedWithinTheRole() {
    var launcher = terms("g", 5).role("launcher", 1).build();
    var worker = terms("g", 5).role("launcher", 1).topology(PAIRS).build();
    var pods = new ArrayList<>(List.of(member(0, launcher, "launcher")));
    IntStream.rangeClosed(1, 4).forEach(i -> pods.add(member(i, worker, "worker")));

    var bindings = bindings(started(pods));

    assertThat(segments(bindings)).isEqualTo(Map.of("g-1", 0, "g-2", 0, "g-3", 1, "g-4", 1));
    assertThat(bindings.get("g-0").location()).isEqualTo(Effect.Location.UNTOLD);
    assertThat(rackOf(bindings.get("g-1").node())).isEqualTo(rackOf(bindings.get("g-2").node()));
    assertThat(rackOf(bindings.get("g-3").node())).isEqualTo(rackOf(bindings.get("g-4").node()));
  }

  @Test
  void rolesThatStateTheSameArePlacedAsOne() {
    var same = terms("g", 3).role("launcher", 1).topology(Topology.requiring("rack")).build();
    racks().forEach(this::on);
    lead(false);
    seen(member(0, same, "launcher"));
    seen(member(1, same, "worker"));
    seen(member(2, same, "worker"));
    assertThat(reports(after(6))).last().asString().contains("no rack holds all 3 members");
  }

  @Test
  void aLevelThatNobodyKnowsIsSaid() {
    racks().forEach(this::on);
    on(new Event.LevelsSet(new Levels(List.of(new Levels.Level("rack", "rack", 0)), false)));
    lead(false);
    gang(terms("g", 2).topology(Topology.requiring(Topology.tier(2))).build(), 2)
        .forEach(this::seen);
    assertThat(reports(after(6)))
        .last()
        .asString()
        .contains("tier 2 is neither a level of the cluster nor a label of any node");
  }

  @Test
  void whoJoinsAGangGoesToItsDomainOrWaits() {
    var close = terms("g", 1).topology(Topology.requiring("rack")).build();
    var there = rackOf(bindings(started(gang(close, 1))).get("g-0").node());
    var joining = Topology.requiring("rack").joining(Optional.of("g"));
    var more = aPod("more-1").gpus(1).gang("more", terms("more", 1).topology(joining).build(), "");
    var again =
        aPod("again-2").gpus(1).gang("again", terms("again", 1).topology(joining).build(), "");

    seen(more.build());
    assertThat(rackOf(placeOf(more.build(), ALL))).isEqualTo(there);
    seen(again.build());
    assertThat(ask(again.build(), ALL)).isInstanceOf(Answer.Refuse.class);
  }

  private static List<String> reports(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.WriteReport.class::isInstance)
        .map(effect -> ((Effect.WriteReport) effect).report().message())
        .toList();
  }

  @Test
  void tiersAreCountedFromTheInnermostLevel() {
    racks().forEach(this::on);
    on(new Event.LevelsSet(new Levels(List.of(new Levels.Level("rack", "rack", 0)), false)));
    var bindings =
        bindings(
            started(gang(terms("g", 2).topology(Topology.requiring(Topology.tier(1))).build(), 2)));
    assertThat(bindings.values()).extracting(bind -> rackOf(bind.node())).containsOnly("r0");
  }

  @Test
  void numbersOfLevelsThatThereAreNotArePreferredByNobody() {
    var all = Topology.preferring(Topology.tier(1), Topology.tier(2), Topology.tier(3));
    racks().forEach(this::on);
    assertThat(bindings(started(gang(terms("g", 4).topology(all).build(), 4)))).hasSize(4);
  }

  @Test
  void aPreferredLevelThatNobodyKnowsIsSaidAtTheStart() {
    var terms = terms("g", 2).topology(Topology.preferring("BlockLayer")).build();
    assertThat(started(gang(terms, 2)))
        .filteredOn(Effect.Announce.class::isInstance)
        .extracting(effect -> ((Effect.Announce) effect).reason())
        .contains("UnknownLevel");
  }

  /** Where kube-scheduler does not ask, the write that takes the gate off says it. */
  @Test
  void aReleaseSaysIt() {
    var affinity =
        new GangScheduler(
            Deadlines.DEFAULT,
            new Rules(PlacementMode.AFFINITY, NodePinPolicy.NEVER, Waiting.DEFAULT));
    racks().forEach(event -> affinity.on(event, now));
    affinity.on(new Event.LeaseHeld(Instant.MAX, false), now);
    affinity.on(new Event.Ready(), now);
    var terms = terms("g", 4).topology(PAIRS).build();
    var told = new ArrayList<Effect>();
    for (int i = 0; i < 4; i++) {
      var pod = aPod("g-" + i).gpus(1).gang("g", terms, "").gated().build();
      told.addAll(affinity.on(new Event.PodSeen(pod), now));
    }
    told.addAll(affinity.on(new Event.Tick(), now));
    told.addAll(affinity.on(new Event.RecordWritten(record(told).gang(), 1, true), now));

    var released =
        told.stream()
            .filter(Effect.Release.class::isInstance)
            .map(Effect.Release.class::cast)
            .toList();
    assertThat(released)
        .hasSize(4)
        .allMatch(release ->
            release
                .location()
                .equals(
                    new Effect.Location(
                        Optional.of((release.pod().name().charAt(2) - '0') / 2),
                        Optional.of(rackOf(release.pin().planned())))));
  }
}
