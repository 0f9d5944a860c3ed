package io.muster.extender.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.dialect.DialectDetector;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Muster's own annotations say beside the terms of any dialect. */
final class OwnTermsTest {

  private static Membership read(String... keysAndValues) {
    var annotations = new HashMap<>(Map.of("muster.io/gang-name", "g", "muster.io/gang-min", "5"));
    for (int i = 0; i < keysAndValues.length; i += 2) {
      annotations.put("muster.io/gang-" + keysAndValues[i], keysAndValues[i + 1]);
    }
    return new DialectDetector().recognise(new Markings("ml", Map.of(), annotations)).orElseThrow();
  }

  private static Terms.Usable usable(Membership membership) {
    assertThat(membership.terms()).isInstanceOf(Terms.Usable.class);
    return (Terms.Usable) membership.terms();
  }

  private static String problem(String key, String value) {
    assertThat(read(key, value).terms()).isInstanceOf(Terms.Unusable.class);
    return ((Terms.Unusable) read(key, value).terms()).problem();
  }

  @Test
  void rolesHaveMinimumsWithinTheGangs() {
    var member = read("role", "worker", "roles", "launcher=1, worker=4");
    assertThat(member.role()).isEqualTo("worker");
    assertThat(usable(member).roles()).isEqualTo(Map.of("launcher", 1, "worker", 4));
    assertThat(usable(read()).roles()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"worker", "worker=x", "a=1,a=2", "a=1,", "=1", "a=99999", "a b=1"})
  void rolesThatCannotBeReadAreRefused(String roles) {
    assertThat(problem("roles", roles))
        .isEqualTo(
            "gang \"ml/g\": muster.io/gang-roles is \"%s\"; it must be roles and their minimums, like launcher=1,worker=4"
                .formatted(roles));
  }

  @Test
  void rolesBeyondTheMinimumAreRefused() {
    assertThat(problem("roles", "launcher=2,worker=4"))
        .isEqualTo(
            "gang \"ml/g\": muster.io/gang-roles asks for 6 members, which is more than the 5 of muster.io/gang-min");
  }

  @ParameterizedTest
  @CsvSource({
    "replace, REPLACE, 0",
    "shrink, SHRINK, 0",
    "restart, RESTART, 0",
    "owner, OWNER, 0",
    "pray, REPLACE, 1"
  })
  void aLossIsTheGangsToDecide(String written, Terms.OnLoss onLoss, int warnings) {
    var member = read("on-loss", written);
    assertThat(usable(member).onLoss()).isEqualTo(onLoss);
    assertThat(member.warnings()).hasSize(warnings);
  }

  @Test
  void closenessIsRequiredOrPreferred() {
    assertThat(usable(read()).topology()).isEqualTo(Topology.ANYWHERE);
    assertThat(usable(read("topology-required", "topology.kubernetes.io/zone")).topology())
        .isEqualTo(Topology.requiring("topology.kubernetes.io/zone"));
    assertThat(usable(read("topology-preferred", "nvidia.com/gpu.clique, rack")).topology())
        .isEqualTo(new Topology(List.of("nvidia.com/gpu.clique", "rack"), Optional.empty()));
    assertThat(read("topology-preferred", "not a key").warnings()).hasSize(1);
    assertThat(problem("topology-required", "not a key"))
        .isEqualTo(
            "gang \"ml/g\": muster.io/gang-topology-required is \"not a key\"; it must be the name of a level, or the key of a node label");
  }

