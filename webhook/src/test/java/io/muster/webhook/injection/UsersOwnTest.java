package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.webhook.core.Admission.Allowed;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  @Test
  void aConfigMapMaySayWhichDevicesAContainerSees() {
    var pod =
        pod(
            "",
            "{name: main, %s}, {name: logger, envFrom: [{configMapRef: {name: settings}}]}"
                .formatted(GPU));

    assertThat(variables(stored(pod), 1)).isEmpty();
    assertThat(admitted(pod).warnings())
        .containsExactly(
            "container \"logger\" has envFrom, which may define them: not set are"
                + " NVIDIA_VISIBLE_DEVICES");
  }

  @Test
  void aPrivilegedContainerSeesTheDevices() {
    var pod =
        pod(
            "",
            "{name: main, %s}, {name: dcgm, securityContext: {privileged: true}}".formatted(GPU));

    assertThat(variables(stored(pod), 1)).isEmpty();
  }

  @Test
  void theDevicesAreHiddenFromNoContainerOfAPodThatSaysSo() {
    var pod =
        pod(
            "muster.io/inject-visible-devices: 'false'",
            "{name: main, %s}, {name: dcgm}".formatted(GPU));

    assertThat(variables(stored(pod), 1)).isEmpty();
  }

  @Test
  void aProfileMaySayThatNoDevicesAreHidden() {
    var pod = pod("muster.io/profiles: driver", "{name: main, %s}, {name: dcgm}".formatted(GPU));

    assertThat(variables(stored(pod), 1)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/dev/shm",
        "/dev/shm/",
        "//dev/shm",
        "/dev/./shm",
        "dev/shm",
        "/dev/x/../shm",
        "/dev"
      })
  void nothingIsMountedOverMemoryOfTheUsers(String path) {
    var pod =
        pod(
            "",
            "{name: main, %s, volumeMounts: [{name: mine, mountPath: %s}]}".formatted(GPU, path));

    assertThat(texts(stored(pod), 0, "volumeMounts", "mountPath")).containsExactly(path);
  }

  @Test
  void nothingOfAProfileIsMountedOverAVolumeOfTheUsers() {
    var pod =
        pod(
            "muster.io/profiles: debug-hang",
            "{name: main, %s, volumeMounts: [{name: mine, mountPath: /var/log//muster-hang/}]}"
                .formatted(GPU));

    assertThat(texts(stored(pod), 0, "volumeMounts", "mountPath"))
        .containsExactly("/var/log//muster-hang/", "/dev/shm");
  }

  private static JsonNode withVolume(String annotations, String volume) {
    var pod = (ObjectNode) pod(annotations, "{name: main, " + GPU + "}");
    JsonNode volumes = Serialization.unmarshal("---\n[" + volume + "]", JsonNode.class);
    ((ObjectNode) pod.path("spec")).set("volumes", volumes);
    return pod;
  }

  @ParameterizedTest
  @CsvSource({
    "'', muster-shm, /dev/shm",
    "muster.io/profiles: speech, scratch, /scratch",
  })
  void aVolumeOfTheUsersIsMountedNowhereElse(String profiles, String volume, String path) {
    var pod =
        withVolume(
            profiles, "{name: %s, persistentVolumeClaim: {claimName: home}}".formatted(volume));

    assertThat(texts(stored(pod), 0, "volumeMounts", "mountPath")).doesNotContain(path);
    assertThat(admitted(pod).warnings())
        .contains(
            "spec.volumes has a \"%s\" of another kind; Muster's is not mounted at %s: rename yours"
                .formatted(volume, path));
  }

  /** As after an earlier call, and as the API server fills volumes in. */
  @Test
  void aVolumeOfTheSameKindIsMustersOwn() {
    var pod =
        withVolume(
            "muster.io/profiles: speech",
            "{name: scratch, emptyDir: {sizeLimit: 10Gi, medium: ''}},"
                + " {name: muster-shm, emptyDir: {medium: Memory, sizeLimit: 1Gi}}");

    assertThat(texts(stored(pod), 0, "volumeMounts", "name"))
        .containsExactlyInAnyOrder("scratch", "muster-shm");
    assertThat(admitted(pod).warnings()).noneMatch(warning -> warning.contains("spec.volumes"));
  }

  /** The API server refuses a pod whose containers ask for more than the pod as a whole. */
  @Test
  void whatIsStatedForThePodAsAWholeIsStated() {
    var pod = (ObjectNode) pod("muster.io/profiles: speech", "{name: main, " + GPU + "}");
    JsonNode whole =
        Serialization.unmarshal("---\n{requests: {cpu: 1}, limits: {memory: 1Gi}}", JsonNode.class);
    ((ObjectNode) pod.path("spec")).set("resources", whole);

    assertThat(stored(pod).at("/spec/containers/0/resources/requests").propertyStream())
        .extracting(Map.Entry::getKey)
        .doesNotContain("cpu", "memory");
  }

  @Test
  void aProfileThatBringsMemoryOfItsOwnKeepsIt() {
    var pod = pod("muster.io/profiles: memory", "{name: main, " + GPU + "}");

    assertThat(texts(stored(pod), 0, "volumeMounts", "name")).containsExactly("own-memory");
  }
}
