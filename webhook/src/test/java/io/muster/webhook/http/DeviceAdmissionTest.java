package io.muster.webhook.http;

import static io.muster.webhook.http.Reviewer.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Members of a gang ask for devices that can be counted, or hear what to ask for. */
final class DeviceAdmissionTest {

  private static final Reviewer REVIEWER = new Reviewer();
  private static final String SHARED =
      "{containers: [{name: m, resources: {limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 3000}}}]}";
  private static final String CLAIM =
      "{resourceClaims: [{name: gpus, resourceClaimName: c}], containers: [{name: m}]}";

  @AfterAll
  static void stop() {
    REVIEWER.close();
  }

  private static JsonNode review(String annotations, String spec) throws Exception {
    return REVIEWER.review(
        pod("{metadata: {name: p, annotations: {%s}}, spec: %s}".formatted(annotations, spec)));
  }

  private static JsonNode reviewMember(String spec) throws Exception {
    return review("muster.io/gang-name: a, muster.io/gang-min: '2'", spec);
  }

  private static void denied(JsonNode response, String message) {
    assertThat(response.path("allowed").asBoolean()).isFalse();
    assertThat(response.path("status").path("code").asInt()).isEqualTo(422);
    assertThat(response.path("status").path("message").asText()).isEqualTo(message);
    assertThat(response.has("patch")).isFalse();
  }

  @Test
  void memoryOfADeviceIsRefusedWithTheRemedy() throws Exception {
    denied(
        reviewMember(SHARED),
        "gang \"ml/a\": spec.containers[0].resources.limits[\"nvidia.com/gpumem\"] asks for memory"
            + " of a device; gangs are placed on whole devices: ask for nvidia.com/gpu");
  }

  @Test
  void percentsOfKoordinatorAreRefusedWithTheRemedy() throws Exception {
    denied(
        review(
            "gang.scheduling.koordinator.sh/name: a,"
                + " gang.scheduling.koordinator.sh/min-available: '2'",
            "{containers: [{name: m, resources: {requests: {koordinator.sh/gpu: 100}}}]}"),
        "gang \"ml/a\": spec.containers[0].resources.requests[\"koordinator.sh/gpu\"] asks for a"
            + " share of a device; gangs are placed on whole devices: ask for nvidia.com/gpu");
  }

  @Test
  void claimsAreAdmittedAsNobodyIsAskedForThem() throws Exception {
    assertThat(reviewMember(CLAIM).path("allowed").asBoolean()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"gpu-fraction, a share of a device", "gpu-memory, memory of a device"})
  void annotationsOfKaiAreRefusedWithTheRemedy(String key, String asked) throws Exception {
    denied(
        review(
            "muster.io/gang-name: a, muster.io/gang-min: '2', %s: '0.5'".formatted(key),
            "{containers: [{name: m}]}"),
        "gang \"ml/a\": metadata.annotations[\"%s\"] asks for %s; gangs are placed on whole"
                .formatted(key, asked)
            + " devices: ask for nvidia.com/gpu");
  }

  @ParameterizedTest
  @ValueSource(strings = {SHARED, CLAIM})
  void podsWithoutGangAreNotRefused(String spec) throws Exception {
    assertThat(review("gpu-fraction: '0.5'", spec).path("allowed").asBoolean()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "nvidia.com/mig-1g.5gb, true",
    "example.com/fpga, true",
    "nvidia.com/gpu, false",
    "huawei.com/Ascend910B4, false"
  })
  void theMarkerStandsInForNamesThatKubeSchedulerCannotBeTold(String name, boolean marked)
      throws Exception {
    var response =
        reviewMember(
            "{containers: [{name: m, resources: {limits: {%s: 1}, requests: {%s: 1}}}]}"
                .formatted(name, name));

    assertThat(Reviewer.patch(response).toString().contains("muster.io~1gang-member"))
        .isEqualTo(marked);
  }
}
