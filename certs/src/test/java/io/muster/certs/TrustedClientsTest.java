package io.muster.certs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
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
    assertThat(TrustedClients.refusal(client.chain(), authorities, NOW)).isEmpty();
  }

  @Test
  void aClientThatSendsTheAuthorityAlongIsTrusted() {
    List<X509Certificate> chain = List.of(client.certificate(), authority.certificate());

    assertThat(TrustedClients.refusal(chain, authorities, NOW)).isEmpty();
  }

  @Test
  void aServerOfTheSameAuthorityIsNoClient() {
    assertThat(TrustedClients.refusal(server.chain(), authorities, NOW))
        .contains("CN=Muster is not a client certificate (no clientAuth usage)");
  }

  @Test
  void aClientOfAnotherAuthorityOfTheSameNameIsRefused() {
    Identity foreign = CertificateAuthority.create(CLOCK).issueClient("kube-scheduler", CLOCK);

    assertThat(TrustedClients.refusal(foreign.chain(), authorities, NOW)).isPresent();
  }

  @Test
  void clientsOfAllTrustedAuthoritiesPass() {
    CertificateAuthority next = CertificateAuthority.create(CLOCK);
    List<X509Certificate> both = List.of(next.certificate(), authority.certificate());

    assertThat(TrustedClients.refusal(client.chain(), both, NOW)).isEmpty();
    assertThat(TrustedClients.refusal(next.issueClient("a", CLOCK).chain(), both, NOW)).isEmpty();
  }

  @Test
  void anExpiredClientIsRefused() {
    Instant later = NOW.plus(Duration.ofDays(366));

    assertThat(TrustedClients.refusal(client.chain(), authorities, later)).isPresent();
  }

  @Test
  void theAuthorityItselfAndNobodyAreRefused() {
    assertThat(TrustedClients.refusal(authorities, authorities, NOW)).isPresent();
    assertThat(TrustedClients.refusal(List.of(), authorities, NOW))
        .contains("there is no client certificate");
  }

  @Test
  void theTrustManagerLetsInTheSameClientsAndNoServers() {
    TrustedClients trusted = new TrustedClients(authorities, CLOCK);
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
