package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.deploy.config.Config;
import io.muster.deploy.doctor.Finding.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Whether kube-scheduler's calls come to the pod that leads. */
@EnableKubernetesMockClient(https = false, crud = true)
final class SchedulerRouteTest {

  private static final String NAMESPACE = "muster-system";
  private static final String SERVICE = "muster-extender";
  private static final Config SETTINGS = Config.load(Optional.empty(), Map.of());
  private static final Optional<Pod> LEADER =
      Optional.of(
          new PodBuilder()
              .withNewMetadata()
              .withNamespace(NAMESPACE)
              .withName("muster-0")
              .endMetadata()
              .withNewStatus()
              .withPodIP("10.0.0.7")
              .endStatus()
              .build());

  private KubernetesClient client;

  private void service() {
    service("10.96.3.4");
  }

  private void service(String first, String... further) {
    client
        .resource(
            new ServiceBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(SERVICE)
                .endMetadata()
                .withNewSpec()
                .withClusterIP(first)
                .withClusterIPs(first)
                .addToClusterIPs(further)
                .addNewPort()
                .withPort(9443)
                .endPort()
                .endSpec()
                .build())
        .create();
  }

  private void leadsTo(String address) {
    leadsTo(address, Map.of());
  }

  private void leadsTo(String address, Map<String, String> annotations) {
    client
        .resource(
            new EndpointSliceBuilder()
                .withNewMetadata()
                .withNamespace(NAMESPACE)
                .withName(SERVICE)
                .withLabels(Map.of("kubernetes.io/service-name", SERVICE))
                .withAnnotations(annotations)
                .endMetadata()
                .withAddressType("IPv4")
                .addNewEndpoint()
                .withAddresses(address)
                .endEndpoint()
                .build())
        .create();
  }

  private SchedulerRoute route() {
    return new SchedulerRoute(client, SETTINGS);
  }

  private Finding found() {
    var findings = route().findings(LEADER);
    assertThat(findings).hasSize(1);
    return findings.getFirst();
  }

  @Test
  void aServiceThatLeadsToTheLeaderIsRight() {
    service();
    leadsTo("10.0.0.7");

    assertThat(found().outcome()).isEqualTo(Outcome.OK);
    assertThat(route().addresses()).containsExactly("10.96.3.4:9443");
  }

  @Test
  void aServiceThatLeadsElsewhereIsAProblem() {
    service();
    leadsTo("10.0.0.5");

    assertThat(found().outcome()).isEqualTo(Outcome.PROBLEM);
    assertThat(found().evidence())
        .contains("leads to 10.0.0.5, and the pod that leads has 10.0.0.7");
  }

  @Test
  void aSliceThatTheLeaderHasWrittenIsRightWhateverItsAddress() {
    service();
    leadsTo("192.168.0.5", Map.of("muster.io/process", "muster-0"));

    assertThat(found().outcome()).isEqualTo(Outcome.OK);
  }

  @Test
  void aSliceOfAFormerLeaderIsAProblem() {
    service();
    leadsTo("10.0.0.5", Map.of("muster.io/process", "muster-1"));

    assertThat(found().outcome()).isEqualTo(Outcome.PROBLEM);
  }

  @Test
  void aServiceOfTwoFamiliesHasTwoAddresses() {
    service("10.96.3.4", "fd00::4");

    assertThat(route().addresses()).containsExactly("10.96.3.4:9443", "[fd00::4]:9443");
  }

  @Test
  void aServiceThatLeadsNowhereOrIsGoneIsAProblem() {
    assertThat(found().evidence()).contains("does not exist");

    service();

    assertThat(found().outcome()).isEqualTo(Outcome.PROBLEM);
    assertThat(found().evidence()).contains("leads to nobody");
  }

  @Test
  void nothingIsSaidWhereNoPodLeadsOrNobodyAsks() {
    var affinity = Config.load(Optional.empty(), Map.of("MUSTER_CFG_PLACEMENT_MODE", "affinity"));

    assertThat(route().findings(Optional.empty())).isEqualTo(List.of());
    assertThat(new SchedulerRoute(client, affinity).findings(LEADER)).isEqualTo(List.of());
  }
}
