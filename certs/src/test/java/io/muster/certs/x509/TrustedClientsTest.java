package io.muster.certs.x509;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TrustedClientsTest {

  private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");
  private static final InstantSource CLOCK = InstantSource.fixed(NOW);

  private final CertificateAuthority authority = CertificateAuthority.create(CLOCK);
  private final List<X509Certificate> authorities = List.of(authority.certificate());
  private final Identity client = authority.issueClient("kube-scheduler", CLOCK);
  private final Identity server = authority.issueServer(ServerNames.of("muster"), CLOCK);

  @Test
  void aClientOfTheAuthorityIsTrusted() {
    assertThat(refusal(client.chain(), authorities, NOW)).isEmpty();
  }

  @Test
  void aClientThatSendsTheAuthorityAlongIsTrusted() {
    List<X509Certificate> chain = List.of(client.certificate(), authority.certificate());

    assertThat(refusal(chain, authorities, NOW)).isEmpty();
  }

  @Test
  void aServerOfTheSameAuthorityIsNoClient() {
    assertThat(refusal(server.chain(), authorities, NOW)).contains(ConnectionRefusal.WRONG_PURPOSE);
  }

  @Test
  void aClientOfAnotherAuthorityOfTheSameNameIsRefused() {
    Identity foreign = CertificateAuthority.create(CLOCK).issueClient("kube-scheduler", CLOCK);

    assertThat(refusal(foreign.chain(), authorities, NOW))
        .contains(ConnectionRefusal.UNKNOWN_AUTHORITY);
  }

  @Test
  void clientsOfAllTrustedAuthoritiesPass() {
    CertificateAuthority next = CertificateAuthority.create(CLOCK);
    List<X509Certificate> both = List.of(next.certificate(), authority.certificate());

    assertThat(refusal(client.chain(), both, NOW)).isEmpty();
    assertThat(refusal(next.issueClient("a", CLOCK).chain(), both, NOW)).isEmpty();
  }

  @Test
  void anExpiredClientIsRefused() {
    Instant later = NOW.plus(Duration.ofDays(366));

    assertThat(refusal(client.chain(), authorities, later)).contains(ConnectionRefusal.EXPIRED);
  }

  @Test
  void theAuthorityItselfAndNobodyAreRefused() {
    assertThat(refusal(authorities, authorities, NOW)).isPresent();
    assertThat(refusal(List.of(), authorities, NOW)).contains(ConnectionRefusal.NO_CERTIFICATE);
  }

  @Test
  void onlyTheNamesThatMayCallPass() {
    TrustedClients named = new TrustedClients(authorities, Set.of("kube-scheduler"), CLOCK);
    Identity other = authority.issueClient("kube-scheduler-2", CLOCK);

    assertThatCode(() -> named.check(client.chain())).doesNotThrowAnyException();
    assertThatThrownBy(() -> named.check(other.chain()))
        .hasMessage("CN=kube-scheduler-2: only [kube-scheduler] may call")
        .extracting(e -> ((RefusedClientException) e).refusal())
        .isEqualTo(ConnectionRefusal.WRONG_SUBJECT);
  }

  @Test
  void otherAuthoritiesAreTrustedFromOneMomentToTheNext() {
    CertificateAuthority next = CertificateAuthority.create(CLOCK);
    TrustedClients trusted = new TrustedClients(authorities, Set.of(), CLOCK);

    trusted.trust(List.of(next.certificate()));

    assertThatCode(() -> trusted.check(next.issueClient("a", CLOCK).chain()))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> trusted.check(client.chain()))
        .isInstanceOf(RefusedClientException.class);
  }

  private static Optional<ConnectionRefusal> refusal(
      List<X509Certificate> chain, List<X509Certificate> authorities, Instant at) {
    try {
      new TrustedClients(authorities, Set.of(), InstantSource.fixed(at)).check(chain);
      return Optional.empty();
    } catch (RefusedClientException e) {
      return Optional.of(e.refusal());
    }
  }

  @Test
  void theTrustManagerLetsInTheSameClientsAndNoServers() {
    TrustedClients trusted = new TrustedClients(authorities, Set.of(), CLOCK);
    X509Certificate[] clientChain = {client.certificate()};
    X509Certificate[] serverChain = {server.certificate()};

    assertThatCode(() -> trusted.checkClientTrusted(clientChain, "EC")).doesNotThrowAnyException();
    assertThatThrownBy(() -> trusted.checkClientTrusted(serverChain, "EC"))
        .isInstanceOf(CertificateException.class);
    assertThatThrownBy(() -> trusted.checkServerTrusted(serverChain, "EC"))
        .isInstanceOf(CertificateException.class);
    assertThat(trusted.getAcceptedIssuers()).containsExactly(authority.certificate());
  }
}
