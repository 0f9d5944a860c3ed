package io.muster.certs.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.certs.CertificateStore;
import io.muster.certs.Certificates;
import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.CertificateBundle;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.certs.x509.Purpose;
import io.muster.certs.x509.ServerNames;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
class SecretCertificateStoreTest {

  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-11-21T08:00:00Z"));
  private static final String NAMESPACE = "muster-system";
  private static final String OWN = SecretCertificateStore.CERTIFICATES;
  private static final String CLIENT = SecretCertificateStore.SCHEDULER_CLIENT;
  private static final ServerNames NAMES = ServerNames.ofService("muster", NAMESPACE);

  KubernetesClient client;

  @Test
  void theFirstStartWritesBothSecretsAndTheCaKeyOnlyIntoItsOwn() {
    Certificates certificates = Certificates.ensure(store(), NAMES, CLOCK);

    assertThat(secret(OWN).getType()).isEqualTo("Opaque");
    assertThat(secret(OWN).getData()).containsOnlyKeys("ca.crt", "ca.key", "tls.crt", "tls.key");
    assertThat(secret(CLIENT).getData()).containsOnlyKeys("ca.crt", "tls.crt", "tls.key");
    assertThat(text(CLIENT, "ca.crt")).isEqualTo(certificates.caBundlePem());
    assertThat(text(CLIENT, "tls.crt")).isEqualTo(client(store()).chainPem());
    assertThat(text(OWN, "tls.crt")).isEqualTo(certificates.serverIdentity().chainPem());
  }

  @Test
  void theNextStartReadsWhatTheFirstWrote() {
    Certificates first = Certificates.ensure(store(), NAMES, CLOCK);
    String version = secret(OWN).getMetadata().getResourceVersion();

    Certificates second = Certificates.ensure(store(), NAMES, CLOCK);

    assertThat(second.serverIdentity()).isEqualTo(first.serverIdentity());
    assertThat(second.current()).isEqualTo(first.current());
    assertThat(secret(OWN).getMetadata().getResourceVersion()).isEqualTo(version);
  }

  @Test
  void newNamesChangeTheServerLeafOnlyAndKeepForeignLabels() {
    Certificates first = Certificates.ensure(store(), NAMES, CLOCK);
    client
        .resource(secret(OWN))
        .edit(s -> new SecretBuilder(s).editMetadata().addToLabels("a", "b").endMetadata().build());
    String clientVersion = secret(CLIENT).getMetadata().getResourceVersion();

    Certificates second = Certificates.ensure(store(), NAMES.and(ServerNames.of("x")), CLOCK);

    assertThat(second.caBundlePem()).isEqualTo(first.caBundlePem());
    assertThat(text(OWN, "tls.crt"))
        .isEqualTo(second.serverIdentity().chainPem())
        .isNotEqualTo(first.serverIdentity().chainPem());
    assertThat(secret(OWN).getMetadata().getLabels()).containsEntry("a", "b");
    assertThat(secret(CLIENT).getMetadata().getResourceVersion()).isEqualTo(clientVersion);
  }

  @Test
  void replicasThatStartAtOnceEndWithOneAuthorityAndTheSameLeaves() throws Exception {
    int replicas = 4;
    CyclicBarrier start = new CyclicBarrier(replicas);
    Callable<Certificates> replica =
        () -> {
          start.await();
          return Certificates.ensure(store(), NAMES, CLOCK);
        };
    try (ExecutorService pool = Executors.newFixedThreadPool(replicas)) {
      List<Future<Certificates>> started =
          Stream.generate(() -> pool.submit(replica)).limit(replicas).toList();
      for (Future<Certificates> one : started) {
        assertThat(one.get().caBundlePem()).isEqualTo(text(OWN, "ca.crt"));
        assertThat(one.get().serverIdentity().chainPem()).isEqualTo(text(OWN, "tls.crt"));
      }
    }
    assertThat(text(CLIENT, "ca.crt")).isEqualTo(text(OWN, "ca.crt"));
  }

  @Test
  void whoComesSecondGetsTheAuthorityOfTheFirst() {
    CertificateBundle first = CertificateBundle.of(CertificateAuthority.create(CLOCK));
    CertificateBundle second = CertificateBundle.of(CertificateAuthority.create(CLOCK));

    store().create(first);

    assertThat(store().create(second)).isEqualTo(first);
  }

  @Test
  void aReplacementOfSomethingOutdatedIsNotWritten() {
    Certificates.ensure(store(), NAMES, CLOCK);
    CertificateBundle read = store().load().orElseThrow();
    CertificateBundle mine = with(read, "mine");
    CertificateBundle others = with(read, "others");

    assertThat(store().replace(read, others)).isEqualTo(others);
    assertThat(store().replace(read, mine)).isEqualTo(others);
    assertThat(store().load()).contains(others);
  }

  @Test
  void aDeletedClientSecretIsIssuedAgainByTheSameAuthority() {
    Certificates first = Certificates.ensure(store(), NAMES, CLOCK);
    client.resource(secret(CLIENT)).delete();

    Certificates second = Certificates.ensure(store(), NAMES, CLOCK);

    assertThat(second.caBundlePem()).isEqualTo(first.caBundlePem());
    assertThat(second.serverIdentity()).isEqualTo(first.serverIdentity());
    assertThat(text(CLIENT, "tls.crt")).isEqualTo(client(store()).chainPem());
  }

