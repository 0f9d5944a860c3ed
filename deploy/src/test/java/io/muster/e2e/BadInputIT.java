package io.muster.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.kube.gang.Gang;
import io.muster.faults.TlsServer;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be honoured is refused with a reason, wherever it comes in. */
@ExtendWith(SandboxExtension.class)
final class BadInputIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String WAITS = "muster: gang waits for capacity";
  private static final int TOO_LONG = 64 * 1024 * 1024 + 1;

  @ParameterizedTest
  @ValueSource(strings = {"four", "-1", "0", "4.0", " 4"})
  void aMinimumThatIsNoSizeIsDenied(String min, TestSpace space) {
    var gang = GangManifest.of(space, "bad", 1).annotated(GangManifest.MIN, min);

    assertThatThrownBy(gang::create)
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining(
            "admission webhook \"gang-pods.muster.io\" denied the request: gang \"%s/bad\": %s is"
                    .formatted(space.namespace(), GangManifest.MIN)
                + " \"%s\"; it must be an integer from 1 to 5000".formatted(min));
  }

  @Test
  void aMemberThatAsksForAShareOfADeviceIsDenied(TestSpace space) {
    var gang = GangManifest.of(space, "bad", 1);
    var pod = gang.pod("bad-0");
    var resources = pod.getSpec().getContainers().getFirst().getResources();
    resources.setLimits(Map.of("nvidia.com/gpu.shared", new Quantity("1")));

    assertThatThrownBy(() -> gang.create(pod))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining(
            ("admission webhook \"gang-pods.muster.io\" denied the request: gang \"%s/bad\":"
                    + " spec.containers[0].resources.limits[\"nvidia.com/gpu.shared\"] asks for a"
                    + " share of a device; gangs are placed on whole devices: ask for"
                    + " nvidia.com/gpu")
                .formatted(space.namespace()));
  }

  @Test
  void aGangWithoutMinimumIsDenied(TestSpace space) {
    var gang = GangManifest.of(space, "bad", 1).without(GangManifest.MIN);

    assertThatThrownBy(gang::create)
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining(
            "admission webhook \"gang-pods.muster.io\" denied the request: gang \"%s/bad\": no"
                    .formatted(space.namespace())
                + " minimum size; set %s to the fewest members that may start"
                    .formatted(GangManifest.MIN));
  }

  @Test
  void podsStoredWithoutTheWebhookKeepThePromise(Sandbox sandbox, TestSpace space) {
    space.nodes(5, NodeShape.GPU1);
    var bad = GangManifest.of(space, "bad", 1).annotated(GangManifest.MIN, "four");
    var good = GangManifest.of(space, "good", 3);
    var large = GangManifest.of(space, "large", 4);
    var muster = sandbox.muster().orElseThrow();
    muster.kill();
    try {
      removeWebhook(sandbox);
      bad.create();
      good.create();
      large.create();
    } finally {
      muster.start();
    }

    Await.until("the webhook to be back", SOON, () -> hasWebhook(sandbox));
    Await.until("the good gang to run", SOON, () -> good.running() == 3);
    Await.until(
        "kube-scheduler to say why the large gang waits",
        SOON,
        () -> large.stored().stream().allMatch(pod -> unschedulable(pod).contains(WAITS)));
    Await.until(
        "the event on the bad pod",
        SOON,
        () -> events(space, "bad-0").stream().anyMatch(text -> text.equals(notInitialised(space))));
    var gang =
        space.client().resources(Gang.class).inNamespace(space.namespace()).withName("bad").get();
    assertThat(gang.getStatus().reason()).isEqualTo("InvalidTerms");
    assertThat(gang.getSpec().minAvailable()).isNull();
    assertThat(bad.bound()).isZero();
    assertThat(large.bound()).isZero();
  }

  /** Copied of a stored member without its gang's annotations: nobody else would open the gate. */
  @Test
  void aPodOfNoGangThatIsMadeWithTheGateRuns(TestSpace space) {
    space.nodes(1, NodeShape.GPU1);
    var lone =
        GangManifest.of(space, "copy", 1).without(GangManifest.NAME).without(GangManifest.MIN);
    var pod = lone.pod("copy");
    pod.getMetadata().setLabels(Map.of("muster.io/member", "true"));
    pod.getSpec().setSchedulingGates(List.of(new PodSchedulingGate("muster.io/gang")));
    lone.create(pod);

    var stored = space.client().pods().resource(pod);
    Await.until(
        "the copy to run", SOON, () -> "Running".equals(stored.require().getStatus().getPhase()));
  }

  @Test
  void callsThatCannotBeReadAreAnsweredAndSurvived(Sandbox sandbox)
      throws IOException, InterruptedException {
    var muster = sandbox.muster().orElseThrow();
    var context = TlsServer.of(muster.endpoint()).context();
    try (var scheduler = HttpClient.newBuilder().sslContext(context).build();
        var stranger =
            HttpClient.newBuilder()
                .sslContext(TlsServer.trusting(muster.endpoint()).context())
                .build()) {
      var malformed = post(scheduler, muster.extenderUrl(), "{\"Pod\": ".getBytes(UTF_8));
      assertThat(malformed.statusCode()).isEqualTo(400);
      assertThat(malformed.body()).contains("JSON");
      assertThat(post(scheduler, muster.extenderUrl(), new byte[TOO_LONG]).statusCode())
          .isEqualTo(413);
      assertThatThrownBy(() -> post(stranger, muster.extenderUrl(), "{}".getBytes(UTF_8)))
          .isInstanceOf(IOException.class);
    }
    assertThat(muster.isAlive()).isTrue();
    assertThat(muster.isReady()).isTrue();
  }

  private static HttpResponse<String> post(HttpClient client, String url, byte[] body)
      throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(URI.create(url + "/filter"))
            .timeout(SOON)
            .POST(BodyPublishers.ofByteArray(body))
            .build(),
        BodyHandlers.ofString());
  }

  private static String notInitialised(TestSpace space) {
    var namespace = space.namespace();
    return "gang has not init, gangName: %s/bad, podName: %s/bad-0: gang \"%s/bad\": %s is \"four\";"
            .formatted(namespace, namespace, namespace, GangManifest.MIN)
        + " it must be an integer from 1 to 5000";
  }

  private static List<String> events(TestSpace space, String pod) {
    return space.client().v1().events().inNamespace(space.namespace()).list().getItems().stream()
        .filter(event -> pod.equals(event.getInvolvedObject().getName()))
        .filter(event -> event.getReason().equals("FailedScheduling"))
        .map(event -> Objects.requireNonNullElse(event.getMessage(), ""))
        .toList();
  }

  private static String unschedulable(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("PodScheduled"))
        .map(condition -> Objects.requireNonNullElse(condition.getMessage(), ""))
        .findFirst()
        .orElse("");
  }

  private static void removeWebhook(Sandbox sandbox) {
    sandbox
        .client()
        .admissionRegistration()
        .v1()
        .mutatingWebhookConfigurations()
        .withName("muster")
        .delete();
    Await.until("the webhook to be gone", SOON, () -> !hasWebhook(sandbox));
  }

  private static boolean hasWebhook(Sandbox sandbox) {
    return sandbox
            .client()
            .admissionRegistration()
            .v1()
            .mutatingWebhookConfigurations()
            .withName("muster")
            .get()
        != null;
  }
}
