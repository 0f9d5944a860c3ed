package io.muster.controller.kinds.etoperator.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kube.node.SignalTable.SpotLabel;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where pods of a job are not to be. */
final class NodeTermsTest {

  private static final NodeSelectorRequirement NEITHER =
      new NodeSelectorRequirement("kubernetes.io/hostname", "NotIn", List.of("a", "b"));

  @Test
  void nothingIsSaidWhereNoNodeGoesAndNoLabelIsKnown() {
    var spec = new PodSpec();
    NodeTerms.keepOff(spec, List.of());
    NodeTerms.avoid(spec, List.of());
    assertThat(spec).isEqualTo(new PodSpec());
  }

  @Test
  void aPodKeepsOffEachNodeThatGoes() {
    var spec = new PodSpec();
    NodeTerms.keepOff(spec, List.of("b", "a"));
    assertThat(
            spec.getAffinity()
                .getNodeAffinity()
                .getRequiredDuringSchedulingIgnoredDuringExecution()
                .getNodeSelectorTerms())
        .singleElement()
        .satisfies(term -> assertThat(term.getMatchExpressions()).containsExactly(NEITHER));
  }

  @Test
  void whatTheUserSaysStaysInEveryTerm() {
    var spec =
        Serialization.unmarshal(
            """
            affinity:
              podAffinity: {}
              nodeAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                  nodeSelectorTerms:
                  - matchExpressions: [{key: k, operator: Exists}]
                  - matchFields: [{key: metadata.name, operator: NotIn, values: [b]}]
                preferredDuringSchedulingIgnoredDuringExecution:
                - weight: 1
                  preference: {matchExpressions: [{key: k, operator: Exists}]}
            """,
            PodSpec.class);
    NodeTerms.keepOff(spec, List.of("a", "b"));
    NodeTerms.avoid(spec, List.of(new SpotLabel("spot", List.of("yes", "true"))));
    var affinity = spec.getAffinity();
    assertThat(affinity.getPodAffinity()).isNotNull();
    var terms =
        affinity
            .getNodeAffinity()
            .getRequiredDuringSchedulingIgnoredDuringExecution()
            .getNodeSelectorTerms();
    assertThat(terms.getFirst().getMatchExpressions()).hasSize(2).contains(NEITHER);
    assertThat(terms.getLast().getMatchFields()).hasSize(1);
    assertThat(terms.getLast().getMatchExpressions()).containsExactly(NEITHER);
    var preferred = affinity.getNodeAffinity().getPreferredDuringSchedulingIgnoredDuringExecution();
    assertThat(preferred).hasSize(2);
    assertThat(preferred.getLast().getPreference().getMatchExpressions())
        .containsExactly(new NodeSelectorRequirement("spot", "NotIn", List.of("yes", "true")));
  }
}