  @Test
  void aClientSecretOfAnOldAuthorityIsBroughtUpToDate() {
    Certificates first = Certificates.ensure(store(), NAMES, CLOCK);
    client.resource(secret(OWN)).delete();

    Certificates second = Certificates.ensure(store(), NAMES, CLOCK);

    assertThat(second.caBundlePem()).isNotEqualTo(first.caBundlePem());
    assertThat(text(CLIENT, "ca.crt")).isEqualTo(second.caBundlePem());
    assertThat(text(CLIENT, "tls.crt")).isEqualTo(client(store()).chainPem());
  }

  @Test
  void anAuthorityPutThereByHandIsUsed() {
    CertificateAuthority given = CertificateAuthority.create(CLOCK);
    store().create(CertificateBundle.of(given));

    Certificates certificates = Certificates.ensure(store(), NAMES, CLOCK);

    assertThat(given.hasSigned(certificates.serverIdentity().certificate())).isTrue();
    assertThat(given.hasSigned(client(store()).certificate())).isTrue();
  }

  @Test
  void garbageIsNamedWithItsRemedyAndNotOverwritten() {
    Certificates.ensure(store(), NAMES, CLOCK);
    put(OWN, "ca.crt", "garbage");

    assertThatThrownBy(() -> Certificates.ensure(store(), NAMES, CLOCK))
        .isInstanceOf(InvalidCertificateException.class)
        .hasMessageStartingWith(
            "Secret muster-system/muster-certificates, key ca.crt: there is no complete PEM block;"
                + " restore the Secret from a backup, or delete it");
    assertThat(text(OWN, "ca.crt")).isEqualTo("garbage");
  }

  @Test
  void aKeyOfAnotherCertificateIsNamedWithItsRemedy() {
    Certificates.ensure(store(), NAMES, CLOCK);
    put(OWN, "tls.key", client(store()).keyPem());

    assertThatThrownBy(() -> Certificates.ensure(store(), NAMES, CLOCK))
        .isInstanceOf(InvalidCertificateException.class)
        .hasMessageStartingWith(
            "Secret muster-system/muster-certificates, key tls.key: the private key does not belong"
                + " to the certificate CN=Muster; remove tls.crt and tls.key from the Secret");
  }

  @Test
  void aMissingCaKeyIsNamedWithItsRemedy() {
    Certificates.ensure(store(), NAMES, CLOCK);
    client.resource(secret(OWN)).edit(s -> new SecretBuilder(s).removeFromData("ca.key").build());

    assertThatThrownBy(() -> store().load())
        .hasMessageStartingWith(
            "Secret muster-system/muster-certificates, key ca.key: it is missing or empty");
  }

  @Test
  void aLeafInPlaceOfTheAuthorityIsNamedWithItsRemedy() {
    Certificates certificates = Certificates.ensure(store(), NAMES, CLOCK);
    put(OWN, "ca.crt", certificates.serverIdentity().chainPem());
    put(OWN, "ca.key", certificates.serverIdentity().keyPem());

    assertThatThrownBy(() -> store().load())
        .hasMessageStartingWith(
            "Secret muster-system/muster-certificates, key ca.crt: the certificate CN=Muster may"
                + " not sign others");
  }

  @Test
  void aBrokenClientSecretIsNamedWithItsRemedy() {
    Certificates.ensure(store(), NAMES, CLOCK);
    put(CLIENT, "tls.key", "garbage");

    assertThatThrownBy(() -> Certificates.ensure(store(), NAMES, CLOCK))
        .hasMessageStartingWith(
            "Secret muster-system/muster-scheduler-client, key tls.key: there is no complete PEM"
                + " block; delete the Secret");
  }

  @Test
  void theRemedyForABrokenServerLeafWorks() {
    Certificates first = Certificates.ensure(store(), NAMES, CLOCK);
    client
        .resource(secret(OWN))
        .edit(
            s -> new SecretBuilder(s).removeFromData("tls.key").removeFromData("tls.crt").build());

    Certificates second = Certificates.ensure(store(), NAMES, CLOCK);

    assertThat(second.caBundlePem()).isEqualTo(first.caBundlePem());
    assertThat(text(OWN, "tls.crt")).isEqualTo(second.serverIdentity().chainPem());
  }

  @Test
  void nothingIsStoredBeforeTheFirstStart() {
    assertThat(store().load()).isEqualTo(Optional.empty());
  }

  private static Identity client(CertificateStore store) {
    return store.load().orElseThrow().leaf(Purpose.SCHEDULER_CLIENT).orElseThrow();
  }

  private CertificateStore store() {
    return new SecretCertificateStore(client, NAMESPACE);
  }

  private static CertificateBundle with(CertificateBundle bundle, String name) {
    return bundle.with(Purpose.SERVER, bundle.authority().issueServer(ServerNames.of(name), CLOCK));
  }

  private Secret secret(String name) {
    return client.secrets().inNamespace(NAMESPACE).withName(name).require();
  }

  private String text(String secret, String field) {
    byte[] decoded = Base64.getDecoder().decode(secret(secret).getData().get(field));
    return new String(decoded, StandardCharsets.UTF_8);
  }

  private void put(String secret, String field, String text) {
    String encoded = Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    client
        .resource(secret(secret))
        .edit(s -> new SecretBuilder(s).addToData(Map.of(field, encoded)).build());
  }
}
