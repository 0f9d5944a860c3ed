package io.muster.certs.x509;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CertificateAuthorityTest {

  private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");
  private static final InstantSource CLOCK = InstantSource.fixed(NOW);
  private static final String SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
  private static final String CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

  private final CertificateAuthority authority = CertificateAuthority.create(CLOCK);

  @Test
  void anAuthorityMaySignLeavesAndVouchForAnotherForTenYearsAndNothingElse() throws Exception {
    X509Certificate certificate = authority.certificate();

    certificate.verify(certificate.getPublicKey());
    assertThat(certificate.getSubjectX500Principal().getName()).isEqualTo("CN=Muster CA 1");
    assertThat(authority.maySignAuthorities()).isTrue();
    assertThat(certificate.getKeyUsage())
        .containsExactly(false, false, false, false, false, true, true, false, false);
    assertThat(certificate.getCriticalExtensionOIDs()).contains("2.5.29.19", "2.5.29.15");
    assertThat(certificate.getNonCriticalExtensionOIDs()).contains("2.5.29.14", "2.5.29.35");
    assertThat(certificate.getNotAfter().toInstant()).isEqualTo(NOW.plus(Duration.ofDays(3650)));
  }

  @Test
  void theJdkAcceptsAServerLeafOfTheAuthority() throws Exception {
    Identity leaf = authority.issueServer(ServerNames.of("muster.example", "10.0.0.1"), CLOCK);

    validate(leaf.certificate(), authority);
    assertThat(leaf.certificate().getExtendedKeyUsage()).containsExactly(SERVER_AUTH);
    assertThat(leaf.certificate().getNotBefore().toInstant())
        .isEqualTo(NOW.minus(Duration.ofHours(1)));
    assertThat(leaf.certificate().getNotAfter().toInstant())
        .isEqualTo(NOW.plus(Duration.ofDays(90)));
    assertThat(leaf.certificate().getSubjectAlternativeNames())
        .containsExactlyInAnyOrder(List.of(2, "muster.example"), List.of(7, "10.0.0.1"));
  }

  @Test
  void aClientLeafIsForClientsOnly() throws Exception {
    Identity leaf = authority.issueClient("kube-scheduler", CLOCK);

    validate(leaf.certificate(), authority);
    assertThat(leaf.certificate().getExtendedKeyUsage()).containsExactly(CLIENT_AUTH);
    assertThat(leaf.certificate().getSubjectX500Principal().getName())
        .isEqualTo("CN=kube-scheduler");
    assertThat(leaf.certificate().getBasicConstraints()).isEqualTo(-1);
  }

  @Test
  void serialsArePositiveLongAndDifferent() {
    X509Certificate one = authority.issueClient("one", CLOCK).certificate();
    X509Certificate two = authority.issueClient("two", CLOCK).certificate();

    assertThat(one.getSerialNumber()).isPositive().isNotEqualTo(two.getSerialNumber());
    assertThat(one.getSerialNumber().bitLength()).isBetween(64, 128);
  }

  @Test
  void aLeafNeverOutlivesItsAuthority() {
    Instant end = authority.certificate().getNotAfter().toInstant();
    InstantSource nearTheEnd = InstantSource.fixed(end.minus(Duration.ofDays(2)));

    Identity leaf = authority.issueServer(ServerNames.of("muster"), nearTheEnd);

    assertThat(leaf.certificate().getNotAfter().toInstant()).isEqualTo(end);
  }

  @Test
  void anEndedAuthorityIssuesNothing() {
    InstantSource after =
        InstantSource.fixed(authority.certificate().getNotAfter().toInstant().plusSeconds(1));

    assertThatThrownBy(() -> authority.issueServer(ServerNames.of("muster"), after))
        .isInstanceOf(CertificateIssueException.class)
        .hasMessageContaining("it can issue nothing any more");
  }

  @Test
  void recognisesItsOwnLeavesOnly() {
    CertificateAuthority other = CertificateAuthority.create(CLOCK);
    X509Certificate leaf = authority.issueClient("one", CLOCK).certificate();

    assertThat(authority.hasSigned(leaf)).isTrue();
    assertThat(other.hasSigned(leaf)).isFalse();
  }

  @Test
  void aLeafCannotBeAnAuthority() {
    Identity leaf = authority.issueServer(ServerNames.of("muster"), CLOCK);

    assertThatThrownBy(() -> new CertificateAuthority(leaf))
        .isInstanceOf(InvalidCertificateException.class)
        .hasMessageContaining("CN=Muster may not sign others");
  }

  private static void validate(X509Certificate leaf, CertificateAuthority authority)
      throws Exception {
    PKIXParameters parameters =
        new PKIXParameters(Set.of(new TrustAnchor(authority.certificate(), null)));
    parameters.setRevocationEnabled(false);
    parameters.setDate(Date.from(NOW));
    var path = CertificateFactory.getInstance("X.509").generateCertPath(List.of(leaf));
    assertThat(CertPathValidator.getInstance("PKIX").validate(path, parameters)).isNotNull();
  }
}
