package io.muster.webhook.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.PodConverter;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A list of a pod has no null in it: whoever sends one is told where. */
final class NullElementTest {

  private static final PodReading READING =
      new PodReading(new PodConverter(new DialectDetector()), InstantSource.fixed(Instant.EPOCH));

  private static JsonNode pod(String metadata, String spec) {
    return Serialization.unmarshal(
        "---\n{metadata: {name: p, %s}, spec: {%s}}".formatted(metadata, spec), JsonNode.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "containers: [null]|spec.containers[0]",
        "containers: [{name: a}, null]|spec.containers[1]",
        "initContainers: [null]|spec.initContainers[0]",
        "resourceClaims: [null]|spec.resourceClaims[0]",
        "volumes: [null]|spec.volumes[0]",
        "tolerations: [null]|spec.tolerations[0]",
        "schedulingGates: [null]|spec.schedulingGates[0]",
        "containers: [{env: [{name: A}, null]}]|spec.containers[0].env[1]",
        "containers: [{ports: [null]}]|spec.containers[0].ports[0]",
        "containers: [{resources: {claims: [null]}}]|spec.containers[0].resources.claims[0]"
      })
  void aNullInAListIsRefusedWithItsField(String spec, String field) {
    assertThatThrownBy(() -> READING.sent(pod("labels: {}", spec), "ml"))
        .isInstanceOf(MalformedPodException.class)
        .hasMessage(field + " is null");
  }

  @Test
  void aNullAmongTheOwnersIsRefusedWithItsField() {
    assertThatThrownBy(() -> READING.sent(pod("ownerReferences: [null]", "containers: []"), "ml"))
        .isInstanceOf(MalformedPodException.class)
        .hasMessage("metadata.ownerReferences[0] is null");
  }

  @Test
  void aFieldThatIsNullIsNotThere() throws MalformedPodException {
    var pod =
        pod("annotations: {a: null}", "containers: [{name: a, env: [{name: A, value: null}]}]");

    assertThat(READING.facts(READING.sent(pod, "ml")).containers()).hasSize(1);
  }

  @Test
  void aLongFieldIsCutInWhatIsSaid() {
    var spec = "? %s\n: [null]".formatted("x".repeat(1000)).replace("\n", " ");

    assertThatThrownBy(() -> READING.sent(pod("labels: {}", spec), "ml"))
        .isInstanceOf(MalformedPodException.class)
        .message()
        .hasSizeLessThan(250);
  }
}
