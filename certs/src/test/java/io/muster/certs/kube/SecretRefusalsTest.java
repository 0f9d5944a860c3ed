package io.muster.certs.kube;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.certs.CertificateSource;
import io.muster.certs.OwnCertificates;
import io.muster.certs.x509.CertificateIssueException;
import java.time.InstantSource;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is said where a right is missing: no more is to be allowed than is needed. */
@EnableKubernetesMockClient(https = false)
final class SecretRefusalsTest {

  private static final String NAMESPACE = "muster-system";
  private static final InstantSource CLOCK = InstantSource.system();

  private KubernetesClient client;
  private KubernetesMockServer server;

  private void assertRefused(String secret, CertificateSource source, String remedy) {
    server
        .expect()
        .get()
        .withPath("/api/v1/namespaces/%s/secrets/%s".formatted(NAMESPACE, secret))
        .andReturn(403, "")
        .always();

    assertThatThrownBy(() -> source.refresh(_ -> false))
        .isInstanceOf(CertificateIssueException.class)
        .hasMessage(
            "Kubernetes refused to read Secret %s/%s (HTTP status 403): allow Muster's service"
                    .formatted(NAMESPACE, secret)
                + " account to "
                + remedy);
  }

  @Test
  void aSecretFromElsewhereIsToBeReadAndNeverWritten() {
    var given = new GivenSecrets(client, NAMESPACE, "muster-tls", "muster-tls", Set.of(), CLOCK);

    assertRefused("muster-tls", given, "get it");
  }

  @Test
  void aSecretOfMustersIsToBeWrittenToo() {
    var own =
        new OwnCertificates(
            new SecretCertificateStore(client, NAMESPACE), FakeReplica.NAMES, CLOCK);

    assertRefused(SecretCertificateStore.CERTIFICATES, own, "get, create and update it");
  }

  /** A quota answers with the status of a missing right, and none would help. */
  @Test
  void aQuotaIsNotTakenForAMissingRight() {
    server
        .expect()
        .get()
        .withPath("/api/v1/namespaces/muster-system/secrets/muster-certificates")
        .andReturn(404, "")
        .always();
    server
        .expect()
        .post()
        .withPath("/api/v1/namespaces/muster-system/secrets")
        .andReturn(
            403,
            new StatusBuilder()
                .withCode(403)
                .withMessage("secrets \"muster-certificates\" is forbidden: exceeded quota: few")
                .build())
        .always();
    var own =
        new OwnCertificates(
            new SecretCertificateStore(client, NAMESPACE), FakeReplica.NAMES, CLOCK);

    assertThatThrownBy(() -> own.refresh(_ -> false))
        .hasMessage(
            "Kubernetes refused to create Secret muster-system/muster-certificates (HTTP status"
                + " 403): secrets \"muster-certificates\" is forbidden: exceeded quota: few");
  }
}
