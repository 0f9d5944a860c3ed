package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClassBuilder;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.zjsonpatch.JsonPatch;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.sandbox.Await;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.webhook.core.Admission.Allowed;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.rendezvous.KnownKinds;
import io.muster.webhook.json.InvalidProfilesException;
import io.muster.webhook.json.MalformedPodException;
import io.muster.webhook.json.PatchJson;
import io.muster.webhook.json.PodReading;
import io.muster.webhook.json.ProfilesReading;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a real apiserver makes of the pods on which injection is checked: the pod that it would
 * store is the one that it would store without Muster, with Muster's patch applied.
 */
@ExtendWith(SandboxExtension.class)
@Tag("quick")
final class InjectionIT {

  private static final String ORDINARY = "injected";

  private static final Duration NVLINK_READ_TWICE = Duration.ofSeconds(60);

  /** The apiserver asks about shares of a device only where they are of a gang. */
  private static final String NOT_ASKED_ABOUT = "gpu-shared";

  private static final Map<String, Map<String, String>> NAMESPACES =
      Map.of(
          ORDINARY,
          Map.of(),
          "guarded",
          Map.of("pod-security.kubernetes.io/enforce", "baseline"),
          "locked",
          Map.of("pod-security.kubernetes.io/enforce", "restricted"),
          "mesh",
          Map.of("istio-injection", "enabled"),
          "speech",
          Map.of(),
          "taints",
          Map.of());

  @BeforeAll
  static void prepare(Sandbox sandbox) {
    var client = sandbox.client();
    NAMESPACES.forEach((name, labels) -> {
      makeNamespace(client, name, labels);
      var without = new HashMap<>(labels);
      without.put("muster.io/injection", "disabled");
      makeNamespace(client, bare(name), without);
    });
    for (var name : List.of("training", "mine")) {
      client
          .resource(
              new PriorityClassBuilder()
                  .withNewMetadata()
                  .withName(name)
                  .endMetadata()
                  .withValue(1000)
                  .build())
          .serverSideApply();
    }
    for (var name : List.of("nvidia", "mine")) {
      client
          .resource(
              new RuntimeClassBuilder()
                  .withNewMetadata()
                  .withName(name)
                  .endMetadata()
                  .withHandler("runc")
                  .build())
          .serverSideApply();
    }
    var profiles = new Profiles(client);
    profiles.write(AdmittedPods.profiles());
    profiles.awaitInForce(AdmittedPods.profiles(), ORDINARY);
    awaitNoNvlinkDomains(client);
  }

  /** Every 30 s Muster looks whether a driver has gone: one that another class had installed. */
  private static void awaitNoNvlinkDomains(KubernetesClient client) {
    var pod = AdmittedPods.pod("gang-nvlink-auto");
    Await.until(
        "Muster to claim no NVLink domain",
        NVLINK_READ_TWICE,
        () ->
            AdmittedPods.rehearsed(client, pod, ORDINARY)
                .path("spec")
                .path("resourceClaims")
                .isEmpty());
  }

  @AfterAll
  static void tidy(Sandbox sandbox) {
    var profiles = new Profiles(sandbox.client());
    profiles.remove();
    profiles.awaitInForce("profiles: []", ORDINARY);
    NAMESPACES
        .keySet()
        .forEach(name -> {
          sandbox.client().namespaces().withName(name).delete();
          sandbox.client().namespaces().withName(bare(name)).delete();
        });
  }

