package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.webhook.core.Admission.Allowed;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What users, their images and their ConfigMaps say is not said otherwise by Muster. */
final class UsersOwnTest {

  private static final String GPU = "resources: {limits: {nvidia.com/gpu: 1}}";

  private static JsonNode pod(String annotations, String containers) {
    return Serialization.unmarshal(
        "---\n{metadata: {name: p, annotations: {%s}}, spec: {containers: [%s]}}"
            .formatted(annotations, containers),
        JsonNode.class);
  }

  private static Allowed admitted(JsonNode pod) {
    return (Allowed) Fixture.admit(pod);
  }

  private static JsonNode stored(JsonNode pod) {
    return Fixture.patched(pod, admitted(pod));
  }

  private static List<String> texts(JsonNode pod, int container, String list, String member) {
    var items = pod.path("spec").path("containers").get(container).path(list);
    return items.valueStream().map(item -> item.path(member).asText()).toList();
  }

  private static List<String> variables(JsonNode pod, int container) {
    return texts(pod, container, "env", "name");
  }

  /** An image may need graphics or video of the driver, which a variable would take away. */
  @Test
  void whatAnImageNeedsOfTheDriverIsItsOwn() {
    var stored = stored(pod("", "{name: main, " + GPU + "}"));

    assertThat(variables(stored, 0)).containsExactly("NCCL_DEBUG", "PYTHONUNBUFFERED");
  }

  @Test
  void aProfileMaySayWhatIsNeededOfTheDriver() {
    var stored = stored(pod("muster.io/profiles: driver", "{name: main, " + GPU + "}"));

    assertThat(variables(stored, 0)).contains("NVIDIA_DRIVER_CAPABILITIES");
  }
}
