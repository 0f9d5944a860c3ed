package io.muster.extender.core.decision.terms;

import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Of ten thousand objects one changes: the terms of all other pods are the very same as before. */
final class ObjectTermsWorkTest {

  private static final int OBJECTS = 10_000;
  private static final int CHANGED = 4_711;

  private final ObjectTerms terms = new ObjectTerms();
  private final List<Pod> pods = new ArrayList<>();

  @BeforeEach
  void tenThousandObjectsWithTwoPodsEach() {
    for (int i = 0; i < OBJECTS; i++) {
      terms.state(object(i), stated(i, 2));
      for (int pod = 0; pod < 2; pod++) {
        pods.add(member(i, pod));
        terms.seen(pods.getLast());
      }
    }
  }

  private static TermsObject object(int number) {
    return new TermsObject(TermsObject.Kind.PLUGINS_POD_GROUP, "ml", "g" + number);
  }

  private static Optional<Terms> stated(int number, int min) {
    return Optional.of(terms("g" + number, min).build());
  }

  private static Pod member(int number, int pod) {
    return aPod("ml", "g" + number + "-" + pod)
        .gpus(1)
        .gang(Dialect.SCHEDULER_PLUGINS, object(number))
        .build();
  }

  private List<Terms> all() {
    return pods.stream()
        .map(pod -> terms.complete(pod).membership().orElseThrow().terms())
        .toList();
  }

  private void allAsBeforeBut(List<Terms> before, int changed) {
    var now = all();
    for (int i = 0; i < now.size(); i++) {
      if (i / 2 == changed) {
        assertThat(now.get(i)).isNotEqualTo(before.get(i));
      } else {
        assertThat(now.get(i)).as("not worked out once more").isSameAs(before.get(i));
      }
    }
  }

  @Test
  void membersThatSayTheSameHaveTheirTermsInCommon() {
    var all = all();
    for (int i = 0; i < all.size(); i += 2) {
      assertThat(all.get(i + 1)).isSameAs(all.get(i));
    }
  }

  @Test
  void aChangeOfOneTouchesItsOwnPods() {
    var before = all();

    assertThat(terms.state(object(CHANGED), stated(CHANGED, 3))).isTrue();

    assertThat(terms.podsOf(object(CHANGED)))
        .containsExactly(pods.get(2 * CHANGED), pods.get(2 * CHANGED + 1));
    allAsBeforeBut(before, CHANGED);
  }

  @Test
  void theEndOfOneTouchesItsOwnPods() {
    var before = all();

    assertThat(terms.withdraw(object(CHANGED))).isTrue();

    assertThat(terms.podsOf(object(CHANGED))).hasSize(2);
    allAsBeforeBut(before, CHANGED);
  }

  @Test
  void whatSaysTheSameAgainIsNoChange() {
    var before = all();
    for (int i = 0; i < OBJECTS; i++) {
      assertThat(terms.state(object(i), stated(i, 2))).isFalse();
    }
    allAsBeforeBut(before, -1);
  }

  @Test
  void aPodThatComesOrGoesTouchesNoOther() {
    var before = all();
    terms.seen(member(CHANGED, 2));
    pods.stream().skip(2L * CHANGED + 2).limit(2).forEach(pod -> terms.gone(pod.key().uid()));

    assertThat(terms.podsOf(object(CHANGED))).hasSize(3);
    assertThat(terms.podsOf(object(CHANGED + 1))).isEmpty();
    var now = all();
    for (int i = 0; i < now.size(); i++) {
      if (i / 2 != CHANGED + 1) {
        assertThat(now.get(i)).isSameAs(before.get(i));
      }
    }
  }

  /** One object to which members of very many gangs point, each with terms of its own. */
  @Test
  void whateverPointsToOneObjectTheTermsOfOthersAreKept() {
    var before = all();
    for (int i = 0; i < 5_000; i++) {
      var crowd =
          aPod("ml", "crowd-" + i).gpus(1).gang(Dialect.SCHEDULER_PLUGINS, object(CHANGED)).build();
      var member = crowd.membership().orElseThrow();
      var own =
          new Membership(
              new GangId(Dialect.SCHEDULER_PLUGINS, "ml", "crowd-" + i),
              member.terms(),
              member.index(),
              List.of());
      assertThat(terms.seen(crowd.under(own)).membership().orElseThrow().terms())
          .isInstanceOf(Terms.Usable.class);
    }
    var now = all();
    for (int i = 0; i < now.size(); i++) {
      if (i / 2 != CHANGED) {
        assertThat(now.get(i)).isSameAs(before.get(i));
      }
    }
  }
}
