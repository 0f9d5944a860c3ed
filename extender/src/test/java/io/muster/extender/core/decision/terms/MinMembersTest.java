package io.muster.extender.core.decision.terms;

import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who makes up the minimum of gangs, groups and roles. */
final class MinMembersTest {

  private static final Terms.Usable WITH_ROLES =
      terms("g", 5).role("launcher", 1).role("ps", 2).build();

  private static Pod member(String gang, Terms.Usable terms, String role, int index) {
    return aPod(gang + "-" + role + "-" + index).gang(gang, terms, role).build();
  }

  private static List<Pod> members(String role, int count) {
    return IntStream.range(0, count).mapToObj(i -> member("g", WITH_ROLES, role, i)).toList();
  }

  private static MinMembers quorum(String gang, Terms.Usable terms) {
    return new MinMembers(
        List.of(new MinMembers.Part(new GangId(Dialect.KOORDINATOR, "ml", gang), terms)));
  }

  private static List<String> names(List<Pod> pods) {
    return pods.stream().map(pod -> pod.key().name()).toList();
  }

  @Test
  void needsEachRolesMinimumAndTheGangs() {
    var quorum = quorum("g", WITH_ROLES);

    assertThat(quorum.size()).isEqualTo(5);
    assertThat(quorum.missing(List.of())).isEqualTo(5);
    assertThat(quorum.missing(members("worker", 5))).isEqualTo(3);
    assertThat(quorum.missing(members("ps", 5))).isEqualTo(1);
    assertThat(
            quorum.missing(
                List.of(members("launcher", 1), members("ps", 2), members("x", 2)).stream()
                    .flatMap(List::stream)
                    .toList()))
        .isZero();
  }

  @Test
  void choosesRolesFirstAndKeepsTheOrder() {
    var candidates = new java.util.ArrayList<>(members("worker", 4));
    candidates.addAll(members("ps", 3));
    candidates.addAll(members("launcher", 2));

    assertThat(names(quorum("g", WITH_ROLES).choose(List.of(), candidates)))
        .containsExactly("g-worker-0", "g-worker-1", "g-ps-0", "g-ps-1", "g-launcher-0");
    assertThat(names(quorum("g", WITH_ROLES).choose(members("launcher", 1), members("worker", 4))))
        .containsExactly("g-worker-0", "g-worker-1");
  }

  @Test
  void aGroupNeedsAllOfItsGangs() {
    var a = terms("a", 2).with("b").build();
    var b = terms("b", 1).with("a").build();
    var quorum =
        new MinMembers(
            List.of(
                new MinMembers.Part(new GangId(Dialect.KOORDINATOR, "ml", "a"), a),
                new MinMembers.Part(new GangId(Dialect.KOORDINATOR, "ml", "b"), b)));
    var ofA = IntStream.range(0, 5).mapToObj(i -> member("a", a, "", i)).toList();

    assertThat(quorum.missing(ofA)).isEqualTo(1);
    assertThat(quorum.choose(List.of(), ofA)).hasSize(2);
    assertThat(quorum.missing(List.of(ofA.get(0), ofA.get(1), member("b", b, "", 0)))).isZero();
  }
}
