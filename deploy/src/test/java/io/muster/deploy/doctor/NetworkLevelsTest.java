package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the doctor says of the levels of the network. */
final class NetworkLevelsTest {

  private static final String STATED =
      """
      levels:
      - name: block
        label: example.com/block
      - name: rack
        label: example.com/rack
      """;

  private static Node node(String name, Map<String, String> labels) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .withLabels(labels)
        .endMetadata()
        .build();
  }

  private static ConfigMap document(String key, String text) {
    return new ConfigMapBuilder().addToData(key, text).build();
  }

  private static Finding first(ConfigMap stored, Node... nodes) {
    return new NetworkLevels(Optional.ofNullable(stored), List.of(nodes), Map.of())
        .findings()
        .getFirst();
  }

  @Test
  void levelsAreCountedAndNodesOutsideThemNamed() {
    var finding =
        first(
            document("topology.yaml", STATED),
            node("a", Map.of("example.com/block", "b", "example.com/rack", "r1")),
            node("b", Map.of("example.com/block", "b", "example.com/rack", "r2")),
            node("c", Map.of("example.com/block", "b")));
    assertThat(finding)
        .isEqualTo(
            Finding.ok(
                "topology",
                "ConfigMap muster-topology: block (example.com/block) on 3 of 3 nodes in 1 domain,"
                    + " rack (example.com/rack) on 2 of 3 nodes in 2 domains; not in all of them:"
                    + " c"));
  }

  @Test
  void withoutADocumentTheLabelsOfNodesCount() {
    assertThat(first(null, node("a", Map.of("alibabacloud.com/asw-id", "s1"))).evidence())
        .isEqualTo(
            "levels by the labels of nodes: asw (alibabacloud.com/asw-id) on 1 of 1 node in 1"
                + " domain");
    assertThat(first(null, node("a", Map.of())).evidence())
        .isEqualTo("levels by the labels of nodes: none");
  }

  @Test
  void aMistakeIsNamedByFieldAndALevelWithoutNodesIsOne() {
    var mistaken = first(document("topology.yaml", "levels:\n- name: rack\n  lable: r\n"));
    assertThat(mistaken.isProblem()).isTrue();
    assertThat(mistaken.evidence()).contains("levels[0].lable").contains("levels[0].label");
    assertThat(first(document("levels.yaml", STATED)).evidence())
        .contains("data has no key topology.yaml");
    var unborne =
        first(document("topology.yaml", STATED), node("a", Map.of("example.com/block", "b")));
    assertThat(unborne.isProblem()).isTrue();
    assertThat(unborne.remedy()).startsWith("no node has the label of rack:");
  }

  @Test
  void whatMembersAskForAndNobodyHasIsNamedWithAGang() {
    var findings =
        new NetworkLevels(
                Optional.of(document("topology.yaml", STATED)),
                List.of(
                    node(
                        "a",
                        Map.of("example.com/block", "b", "example.com/rack", "r", "other", "x"))),
                Map.of(
                    "rack", "ml/a",
                    "example.com/block", "ml/b",
                    "other", "ml/c",
                    "RackLayer", "ml/d",
                    "tier 2", "ml/e",
                    "tier 3", "ml/f",
                    "pod", "ml/g"))
            .findings();
    assertThat(findings).hasSize(2);
    assertThat(findings.getLast().check()).isEqualTo("topology.unknown");
    assertThat(findings.getLast().isProblem()).isTrue();
    assertThat(findings.getLast().evidence()).contains("tier 3 (gang ml/f)", "pod (gang ml/g)");
    assertThat(findings.getLast().evidence())
        .doesNotContain("ml/a", "ml/b", "ml/c", "ml/d", "ml/e");
  }
}
