package io.muster.extender.core.decision.state;

import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.decision.terms.GroupTerms.Neighbours;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Topology;
import java.time.Instant;
import java.util.Collection;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Who joins whom. */
final class GangsTest {

  private static final Topology PAIRS =
      Topology.ANYWHERE.inSegments(new Topology.Segment("rack", 2));

  private final Gangs gangs = new Gangs(UnaryOperator.identity());

  private GangState gang(String namespace, String name, Topology topology, int rank) {
    var gang = gangs.get(new GangId(Dialect.KOORDINATOR, namespace, name));
    gang.memberSeen(
        aPod(namespace, name + "-" + rank)
            .gang(name, terms(name, 1).topology(topology).build(), "")
            .build(),
        Instant.EPOCH);
    return gang;
  }

  private GangState joining(String namespace, String name, String joins, int rank) {
    return gang(namespace, name, PAIRS.joining(Optional.of(joins)), rank);
  }

  private static Neighbours all(GangState gang) {
    return new Neighbours(gang.id, "");
  }

  private Collection<GangState> others(GangState gang) {
    return gangs.joinedBy(gang, all(gang));
  }

  @Test
  void aGangIsJoinedByThoseThatNameItWithTheOthersThatDo() {
    var job = gang("ml", "job", PAIRS, 0);
    gang("other", "job", PAIRS, 0);
    gang("ml", "bystander", PAIRS, 0);
    var first = joining("ml", "first", "job", 2);
    assertThat(others(first)).containsExactly(job);
    var second = joining("ml", "second", "job", 3);
    joining("other", "third", "job", 3);
    assertThat(others(first)).containsExactly(job, second);
    assertThat(others(second)).containsExactly(first, job);
    assertThat(others(job)).as("it joins nobody itself").isEmpty();
    gangs.remove(job.id);
    assertThat(others(second)).containsExactly(first);
  }

  @Test
  void aGangThatStatesAnotherNameAnewJoinsThatOne() {
    var joiner = joining("ml", "joiner", "a", 2);
    var a = gang("ml", "a", PAIRS, 0);
    assertThat(others(joiner)).containsExactly(a);
    joiner.terms.withdraw(joiner.id);
    joining("ml", "joiner", "b", 3);
    assertThat(others(joiner)).isEmpty();
    var b = gang("ml", "b", PAIRS, 0);
    assertThat(others(joiner)).containsExactly(b);
  }

  @Test
  void segmentsOfAJoiningGangAreCountedFromTheGangThatItJoins() {
    gang("ml", "job", PAIRS, 5);
    var more = joining("ml", "more", "job", 8);
    assertThat(gangs.firstRank(more, all(more))).isEqualTo(5);
    assertThat(gangs.segmentOf(more, more.members.live().getFirst())).hasValue(1);
  }

  @Test
  void aGroupIsFoundByEachOfItsGangsUntilItIsForgotten() {
    var group = member("a", "a", "b");
    assertThat(gangs.groupsWith(id("b"))).as("none of its members is there").isEmpty();
    member("b", "a", "a");
    var other = member("d", "c", "c");
    assertThat(gangs.groupsWith(id("b"))).containsExactly(group);
    assertThat(gangs.groupsWith(id("d"))).containsExactly(other);
    assertThat(gangs.groupsWith(id("a"))).as("it goes by that name").isEmpty();
    gangs.remove(group.id);
    assertThat(gangs.groupsWith(id("b"))).isEmpty();
    assertThat(gangs.groupsWith(id("d"))).containsExactly(other);
  }

  /** Its object stays, and what was told on it is not true any more. */
  @Test
  void aGangThatHasLeftAGroupIsFoundWithItStill() {
    var group = member("a", "a", "b");
    member("b", "a", "a");
    assertThat(gangs.groupsWith(id("b"))).containsExactly(group);
    group.terms.withdraw(id("b"));
    group.activate();
    assertThat(gangs.groupsWith(id("b"))).containsExactly(group);
  }

  private GangState member(String gang, String group, String... others) {
    var state = gangs.get(id(group));
    var terms = terms(gang, 1).with(others).build();
    state.memberSeen(aPod("ml", gang + "-0").gang(gang, terms, "").build(), Instant.EPOCH);
    return state;
  }

  private static GangId id(String name) {
    return new GangId(Dialect.KOORDINATOR, "ml", name);
  }
}
