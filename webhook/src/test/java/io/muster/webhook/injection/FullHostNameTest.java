package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.webhook.core.Admission.Allowed;
import org.junit.jupiter.api.Test;

/** Where a member is to be told its full name, a subdomain of Muster's must not lengthen that. */
final class FullHostNameTest {

  private static JsonNode stored(String more) {
    return patched(
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Pod
            metadata:
              name: train-0
              namespace: ml
              annotations:
                muster.io/gang-name: train
                muster.io/gang-min: "2"
                muster.io/gang-index: "0"
                muster.io/rendezvous-profile: torchrun-static
            spec:
              setHostnameAsFQDN: true
            %s
              containers: [{name: main, resources: {limits: {nvidia.com/gpu: "1"}}}]
            """
                .formatted(more),
            JsonNode.class));
  }

  private static JsonNode patched(JsonNode pod) {
    return Fixture.patched(pod, (Allowed) Fixture.admit(pod));
  }

  @Test
  void aMemberThatGetsASubdomainKeepsItsShortName() {
    var pod = stored("");

    assertThat(pod.at("/spec/subdomain").asText()).isEqualTo("muster-train");
    assertThat(pod.at("/spec/setHostnameAsFQDN").asBoolean()).isFalse();
    assertThat(patched(pod)).isEqualTo(pod);
  }

  @Test
  void whoHasASubdomainOfItsOwnIsLeftAlone() {
    var pod = stored("  hostname: train-0\n  subdomain: mine");

    assertThat(pod.at("/spec/subdomain").asText()).isEqualTo("mine");
    assertThat(pod.at("/spec/setHostnameAsFQDN").asBoolean()).isTrue();
  }
}
