package io.muster.extender.core.decision.terms;

import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.terms.GroupTerms.Neighbours;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which ranks members have, and from which one segments are counted. */
final class RanksTest {

  private static final GangId G = new GangId(Dialect.KOORDINATOR, "ml", "g");
  private static final Neighbours ALL = new Neighbours(G, "");
  private static final Topology PAIRS =
      Topology.ANYWHERE.inSegments(new Topology.Segment("rack", 2));

  private final GroupTerms told = new GroupTerms(G);
  private final Ranks ranks = new Ranks(told);

  private static Pod member(String name, String role, Topology topology) {
    return aPod("ml", name).gang("g", terms("g", 2).topology(topology).build(), role).build();
  }

  private static Pod member(int rank) {
    return member("g-" + rank, "", PAIRS);
  }

  private Pod hear(Pod pod) {
    told.hear(pod);
    ranks.hear(pod);
    return pod;
  }

  @Test
  void beforeTheStartTheLowestIsThatOfThoseWhoAreThere() {
    assertThat(ranks.lowestOf(ALL)).isEmpty();
    hear(member(7));
    assertThat(ranks.lowestOf(ALL)).hasValue(7);
    var lowest = hear(member(5));
    hear(member("without-number-", "", PAIRS));
    assertThat(ranks.lowestOf(ALL)).hasValue(5);
    ranks.forget(lowest);
    assertThat(ranks.lowestOf(ALL)).hasValue(7);
    assertThat(ranks.lowest()).hasValue(7);
  }

  @Test
  void onceTheyHaveStartedItStaysWhoeverIsLostAndIsAnotherInTheNextLife() {
    var lowest = hear(member(5));
    var next = hear(member(6));
    ranks.start();
    ranks.forget(lowest);
    assertThat(ranks.lowestOf(ALL)).hasValue(5);
    hear(member(4));
    assertThat(ranks.lowestOf(ALL)).hasValue(4);
    ranks.beginAnew(List.of(next));
    assertThat(ranks.lowestOf(ALL)).hasValue(6);
  }

  @Test
  void rolesThatArePlacedApartBeginEachForItself() {
    hear(member("g-0", "master", Topology.ANYWHERE));
    hear(member("g-1", "worker", PAIRS));
    hear(member("g-2", "worker", PAIRS));
    ranks.start();
    assertThat(ranks.lowestOf(new Neighbours(G, "worker"))).hasValue(1);
    assertThat(ranks.lowest()).hasValue(0);
  }

  @Test
  void whoHasTheRankOfAnotherThatLivesIsNotAlone() {
    var first = hear(member("a-3", "", PAIRS));
    var second = hear(member("b-3", "", PAIRS));
    assertThat(ranks.isAlone(first, _ -> true)).isFalse();
    assertThat(ranks.isAlone(first, pod -> !pod.equals(second))).isTrue();
    ranks.forget(second);
    assertThat(ranks.isAlone(first, _ -> true)).isTrue();
    assertThat(ranks.isAlone(hear(member("x", "", PAIRS)), _ -> true)).isFalse();
  }
}
