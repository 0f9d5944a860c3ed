package io.muster.deploy.serve.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.deploy.config.Config;
import io.muster.webhook.kube.Reachability;
import io.muster.webhook.kube.Registration;
import io.muster.webhook.port.AdmissionMeter;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the leader keeps in the cluster where one right is denied. */
@EnableKubernetesMockClient(https = false, crud = true)
@Timeout(60)
final class LeaderUpkeepTest {

  private static final String NAMESPACE = "muster-system";
  private static final String SECRET = "muster-certificates";
  private static final int LOOKS = 20;

  private KubernetesMockServer server;
  private KubernetesClient client;
  private volatile Instant now = Instant.EPOCH;

  private LeaderUpkeep upkeep() {
    var coverage = Config.load(Optional.empty(), Map.of()).coverage();
    return new LeaderUpkeep(
        new LeaderUpkeep.Wanted(
            NAMESPACE,
            List.of(SECRET),
            Optional.of(new LeaderEndpoint.Place(NAMESPACE, "muster-0", "10.0.0.1", 9443)),
            owner ->
                new Registration(
                    new Reachability.AtUrl(URI.create("https://nowhere")), "", coverage, owner)),
        new LeaderUpkeep.Surroundings(
            client,
            new InstallationOwner(client, "muster", () -> now),
            (_, _) -> {},
            () -> now,
            AdmissionMeter.NONE,
            () -> {}));
  }

  /** Or the key of the CA would stay behind when the installation is deleted. */
  @Test
  void secretsAreGivenToTheInstallationThoughKubeSchedulerCannotBeLedHere() {
    client
        .resource(
            new ClusterRoleBuilder().withNewMetadata().withName("muster").endMetadata().build())
        .create();
    client
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withName(SECRET)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .build())
        .create();
    server
        .expect()
        .post()
        .withPath("/apis/discovery.k8s.io/v1/namespaces/%s/endpointslices".formatted(NAMESPACE))
        .andReturn(403, "")
        .always();

    try (var upkeep = upkeep()) {
      for (int look = 0; look < LOOKS; look++) {
        now = now.plus(Duration.ofMillis(200));
        upkeep.keep(() -> Optional.of("term"));
      }
    }

    assertThat(
            client
                .secrets()
                .inNamespace(NAMESPACE)
                .withName(SECRET)
                .get()
                .getMetadata()
                .getOwnerReferences())
        .singleElement()
        .matches(owner -> owner.getName().equals("muster"));
  }

  /** Or kube-scheduler would be led away from the next leader, until that looks again. */
  @Test
  void kubeSchedulerIsNotLedHereOnceTheLeaseHasEndedWhileTheSliceWasRead() {
    client
        .resource(
            new EndpointSliceBuilder()
                .withNewMetadata()
                .withName(LeaderEndpoint.SERVICE)
                .withNamespace(NAMESPACE)
                .withAnnotations(Map.of(LeaderEndpoint.PROCESS, "muster-1"))
                .endMetadata()
                .withAddressType("IPv4")
                .build())
        .create();
    var asked = new AtomicInteger();

    try (var upkeep = upkeep()) {
      upkeep.keep(() -> Optional.of("term").filter(_ -> asked.incrementAndGet() == 1));
    }

    assertThat(
            client
                .discovery()
                .v1()
                .endpointSlices()
                .inNamespace(NAMESPACE)
                .withName(LeaderEndpoint.SERVICE)
                .get()
                .getMetadata()
                .getAnnotations())
        .containsEntry(LeaderEndpoint.PROCESS, "muster-1");
  }

  /** Of what etcd's restoration has changed no watch tells, and the term between was not seen. */
  @Test
  void theNextTermWritesTheRegistrationAgainThoughNobodySawTheTermEnd() {
    var registrations = client.admissionRegistration().v1().mutatingWebhookConfigurations();
    try (var upkeep = upkeep()) {
      upkeep.keep(() -> Optional.of("first"));
      assertThat(registrations.withName(Registration.NAME).get()).isNotNull();
      registrations.withName(Registration.NAME).delete();
      upkeep.keep(() -> Optional.of("first"));
      assertThat(registrations.withName(Registration.NAME).get()).isNull();

      upkeep.keep(() -> Optional.of("second"));

      assertThat(registrations.withName(Registration.NAME).get()).isNotNull();
    }
  }
}