  @Test
  void segmentsAreConsecutiveMembersOfOneDomainEach() {
    assertThat(usable(read("segments", "block=64, rack=16")).topology())
        .isEqualTo(
            Topology.ANYWHERE.inSegments(
                new Topology.Segment("rack", 16), new Topology.Segment("block", 64)));
    assertThat(problem("segments", "rack=16,block=40"))
        .isEqualTo(
            "gang \"ml/g\": muster.io/gang-segments is \"rack=16,block=40\"; 40 is no multiple of 16,"
                + " and segments must nest");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "16",
        "rack",
        "rack=",
        "rack=0",
        "rack=5001",
        "a b=2",
        "rack=2,rack=4",
        "a=1,b=2,c=4,d=8"
      })
  void whatCannotBeSegmentsIsRefusedWithAnExample(String written) {
    assertThat(problem("segments", written))
        .endsWith(
            "it must be 1 to 3 levels, each once, with numbers of members, like rack=16,block=64");
  }

  @ParameterizedTest
  @CsvSource({
    "kueue.x-k8s.io/podset-required-topology, kueue.x-k8s.io/podset-preferred-topology,"
        + " kueue.x-k8s.io/podset-slice-required-topology, kueue.x-k8s.io/podset-slice-size",
    "kai.scheduler/topology-required-placement, kai.scheduler/topology-preferred-placement,"
        + " kai.scheduler/segment-topology-required-placement, kai.scheduler/segment-size"
  })
  void otherSchedulersSpellTheSame(String required, String preferred, String level, String size) {
    var others =
        new HashMap<>(
            Map.of(
                "muster.io/gang-name",
                "g",
                "muster.io/gang-min",
                "5",
                required,
                "zone",
                preferred,
                "rack",
                level,
                "nvl",
                size,
                "4"));
    assertThat(topology(others))
        .isEqualTo(
            new Topology(
                List.of("rack"), Optional.of("zone"), List.of(new Topology.Segment("nvl", 4))));
    others.put(size, "many");
    assertThat(topology(others)).isEqualTo(new Topology(List.of("rack"), Optional.of("zone")));
    others.put("muster.io/gang-topology-required", "own");
    assertThat(topology(others)).as("Muster's own come first").isEqualTo(Topology.requiring("own"));
  }

  private static Terms of(String... keysAndValues) {
    var annotations = new HashMap<>(Map.of("muster.io/gang-name", "g", "muster.io/gang-min", "5"));
    for (int i = 0; i < keysAndValues.length; i += 2) {
      annotations.put(keysAndValues[i], keysAndValues[i + 1]);
    }
    return new DialectDetector()
        .recognise(new Markings("ml", Map.of(), annotations))
        .orElseThrow()
        .terms();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hard | 2    | tier 1        | tier 2",
        "hard | 1    |               | tier 1",
        "     | 1    |               | tier 1",
        "soft | 2    | tier 1,tier 2 | "
      })
  void volcanoCountsLevelsFromInside(String mode, String tier, String preferred, String required) {
    var terms =
        mode == null
            ? of("volcano.sh/network-topology-highest-tier", tier)
            : of(
                "volcano.sh/network-topology-mode",
                mode,
                "volcano.sh/network-topology-highest-tier",
                tier);
    assertThat(((Terms.Usable) terms).topology())
        .isEqualTo(
            new Topology(
                preferred == null ? List.of() : List.of(preferred.split(",")),
                Optional.ofNullable(required)));
  }

  @Test
  void volcanoWithoutATierPrefersTheNearest() {
    var topology = ((Terms.Usable) of("volcano.sh/network-topology-mode", "soft")).topology();
    assertThat(topology.binds()).isFalse();
    assertThat(topology.preferred()).hasSize(8).startsWith("tier 1", "tier 2");
  }

  @ParameterizedTest
  @CsvSource({"hard, 0", "hard, 9", "hard, rack", "firm, 1"})
  void whatVolcanoWouldNotTakeIsRefused(String mode, String tier) {
    assertThat(
            of(
                "volcano.sh/network-topology-mode",
                mode,
                "volcano.sh/network-topology-highest-tier",
                tier))
        .isInstanceOf(Terms.Unusable.class);
  }

  private static Terms layers(String json) {
    return of("gang.scheduling.koordinator.sh/network-topology-spec", json);
  }

  @Test
  void koordinatorsLayersAreReadAsTheyStand() {
    var json =
        """
        {
          "gatherStrategy": [
            {"layer": "RackLayer", "strategy": "PreferGather"},
            {"strategy": "MustGather", "layer": "BlockLayer"}
          ]
        }
        """;
    assertThat(((Terms.Usable) layers(json)).topology())
        .isEqualTo(new Topology(List.of("RackLayer"), Optional.of("BlockLayer")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "{\"gatherStrategy\":[{\"layer\":\"A\",\"strategy\":\"MustGather\"},]}",
        "{\"gatherStrategy\":[{\"layer\":\"A\",\"strategy\":\"MustGather\"}]} more",
        "{\"gatherStrategy\":[{\"layer\":\"A\",\"layer\":\"MustGather\"}]}",
        "{\"gatherStrategy\":[{\"layer\":\"A\",\"strategy\":\"Gather\"}]}",
        "{\"gatherStrategy\":[{\"layer\":\"a b\",\"strategy\":\"MustGather\"}]}",
        "{\"gatherStrategy\":[{\"layer\":\"A\",\"strategy\":\"MustGather\"},{\"layer\":\"B\",\"strategy\":\"MustGather\"}]}"
      })
  void rulesThatAreNotUnderstoodAreRefused(String json) {
    assertThat(layers(json)).isInstanceOf(Terms.Unusable.class);
  }

  /** They speak of the pods of one template, and four templates may not fit one domain. */
  @Test
  void whatOthersRequireOfOneTemplateIsPreferredOfAGangOfSeveral() {
    var annotations =
        Map.of(
            "muster.io/gang-name", "g",
            "muster.io/gang-min", "64",
            "kueue.x-k8s.io/podset-required-topology", "rack");
    var labels = Map.of("jobset.sigs.k8s.io/replicatedjob-name", "workers");
    assertThat(topology(annotations)).isEqualTo(Topology.requiring("rack"));
    assertThat(topology(labels, annotations)).isEqualTo(Topology.preferring("rack"));
  }

  private static Topology topology(Map<String, String> annotations) {
    return topology(Map.of(), annotations);
  }

  private static Topology topology(Map<String, String> labels, Map<String, String> annotations) {
    return usable(
            new DialectDetector().recognise(new Markings("ml", labels, annotations)).orElseThrow())
        .topology();
  }

  @Test
  void gangsOfOneGroupAreInOneNamespace() {
    assertThat(problem("groups", "[\"ml/g\",\"other/h\"]"))
        .isEqualTo(
            "gang \"ml/g\": muster.io/gang-groups names \"other/h\"; gangs that start together must be in one namespace");
  }
}
