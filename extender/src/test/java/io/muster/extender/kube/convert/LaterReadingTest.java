package io.muster.extender.kube.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.dialect.DialectDetector;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What members say about the pod that comes later. */
final class LaterReadingTest {

  private static final String EXAMPLE =
      "like {\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"8\"}}}]}";

  private final PodConverter translation = new PodConverter(new DialectDetector());

  private Pod saying(String later) {
    return translation.pod(
        new PodBuilder()
            .withNewMetadata()
            .withName("w-0")
            .withNamespace("ml")
            .withAnnotations(
                Map.of(
                    "muster.io/gang-name",
                    "g",
                    "muster.io/gang-min",
                    "2",
                    "muster.io/gang-later",
                    later))
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .build());
  }

  private String problem(String later) {
    var pod = saying(later);
    assertThat(pod.later()).isEmpty();
    var terms = pod.membership().orElseThrow().terms();
    assertThat(terms)
        .isInstanceOfSatisfying(
            Terms.Unusable.class,
            unusable -> assertThat(unusable.field()).isEqualTo("muster.io/gang-later"));
    var sentence = ((Terms.Unusable) terms).problem();
    assertThat(sentence).startsWith("gang \"ml/g\": muster.io/gang-later ");
    return sentence.substring("gang \"ml/g\": muster.io/gang-later ".length());
  }

  @Test
  void whatDecidesWhereThePodCanGoCounts() {
    var later =
        saying(
                """
                {"containers": [
                   {"name": "main", "image": "any", "command": ["run"],
                    "resources": {"requests": {"cpu": "7500m", "memory": "16Gi"},
                                  "limits": {"nvidia.com/gpu": 1}}},
                   {"resources": {"requests": {"cpu": 0.5}}}],
                 "nodeSelector": {"pool": "cpu"},
                 "tolerations": [{"key": "dedicated", "operator": "Exists"}],
                 "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
                   {"nodeSelectorTerms": [{"matchExpressions": [
                     {"key": "zone", "operator": "In", "values": ["a"]}]}]}}},
                 "restartPolicy": "Never"}
                """)
            .later()
            .orElseThrow();
    assertThat(later.requests().shown()).isEqualTo("cpu 8, memory 16Gi, nvidia.com/gpu 1");
    assertThat(later.nodeSelector()).isEqualTo(Map.of("pool", "cpu"));
    assertThat(later.tolerations()).singleElement().matches(one -> one.key().equals("dedicated"));
    assertThat(later.anyOfTerms().getFirst().labels().getFirst().operator()).isEqualTo(Operator.IN);
  }

  @Test
  void whatIsNullIsNotThere() {
    assertThat(
            saying(
                    """
                    {"containers": [null, {"resources": null, "ports": [null]}], "tolerations": [null],
                     "nodeSelector": {"a": null}, "affinity": {"nodeAffinity": null}}
                    """)
                .later())
        .hasValueSatisfying(later -> assertThat(later.nodeSelector()).isEmpty());
  }

  @Test
  void theSamePodIsReadOfEveryMember() {
    var text = "{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"8\"}}}]}";
    assertThat(saying(text).later()).isEqualTo(saying(text).later()).isPresent();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          eight cores                                             | is no JSON object; it must be a PodSpec, @
          ["cpu"]                                                 | is no JSON object; it must be a PodSpec, @
          {"containers":[]} {}                                    | is no JSON object; it must be a PodSpec, @
          {}                                                      | names no container; it must be a PodSpec, @
          {"containers":[],"nodeSelector":{"a":"b"}}              | names no container; it must be a PodSpec, @
          {"containers":[{}],"nodeselector":{"a":"b"}}            | has the field "nodeselector", which a PodSpec does not have there
          {"containers":[{"resource":{}}]}                        | has the field "resource", which a PodSpec does not have there
          {"containers":[{"resources":{"limit":{"cpu":"1"}}}]}    | has the field "limit", which a PodSpec does not have there
          {"containers":[null]}                                   | names no container; it must be a PodSpec, @
          {"containers":"main"}                                   | is no PodSpec: "containers" is of the wrong type
          {"containers":[{"resources":[]}]}                       | is no PodSpec: "containers[0].resources" is of the wrong type
          {"containers":[{"resources":{"requests":{"cpu":"all"}}}]} | says containers[0].resources.requests["cpu"] is "all"; it must be a quantity, like 8 or 500m
          {"containers":[{},{"resources":{"limits":{"cpu":"-1"}}}]} | says containers[1].resources.limits["cpu"] is "-1"; it must be a quantity, like 8 or 500m
          {"containers":[{"resources":{"limits":{"nvidia.com/gpu.shared":"1"}}}]} | is of no use: spec.containers[0].resources.limits["nvidia.com/gpu.shared"] asks for a share of a device; gangs are placed on whole devices: ask for nvidia.com/gpu
          """)
  void whatCannotBeReadIsNamedWithWhatWouldBeRight(String text, String expected) {
    assertThat(problem(text)).isEqualTo(expected.replace("@", EXAMPLE));
  }

  @Test
  void whatATerminalObeysIsNotRepeated() {
    assertThat(problem("{\"containers\":[{}],\"\\u001b[31m\":1}"))
        .isEqualTo("has the field \"?[31m\", which a PodSpec does not have there");
    assertThat(problem("{\"containers\":[{}],\"nodeSelector\":{\"\\u009b2J\":[]}}"))
        .isEqualTo("is no PodSpec: \"nodeSelector.?2J\" is of the wrong type");
  }

  @Test
  void aTextLongerThanSixteenKibibytesIsRefused() {
    var most = "{\"containers\":[{\"image\":\"%s\"}]}";
    int spare = LaterReading.MOST_CHARACTERS - most.formatted("").length();
    assertThat(saying(most.formatted("x".repeat(spare))).later()).isPresent();
    assertThat(problem(most.formatted("x".repeat(spare + 1))))
        .isEqualTo("is longer than 16 KiB; leave out what does not decide where the pod can go");
  }

  @Test
  void onlyMembersSayAnything() {
    var pod =
        translation.pod(
            new PodBuilder()
                .withNewMetadata()
                .withName("p")
                .withNamespace("ml")
                .withAnnotations(Map.of("muster.io/gang-later", "{}"))
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build());
    assertThat(pod.membership()).isEmpty();
    assertThat(pod.later()).isEmpty();
  }
}
