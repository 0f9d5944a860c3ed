package io.muster.certs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.certs.x509.AuthorityChange;
import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.CertificateBundle;
import io.muster.certs.x509.CertificateIssueException;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.certs.x509.Pem;
import io.muster.certs.x509.Purpose;
import io.muster.certs.x509.ServerNames;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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

class CertificatesTest {

  private static final Instant NOW = Instant.parse("2026-11-21T08:00:00Z");
  private static final InstantSource CLOCK = InstantSource.fixed(NOW);
  private static final ServerNames NAMES = ServerNames.of("muster", "10.0.0.1");

  private final InMemoryCertificateStore store = new InMemoryCertificateStore();

  @Test
  void theFirstStartMakesEverything() {
    Certificates certificates = Certificates.ensure(store, NAMES, CLOCK);

    assertThat(Pem.certificates(certificates.caBundlePem())).hasSize(1);
    assertThat(NAMES.areCoveredBy(certificates.serverIdentity().certificate())).isTrue();
    assertThatCode(() -> certificates.trustedClients().check(schedulerClient().chain()))
        .doesNotThrowAnyException();
    assertThat(store.load().orElseThrow().leaf(Purpose.SERVER))
        .contains(certificates.serverIdentity());
  }

  @Test
  void theNextStartFindsTheSame() {
    Certificates first = Certificates.ensure(store, NAMES, CLOCK);
    Certificates second = Certificates.ensure(store, ServerNames.of("10.0.0.1"), CLOCK);

    assertThat(second.caBundlePem()).isEqualTo(first.caBundlePem());
    assertThat(second.serverIdentity()).isEqualTo(first.serverIdentity());
    assertThat(second.current()).isEqualTo(first.current());
  }

  @Test
  void newNamesGetANewServerLeafOfTheSameAuthority() {
    Certificates first = Certificates.ensure(store, NAMES, CLOCK);
    Identity client = schedulerClient();
    ServerNames more = NAMES.and(ServerNames.of("muster.example"));

    Certificates second = Certificates.ensure(store, more, CLOCK);

    assertThat(more.areCoveredBy(second.serverIdentity().certificate())).isTrue();
    assertThat(second.serverIdentity()).isNotEqualTo(first.serverIdentity());
    assertThat(schedulerClient()).isEqualTo(client);
    assertThat(second.caBundlePem()).isEqualTo(first.caBundlePem());
    assertThat(store.load().orElseThrow().leaf(Purpose.SERVER)).contains(second.serverIdentity());
  }

  @Test
  void replicasThatWantDifferentNamesEndWithOneLeafForAll() {
    Certificates.ensure(store, ServerNames.of("one"), CLOCK);
    Certificates second = Certificates.ensure(store, ServerNames.of("two"), CLOCK);
    Certificates first = Certificates.ensure(store, ServerNames.of("one"), CLOCK);

    assertThat(first.serverIdentity()).isEqualTo(second.serverIdentity());
  }

  @Test
  void leavesAreIssuedAgainAfterTwoThirdsOfTheirLifeAndNotEarlier() {
    Certificates first = Certificates.ensure(store, NAMES, CLOCK);
    Identity client = schedulerClient();
    Instant begin = NOW.minus(CertificateAuthority.BACKDATED);
    Instant end = NOW.plus(Duration.ofDays(90));
    Instant due = begin.plus(Duration.between(begin, end).multipliedBy(2).dividedBy(3));

    Certificates early =
        Certificates.ensure(store, NAMES, InstantSource.fixed(due.minusSeconds(1)));
    Certificates late = Certificates.ensure(store, NAMES, InstantSource.fixed(due));

    assertThat(early.serverIdentity()).isEqualTo(first.serverIdentity());
    assertThat(late.serverIdentity()).isNotEqualTo(first.serverIdentity());
    assertThat(schedulerClient()).isNotEqualTo(client);
    assertThat(late.caBundlePem()).isEqualTo(first.caBundlePem());
  }

  @Test
  void anExpiredLeafIsIssuedAgain() {
    Certificates first = Certificates.ensure(store, NAMES, CLOCK);
    Instant muchLater = NOW.plus(Duration.ofDays(1000));

    Certificates later = Certificates.ensure(store, NAMES, InstantSource.fixed(muchLater));

    assertThat(later.serverIdentity().certificate().getNotAfter().toInstant()).isAfter(muchLater);
    assertThat(later.caBundlePem()).isEqualTo(first.caBundlePem());
  }

  @Test
  void aLeafFromTheFutureIsIssuedAgain() {
    CertificateAuthority authority =
        CertificateAuthority.create(InstantSource.fixed(NOW.minus(Duration.ofHours(2))));
    store.create(
        CertificateBundle.of(authority).with(Purpose.SERVER, authority.issueServer(NAMES, CLOCK)));
    Certificates first = Certificates.ensure(store, NAMES, CLOCK);

    Certificates before =
        Certificates.ensure(
            store,
            NAMES,
            InstantSource.fixed(NOW.minus(CertificateAuthority.BACKDATED).minusSeconds(1)));

    assertThat(before.serverIdentity()).isNotEqualTo(first.serverIdentity());
  }

