package io.muster.extender.core.decision.terms;

import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.terms.GroupTerms.Neighbours;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.RoleMinimums;
import io.muster.extender.core.gang.Topology;
import org.junit.jupiter.api.Test;

/** Members of which each states a role and a topology of its own. */
final class RolesApartTest {

  private static final GangId G = new GangId(Dialect.KOORDINATOR, "ml", "g");

  private final GroupTerms told = new GroupTerms(G);

  private static Pod member(int index) {
    return aPod("ml", "g-" + index)
        .gang(
            "g", terms("g", 1).topology(Topology.requiring("level-" + index)).build(), "r" + index)
        .build();
  }

  @Test
  void rolesBeyondTheMostAreOneAndGoAnywhere() {
    for (int i = 0; i < 5_000; i++) {
      told.hear(member(i));
    }
    assertThat(told.neighbours()).hasSize(RoleMinimums.MOST_ROLES + 1);
    assertThat(told.topologyOf(told.neighboursOf(member(7))))
        .isEqualTo(Topology.requiring("level-7"));
    assertThat(told.neighboursOf(member(4_999))).isEqualTo(new Neighbours(G, ""));
    assertThat(told.topologyOf(told.neighboursOf(member(4_999)))).isEqualTo(Topology.ANYWHERE);
  }

  @Test
  void aGangThatIsAskedAnewForgetsThem() {
    told.hear(member(0));
    told.hear(member(1));
    told.withdraw(G);
    assertThat(told.neighbours()).containsExactly(new Neighbours(G, ""));
  }
}
