package io.muster.extender.core.cluster;

import static io.muster.extender.core.NodeBuilder.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fields of a node in required affinity: kube-scheduler knows its name, with one value. */
final class NodeTermTest {

  private static NodeTerm field(String key, Operator operator, String... values) {
    return new NodeTerm(List.of(), List.of(new Requirement(key, operator, Set.of(values))));
  }

  @ParameterizedTest
  @CsvSource({
    "metadata.name, IN, a, true",
    "metadata.name, IN, b, false",
    "metadata.name, NOT_IN, a, false",
    "metadata.name, NOT_IN, b, true",
    "metadata.name, EXISTS, a, false",
    "metadata.name, DOES_NOT_EXIST, a, false",
    "metadata.uid, NOT_IN, a, false",
    "metadata.uid, IN, a, false",
  })
  void matchesByNameAlone(String key, Operator operator, String value, boolean expected) {
    assertThat(field(key, operator, value).matches(aNode("a").build())).isEqualTo(expected);
  }

  @Test
  void matchesNothingWithMoreThanOneName() {
    assertThat(field("metadata.name", Operator.IN, "a", "b").matches(aNode("a").build())).isFalse();
  }

  @Test
  void namesTheOnlyNodeThatItCanMean() {
    assertThat(field("metadata.name", Operator.IN, "a").onlyNode()).isEqualTo(Optional.of("a"));
    assertThat(field("metadata.name", Operator.NOT_IN, "a").onlyNode()).isEmpty();
  }
}