  @Test
  void aLeafOfAnotherAuthorityOrPurposeIsIssuedAgain() {
    CertificateAuthority authority = CertificateAuthority.create(CLOCK);
    Identity foreign = CertificateAuthority.create(CLOCK).issueServer(NAMES, CLOCK);
    Identity server = authority.issueServer(NAMES, CLOCK);
    store.create(
        CertificateBundle.of(authority)
            .with(Purpose.SERVER, foreign)
            .with(Purpose.SCHEDULER_CLIENT, server));

    Certificates certificates = Certificates.ensure(store, NAMES, CLOCK);

    assertThat(authority.hasSigned(certificates.serverIdentity().certificate())).isTrue();
    assertThat(certificates.serverIdentity()).isNotEqualTo(foreign);
    assertThat(schedulerClient()).isNotEqualTo(server);
  }

  @Test
  void anAuthorityAboutToEndIsUsedToItsEndAndNotAfter() {
    Certificates.ensure(store, NAMES, CLOCK);
    Instant end = NOW.plus(CertificateAuthority.AUTHORITY_LIFETIME);

    Certificates last =
        Certificates.ensure(store, NAMES, InstantSource.fixed(end.minus(Duration.ofDays(1))));

    assertThat(last.serverIdentity().certificate().getNotAfter().toInstant()).isEqualTo(end);
    assertThatThrownBy(() -> Certificates.ensure(store, NAMES, InstantSource.fixed(end)))
        .isInstanceOf(InvalidCertificateException.class)
        .hasMessageContaining("the CA certificate expired at");
  }

  /** Made on a machine whose clock was two days ahead: nobody would accept it for two days. */
  @Test
  void anAuthorityFromTheFutureIsRefused() {
    Certificates.ensure(store, NAMES, InstantSource.fixed(NOW.plus(Duration.ofDays(2))));

    assertThatThrownBy(() -> Certificates.ensure(store, NAMES, CLOCK))
        .isInstanceOf(InvalidCertificateException.class)
        .hasMessageContaining("the CA certificate is valid only from")
        .hasMessageContaining("mend the clock, or remove the stored certificates");
  }

  @Test
  void everyTrustedAuthorityIsInTheBundleWhileTheyChange() {
    CertificateAuthority old = CertificateAuthority.create(CLOCK);
    CertificateAuthority next = CertificateAuthority.create(CLOCK);
    store.create(
        new CertificateBundle(
            next,
            List.of(next.certificate(), old.certificate()),
            Map.of(),
            List.of(),
            new AuthorityChange.None()));

    Certificates certificates = Certificates.ensure(store, NAMES, CLOCK);

    assertThat(Pem.certificates(certificates.caBundlePem()))
        .containsExactly(next.certificate(), old.certificate());
    assertThat(next.hasSigned(certificates.serverIdentity().certificate())).isTrue();
    assertThat(certificates.trustedClients().getAcceptedIssuers()).hasSize(2);
  }

  @Test
  void replicasThatStartAtOnceEndWithTheSameCertificates() throws Exception {
    int replicas = 8;
    CyclicBarrier start = new CyclicBarrier(replicas);
    Callable<Certificates> replica =
        () -> {
          start.await();
          return Certificates.ensure(store, NAMES, CLOCK);
        };
    try (ExecutorService pool = Executors.newFixedThreadPool(replicas)) {
      List<Future<Certificates>> started =
          Stream.generate(() -> pool.submit(replica)).limit(replicas).toList();
      Identity server = started.getFirst().get().serverIdentity();
      for (Future<Certificates> one : started) {
        assertThat(one.get().serverIdentity()).isEqualTo(server);
      }
    }
  }

  private Identity schedulerClient() {
    return store.load().orElseThrow().leaf(Purpose.SCHEDULER_CLIENT).orElseThrow();
  }

  @Test
  void aStoreThatNeverSettlesIsReportedAndNotTriedForEver() {
    CertificateStore restless =
        new CertificateStore() {
          @Override
          public String place() {
            return "nowhere";
          }

          @Override
          public Optional<CertificateBundle> load() {
            return Optional.of(CertificateBundle.of(CertificateAuthority.create(CLOCK)));
          }

          @Override
          public CertificateBundle create(CertificateBundle bundle) {
            return load().orElseThrow();
          }

          @Override
          public CertificateBundle replace(CertificateBundle previous, CertificateBundle next) {
            return load().orElseThrow();
          }
        };

    assertThatThrownBy(() -> Certificates.ensure(restless, NAMES, CLOCK))
        .isInstanceOf(CertificateIssueException.class)
        .hasMessageContaining("do all replicas use the same server names?");
  }
}