  private static void makeNamespace(
      KubernetesClient client, String name, Map<String, String> labels) {
    client
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .build())
        .serverSideApply();
  }

  private static String bare(String namespace) {
    return namespace + "-bare";
  }

  static List<String> admitted() {
    return AdmittedPods.names().stream()
        .filter(name -> AdmittedPods.refusal(name).isEmpty())
        .filter(name -> !needsMuster(name) && !name.equals(NOT_ASKED_ABOUT))
        .toList();
  }

  static List<String> refused() {
    return AdmittedPods.names().stream()
        .filter(name -> !AdmittedPods.refusal(name).isEmpty())
        .toList();
  }

  static List<String> mended() {
    return AdmittedPods.names().stream().filter(InjectionIT::needsMuster).toList();
  }

  /** Without Muster the apiserver refuses a device that is requested and not limited. */
  private static boolean needsMuster(String name) {
    return name.equals("gpu-single");
  }

  @ParameterizedTest
  @MethodSource("admitted")
  void theStoredPodIsThePatchedOne(String name, Sandbox sandbox) throws Exception {
    var client = sandbox.client();
    var pod = AdmittedPods.pod(name);
    var namespace = pod.path("metadata").path("namespace").asText(ORDINARY);

    var without = AdmittedPods.rehearsed(client, pod, bare(namespace));
    var stored = AdmittedPods.rehearsed(client, pod, namespace);

    var expected = patched(AdmittedPods.inNamespace(unnamed(pod, without), namespace));
    assertThat(AdmittedPods.comparable(stored)).isEqualTo(AdmittedPods.comparable(expected));
  }

  @ParameterizedTest
  @MethodSource("refused")
  void theRefusalReachesTheUser(String name, Sandbox sandbox) {
    var pod = AdmittedPods.pod(name);
    var namespace = pod.path("metadata").path("namespace").asText(ORDINARY);

    // Fixtures without a namespace name their gang as one of ml.
    var refusal = AdmittedPods.refusal(name).replace("\"ml/", "\"" + namespace + "/");
    assertThatThrownBy(() -> AdmittedPods.rehearsed(sandbox.client(), pod, namespace))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining("denied the request: " + refusal);
  }

  @ParameterizedTest
  @MethodSource("mended")
  void whatTheApiserverWouldRefuseIsMended(String name, Sandbox sandbox) {
    var pod = AdmittedPods.pod(name);

    assertThatThrownBy(() -> AdmittedPods.rehearsed(sandbox.client(), pod, bare(ORDINARY)))
        .isInstanceOf(KubernetesClientException.class);
    var stored = AdmittedPods.rehearsed(sandbox.client(), pod, ORDINARY);
    assertThat(stored.at("/spec/containers/0/resources/limits/nvidia.com~1gpu").asText())
        .isEqualTo("2");
  }

  @Test
  void aShareOfADeviceWithoutAGangIsStoredAsItIs(Sandbox sandbox) {
    var pod = AdmittedPods.pod(NOT_ASKED_ABOUT);

    var without = AdmittedPods.rehearsed(sandbox.client(), pod, bare(ORDINARY));
    var stored = AdmittedPods.rehearsed(sandbox.client(), pod, ORDINARY);

    assertThat(AdmittedPods.comparable(stored))
        .isEqualTo(AdmittedPods.comparable(AdmittedPods.inNamespace(without, ORDINARY)));
  }

  @Test
  void aPriorityClassOfAProfileBringsItsNumber(Sandbox sandbox) {
    var stored =
        AdmittedPods.rehearsed(sandbox.client(), AdmittedPods.pod("profile-by-labels"), ORDINARY);

    assertThat(stored.at("/spec/priorityClassName").asText()).isEqualTo("training");
    assertThat(stored.at("/spec/priority").asInt()).isEqualTo(1000);
    assertThat(stored.at("/spec/preemptionPolicy").asText()).isEqualTo("PreemptLowerPriority");
  }

  /** A generated name is not there yet when webhooks are asked. */
  private static ObjectNode unnamed(JsonNode fixture, ObjectNode pod) {
    if (fixture.path("metadata").has("generateName")) {
      pod.withObject("/metadata").remove("name");
    }
    return pod;
  }

  private static JsonNode patched(ObjectNode pod)
      throws MalformedPodException, InvalidProfilesException {
    var rules =
        new ProfilesReading(Set.of("default-scheduler", "muster-scheduler"))
            .read(AdmittedPods.profiles());
    var admission =
        new PodAdmission(
            new PodAdmission.Sources(
                () -> rules,
                KnownKinds.ALL,
                namespace -> NAMESPACES.getOrDefault(namespace, Map.of())));
    var reading = new PodReading(new PodConverter(new DialectDetector()), InstantSource.system());
    var allowed = (Allowed) admission.admit(reading.facts(reading.sent(pod, "")));
    return JsonPatch.apply(PatchJson.of(allowed.patch()), pod);
  }
}
