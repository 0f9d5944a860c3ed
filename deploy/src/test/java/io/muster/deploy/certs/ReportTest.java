package io.muster.deploy.certs;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.certs.InMemoryCertificateStore;
import io.muster.certs.OwnCertificates;
import io.muster.certs.Rotation;
import io.muster.certs.x509.CertificateBundle;
import io.muster.certs.x509.ServerNames;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ReportTest {

  private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");
  private static final InstantSource CLOCK = InstantSource.fixed(NOW);

  private final InMemoryCertificateStore store = new InMemoryCertificateStore();
  private final OwnCertificates source =
      new OwnCertificates(store, ServerNames.of("muster"), CLOCK);

  @Test
  void tellsEachCertificateAndThatNothingIsUnderWay() {
    source.refresh(_ -> false);

    assertThat(report(store.load().orElseThrow().trusted()))
        .isEqualTo(
            """
            PURPOSE           SUBJECT                           NOT AFTER             DAYS LEFT  RENEWAL DUE           ISSUER
            CA, issues        CN=Muster CA 1                    2036-11-18T08:00:00Z       3650  -                     itself
            server            CN=Muster                         2027-02-19T08:00:00Z         90  2027-01-20T07:40:00Z  generation 1
            scheduler client  CN=muster-scheduler-client        2027-02-19T08:00:00Z         90  2027-01-20T07:40:00Z  generation 1

            change of CA: none under way
            webhook registration: trusts generation 1
            kube-schedulers: what they trust is unknown here; each reads its CA once, at its start
              no former CA vouches for this one: a scheduler has to know generation 1
            """);
  }

  @Test
  void tellsWhatIsStillToComeOfAnAnnouncedAuthority() {
    source.refresh(_ -> false);
    var former = store.load().orElseThrow();
    change(former);

    assertThat(report(former.trusted()))
        .contains("CA, trusted       CN=Muster CA 2")
        .contains("change of CA: generation 2 is announced; a running Muster switches to it")
        .contains("does not trust generation 2 yet; a running Muster adds it");
  }

  @Test
  void tellsHowLongTheFormerAuthorityIsTrustedAndWhoIsServedTillThen() {
    source.refresh(_ -> false);
    change(store.load().orElseThrow());
    source.refresh(_ -> true);

    assertThat(report(store.load().orElseThrow().trusted()))
        .contains("CA, issues        CN=Muster CA 2")
        .contains("CA, trusted       CN=Muster CA 1")
        .contains(
            "switched to generation 2; the former CA stays trusted until 2027-02-19T09:00:00Z")
        .contains("those that know only generation 1 are served too")
        .doesNotContain("PRIVATE");
  }

  private void change(CertificateBundle held) {
    store.replace(held, new Rotation.Authority().of(held, CLOCK));
  }

  private String report(List<X509Certificate> told) {
    var lines = new Report(NOW, Optional.of(told)).of(store.load().orElseThrow());
    return String.join("\n", lines.stream().map(String::stripTrailing).toList()) + "\n";
  }
}
