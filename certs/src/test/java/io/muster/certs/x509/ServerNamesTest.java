package io.muster.certs.x509;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerNamesTest {

  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-11-21T08:00:00Z"));

  @Test
  void sortsNamesFromAddressesAndBringsThemIntoOneForm() {
    ServerNames names = ServerNames.of("Muster.Example", "::1", "10.0.0.1", "muster.example");

    assertThat(names.dns()).containsExactly("muster.example");
    assertThat(names.ips()).containsExactly("0:0:0:0:0:0:0:1", "10.0.0.1");
  }

  @Test
  void aServiceHasFourNames() {
    assertThat(ServerNames.ofService("muster-extender", "muster-system").dns())
        .containsExactly(
            "muster-extender",
            "muster-extender.muster-system",
            "muster-extender.muster-system.svc",
            "muster-extender.muster-system.svc.cluster.local");
  }

  @Test
  void aCertificateCoversItsNamesAndNoOthers() {
    ServerNames names = ServerNames.of("muster", "muster.ns.svc", "10.0.0.1", "fd00::1");
    X509Certificate certificate =
        CertificateAuthority.create(CLOCK).issueServer(names, CLOCK).certificate();

    assertThat(names.areCoveredBy(certificate)).isTrue();
    assertThat(ServerNames.of("muster", "FD00:0::1").areCoveredBy(certificate)).isTrue();
    assertThat(ServerNames.of("muster", "other").areCoveredBy(certificate)).isFalse();
    assertThat(ServerNames.of("muster", "10.0.0.2").areCoveredBy(certificate)).isFalse();
  }

  @Test
  void namesAddUp() {
    assertThat(ServerNames.of("b").and(ServerNames.of("a", "127.0.0.1")))
        .isEqualTo(new ServerNames(List.of("a", "b"), List.of("127.0.0.1")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "a..b", "-a", "a b", "300.0.0.1", "10.0.0", "a:b", "fe80::1%lo", "*.example"})
  void whatIsNeitherNameNorAddressIsRefused(String name) {
    assertThatThrownBy(() -> ServerNames.of(name)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void noNameAtAllIsRefused() {
    assertThatThrownBy(ServerNames::of).isInstanceOf(IllegalArgumentException.class);
  }
}
