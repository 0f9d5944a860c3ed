package io.muster.certs.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.muster.certs.Certificates;
import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.certs.x509.Pem;
import io.muster.certs.x509.ServerNames;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GivenSecretsTest {

  private static final String SERVER = "from-elsewhere";
  private static final String CLIENTS = "scheduler-from-elsewhere";

  private final FakeCluster cluster = new FakeCluster();
  private final CertificateAuthority authority = CertificateAuthority.create(cluster);
  private final Identity leaf = authority.issueServer(FakeReplica.NAMES, cluster);

  @Test
  void aNewLeafIsShownAtTheNextLookAndNothingIsWritten() {
    give(SERVER, authority, leaf);
    FakeReplica replica = FakeReplica.given(cluster, SERVER, SERVER);
    Identity next = authority.issueServer(FakeReplica.NAMES, cluster);
    give(SERVER, authority, next);
    Secret given = cluster.get(SERVER).orElseThrow();

    replica.check();

    assertThat(replica.certificates().serverIdentity()).isEqualTo(next);
    assertThat(cluster.get(SERVER)).contains(given);
    assertThat(cluster.get(SecretCertificateStore.CERTIFICATES)).isEmpty();
  }

  @Test
  void aLeafOfANewAuthorityIsShownWhenCallersHaveHadTimeToLearnOfItAndTheOldOneGoesLast() {
    give(SERVER, authority, leaf);
    FakeReplica replica = FakeReplica.given(cluster, SERVER, SERVER);
    CertificateAuthority other = CertificateAuthority.create(cluster);
    Identity next = other.issueServer(FakeReplica.NAMES, cluster);
    give(SERVER, other, next);

    replica.check();
    assertThat(replica.certificates().serverIdentity()).isEqualTo(leaf);
    assertThat(told()).contains(authority.certificate(), other.certificate());

    lookAfter(FakeReplica.PERIOD, replica);
    assertThat(replica.certificates().serverIdentity()).isEqualTo(leaf);

    lookAfter(FakeReplica.SETTLING, replica);
    assertThat(replica.certificates().serverIdentity()).isEqualTo(next);
    assertThat(told()).contains(authority.certificate(), other.certificate());

    lookAfter(FakeReplica.SETTLING, replica);
    lookAfter(FakeReplica.SETTLING, replica);
    assertThat(told()).containsExactly(other.certificate());
  }

  @Test
  void clientsMayBeOfAnotherAuthorityThanTheServer() throws Exception {
    CertificateAuthority clients = CertificateAuthority.create(cluster);
    Identity scheduler = clients.issueClient(Certificates.SCHEDULER_CLIENT_NAME, cluster);
    give(SERVER, authority, leaf);
    give(CLIENTS, clients, scheduler);

    FakeReplica replica = FakeReplica.given(cluster, SERVER, CLIENTS);

    var trusted = replica.certificates().trustedClients();
    trusted.checkClientTrusted(new X509Certificate[] {scheduler.certificate()}, "EC");
    X509Certificate[] ofTheServers = {
      authority.issueClient(Certificates.SCHEDULER_CLIENT_NAME, cluster).certificate()
    };
    assertThatThrownBy(() -> trusted.checkClientTrusted(ofTheServers, "EC")).isNotNull();
    assertThat(replica.certificates().current().schedulerClient())
        .contains(scheduler.certificate());
  }

  @Test
  void whatCannotBeUsedIsRefusedWithItsReasonAndTheLeafInUseStays() {
    give(SERVER, authority, leaf);
    FakeReplica replica = FakeReplica.given(cluster, SERVER, SERVER);
    Identity foreign = CertificateAuthority.create(cluster).issueServer(FakeReplica.NAMES, cluster);
    Identity client = authority.issueClient("a", cluster);

    give(SERVER, authority, foreign);
    replica.check();
    give(SERVER, authority, client);
    replica.check();
    put(SERVER, Map.of("ca.crt", authority.identity().chainPem()));
    replica.check();
    cluster.delete(SERVER);
    replica.check();
    give(SERVER, authority, leaf);
    cluster.pass(Duration.ofDays(91));
    replica.check();

    assertThat(replica.refusals())
        .containsExactly(
            CertificateFault.FOREIGN,
            CertificateFault.UNFIT,
            CertificateFault.MISSING,
            CertificateFault.MISSING,
            CertificateFault.EXPIRED);
    assertThat(replica.certificates().serverIdentity()).isEqualTo(leaf);
  }

  /** A renewal with a slip in dnsNames: no caller could verify it. */
  @Test
  void aLeafWithoutTheNameThatCallersVerifyItByIsRefusedAndTheLeafInUseStays() {
    give(SERVER, authority, leaf);
    FakeReplica replica = FakeReplica.given(cluster, SERVER, SERVER);

    give(SERVER, authority, authority.issueServer(ServerNames.of("something-else"), cluster));
    replica.check();

    assertThat(replica.reasons().get(CertificateFault.UNFIT))
        .contains("key tls.crt: it is not for localhost, the name that callers verify it by");
    assertThat(replica.certificates().serverIdentity()).isEqualTo(leaf);
  }

  /** Go refuses what leads to a root that has ended, however long the leaf lasts. */
  @Test
  void aLeafThatOutlivesItsAuthorityIsRefusedOnceThatHasEnded() {
    cluster.pass(Duration.ofDays(3000));
    CertificateAuthority other = CertificateAuthority.create(cluster);
    X509Certificate endsWithTheFirst = authority.vouchFor(other, cluster);
    cluster.pass(Duration.ofDays(640));
    Identity lasting = other.issueServer(FakeReplica.NAMES, cluster);
    put(
        SERVER,
        Map.of(
            "ca.crt", Pem.ofCertificates(List.of(endsWithTheFirst)),
            "tls.crt", lasting.chainPem(),
            "tls.key", lasting.keyPem()));
    FakeReplica replica = FakeReplica.given(cluster, SERVER, SERVER);
    assertThat(replica.refusals()).isEmpty();

    cluster.pass(Duration.ofDays(20));
    replica.check();

    assertThat(replica.reasons().get(CertificateFault.EXPIRED))
        .contains("key tls.crt: the authority in ca.crt that it leads to is not valid now");
  }

  /** As a self-signed issuer makes it: tls.crt and ca.crt are one. */
  @Test
  void aLeafThatIsItsOwnAuthorityIsRefusedOnceItHasEnded() {
    List<X509Certificate> both = List.of(authority.certificate());
    GivenLeaf own = new GivenLeaf(both, both);

    assertThat(own.fault(cluster.instant(), Set.of())).isEmpty();
    assertThat(own.fault(cluster.instant().plus(Duration.ofDays(3651)), Set.of()))
        .map(GivenLeaf.Wrong::fault)
        .contains(CertificateFault.EXPIRED);
  }

  @Test
  void aWildcardStandsForOneLabel() {
    var shown = Set.of("*.muster-system.svc", "x");

    assertThat(GivenLeaf.missing(shown, Set.of("a.muster-system.svc", "x"))).isEmpty();
    assertThat(GivenLeaf.missing(shown, Set.of("a.b.muster-system.svc", "y")))
        .containsExactly("a.b.muster-system.svc", "y");
  }

  @Test
  void theReasonNamesTheSecretTheKeyAndTheRemedy() {
    give(
        SERVER,
        authority,
        CertificateAuthority.create(cluster).issueServer(FakeReplica.NAMES, cluster));

    assertThatThrownBy(() -> FakeReplica.given(cluster, SERVER, SERVER))
        .isInstanceOf(InvalidCertificateException.class)
        .hasMessageStartingWith(
            "Secret muster-system/from-elsewhere, key tls.crt: it does not lead to an authority in"
                + " ca.crt")
        .hasMessageContaining("put it right where it comes from");
  }

  private List<X509Certificate> told() {
    return cluster.believed(Duration.ZERO).getFirst();
  }

  private void lookAfter(Duration time, FakeReplica replica) {
    cluster.pass(time);
    replica.check();
  }

  private void give(String name, CertificateAuthority authority, Identity leaf) {
    put(
        name,
        Map.of(
            "ca.crt", authority.identity().chainPem(),
            "tls.crt", leaf.chainPem(),
            "tls.key", leaf.keyPem()));
  }

  private void put(String name, Map<String, String> texts) {
    Map<String, String> data = new HashMap<>(texts);
    data.replaceAll(
        (_, text) -> Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII)));
    cluster.put(
        new SecretBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace("muster-system")
            .endMetadata()
            .withData(data)
            .build());
  }
}
