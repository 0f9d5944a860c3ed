package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.muster.certs.Certificates;
import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.ServerNames;
import io.muster.deploy.config.Config;
import io.muster.deploy.release.FakeApi;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which names a certificate from elsewhere has to have, and who is told of its authority. */
final class ServingCertificatesTest {

  private static final String WEBHOOK = "muster-webhook.muster-system.svc";
  private static final String EXTENDER = "muster-extender.muster-system.svc";

  private static final String SECRETS = "/api/v1/namespaces/muster-system/secrets";

  private static Config config(Map<String, String> variables) {
    return Config.load(Optional.empty(), variables);
  }

  @Test
  void bothServicesAreCalledByTheirNames() {
    assertThat(ServingCertificates.calledAs(config(Map.of())))
        .containsExactlyInAnyOrder(WEBHOOK, EXTENDER);
  }

  @Test
  void aServiceThatMusterDoesNotLeadToTheLeaderIsNotCalledForSure() {
    assertThat(ServingCertificates.calledAs(config(Map.of("MUSTER_CFG_LEADER_ENDPOINT", "false"))))
        .containsExactly(WEBHOOK);
    assertThat(
            ServingCertificates.calledAs(config(Map.of("MUSTER_CFG_PLACEMENT_MODE", "affinity"))))
        .containsExactly(WEBHOOK);
  }

  @Test
  void theApiServerIsToldOfAnAuthorityBeforeTheProcessIsReady() throws IOException {
    var clock = InstantSource.fixed(Instant.parse("2026-11-29T08:00:00Z"));
    var authority = CertificateAuthority.create(clock);
    var leaf = authority.issueServer(ServerNames.of(WEBHOOK, EXTENDER), clock);
    var registrations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
    try (var api = new FakeApi();
        var client = api.client();
        var timers = new ServeTimers()) {
      api.with(SECRETS, secret("given", authority, leaf));
      api.with(registrations, registration());

      var _ =
          ServingCertificates.begin(
              config(Map.of("MUSTER_CFG_CERTIFICATE_SECRET", "given")),
              new ServingCertificates.Surroundings(
                  client, new SimpleMeterRegistry(), clock, timers, () -> true));

      assertThat(api.requests())
          .anyMatch(request -> request.startsWith("PUT " + registrations + "/muster"));
    }
  }

  /** It writes them back at its next check. */
  @Test
  @Timeout(60)
  void certificatesOfAMusterThatRunsAreWaitedFor() throws Exception {
    var clock = InstantSource.fixed(Instant.parse("2026-11-29T08:00:00Z"));
    var authority = CertificateAuthority.create(clock);
    var names =
        ServerNames.ofService("muster-extender", "muster-system")
            .and(ServerNames.ofService("muster-webhook", "muster-system"))
            .and(ServerNames.of("localhost", "127.0.0.1"));
    var own = secret("muster-certificates", authority, authority.issueServer(names, clock));
    own.getData().put("ca.key", base64(authority.identity().keyPem()));
    var clients =
        secret(
            "muster-scheduler-client",
            authority,
            authority.issueClient(Certificates.SCHEDULER_CLIENT_NAME, clock));
    var leases = "/apis/coordination.k8s.io/v1/namespaces/muster-system/leases";
    try (var api = new FakeApi();
        var client = api.client();
        var timers = new ServeTimers();
        var starter = Executors.newVirtualThreadPerTaskExecutor()) {
      api.with(
          leases,
          new LeaseBuilder()
              .withNewMetadata()
              .withName("muster")
              .endMetadata()
              .withNewSpec()
              .withHolderIdentity("muster-1")
              .endSpec()
              .build());
      api.with(SECRETS, clients);

      var begun =
          starter.submit(() ->
              ServingCertificates.begin(
                  config(Map.of()),
                  new ServingCertificates.Surroundings(
                      client, new SimpleMeterRegistry(), clock, timers, () -> true)));
      while (!begun.isDone() && !api.requests().contains("GET " + leases + "/muster")) {
        Thread.sleep(10);
      }
      api.with(SECRETS, own);

      assertThat(begun.get().certificates().current().authorities())
          .containsExactly(authority.certificate());
      assertThat(api.requests()).allMatch(request -> request.startsWith("GET "));
    }
  }

  private static Secret secret(String name, CertificateAuthority authority, Identity leaf) {
    return new SecretBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .addToData("ca.crt", base64(authority.identity().chainPem()))
        .addToData("tls.crt", base64(leaf.chainPem()))
        .addToData("tls.key", base64(leaf.keyPem()))
        .build();
  }

  /** As an earlier process has left it, with another authority. */
  private static MutatingWebhookConfiguration registration() {
    return new MutatingWebhookConfigurationBuilder()
        .withNewMetadata()
        .withName("muster")
        .withResourceVersion("7")
        .endMetadata()
        .addNewWebhook()
        .withName("gang-pods.muster.io")
        .withNewClientConfig()
        .withNewService("muster-webhook", "muster-system", "/", 443)
        .endClientConfig()
        .endWebhook()
        .build();
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
  }
}
