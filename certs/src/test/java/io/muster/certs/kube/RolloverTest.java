package io.muster.certs.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.fabric8.kubernetes.api.model.Secret;
import io.muster.certs.Rotation;
import io.muster.certs.x509.AuthorityChange;
import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.CertificateBundle;
import io.muster.certs.x509.Pem;
import io.muster.certs.x509.Purpose;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A change of CA with two replicas, in virtual time. After every look of any of them: whatever an
 * apiserver may believe that learns of changes within a period, it accepts what each replica shows;
 * so does a kube-scheduler that knows the first CA alone; and each replica lets in every client
 * certificate that was ever handed out and has not ended by any clock.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class RolloverTest {

  /** The rollover makes fewer writes than this, from the announcement to its end. */
  private static final int WRITES = 12;

  private static final Duration LAG = FakeReplica.PERIOD;

  private final FakeCluster cluster = new FakeCluster();
  private final SecretCertificateStore store = new SecretCertificateStore(cluster);
  private final List<Optional<FakeReplica>> replicas = new ArrayList<>();
  private final List<Duration> ahead = new ArrayList<>();
  private final Set<List<X509Certificate>> clients = new LinkedHashSet<>();
  private final Set<List<?>> verified = new HashSet<>();
  private X509Certificate first;

  /** Each write: killed before it and back at once; killed just after it and back later. */
  static Stream<Arguments> kills() {
    return IntStream.rangeClosed(1, WRITES)
        .boxed()
        .flatMap(write -> Stream.of(Arguments.of(write, true, 0), Arguments.of(write, false, 3)));
  }

  @ParameterizedTest
  @MethodSource("kills")
  void goesOnWhereverAProcessIsKilled(int write, boolean before, int periodsDown) {
    startTwo(Duration.ZERO);
    cluster.killAtWrite(write, before);
    ask(new Rotation.Authority());

    runToTheEnd(periodsDown);

    assertThatTheNextAuthorityStandsAlone();
  }

  @Test
  void makesFewerWritesThanAreKilledAt() {
    startTwo(Duration.ZERO);
    cluster.killAtWrite(WRITES, true);
    ask(new Rotation.Authority());

    runToTheEnd(0);

    assertThat(cluster.hasKilled()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {-55, -20, 20, 55})
  void clocksMayDifferByAlmostAnHour(int minutes) {
    startTwo(Duration.ofMinutes(minutes));
    String leaf = text(SecretCertificateStore.CERTIFICATES, "tls.crt");
    periods(5, 0);
    assertThat(text(SecretCertificateStore.CERTIFICATES, "tls.crt")).isEqualTo(leaf);

    ask(new Rotation.Authority());
    runToTheEnd(0);

    assertThatTheNextAuthorityStandsAlone();
  }

  /** In which the next authority was announced, and begins years from now. */
  @Test
  void aClockThatWasYearsAheadForAMomentHoldsUpNoRenewal() {
    startTwo(Duration.ZERO);
    periods(3, 0);
    Duration step = Duration.ofDays(3400);

    cluster.pass(step);
    act(0);
    cluster.pass(step.negated());
    act(0);
    runToTheEnd(0);

    CertificateBundle held = store.load().orElseThrow();
    assertThat(CertificateAuthority.generation(held.authority().certificate())).hasValue(1);
    assertThat(replicas).allMatch(replica -> replica.orElseThrow().refusals().isEmpty());
  }

  @Test
  void leavesAreRenewedAllTheirLivesAndTheAuthorityGetsASuccessorByItself() {
    startTwo(Duration.ZERO);
    Instant end = first.getNotAfter().toInstant();

    while (cluster.instant().isBefore(end.plus(Duration.ofDays(200)))) {
      cluster.pass(Duration.ofDays(29));
      periods(2, 0);
    }

    CertificateBundle held = store.load().orElseThrow();
    assertThat(CertificateAuthority.generation(held.authority().certificate())).hasValue(2);
    assertThat(held.change()).isEqualTo(new AuthorityChange.None());
    assertThat(replicas).allMatch(replica -> replica.orElseThrow().refusals().isEmpty());
  }

  @Test
  void whoKnowsAnAuthorityThreeChangesBackIsServedAndTheChainGrowsNoLonger() {
    startTwo(Duration.ZERO);
    change();
    X509Certificate second = store.load().orElseThrow().authority().certificate();
    change();
    change();
    assertThat(shown(replicas.getFirst().orElseThrow())).hasSize(1 + 3);

    first = second;
    change();

    assertThat(shown(replicas.getFirst().orElseThrow())).hasSize(1 + 3);
  }

  /** Without waiting for the end of the former authority's leaves. */
  private void change() {
    ask(new Rotation.Authority());
    periods(6, 0);
    clients.clear();
    ask(new Rotation.EndOfOverlap());
    periods(6, 0);
  }

  private void startTwo(Duration secondAhead) {
    ahead.add(Duration.ZERO);
    ahead.add(secondAhead);
    ahead.forEach(time -> replicas.add(Optional.of(FakeReplica.start(cluster, time))));
    first = store.load().orElseThrow().authority().certificate();
    check();
  }

  /** As the command does it, again if it dies. */
  private void ask(Rotation rotation) {
    try {
      CertificateBundle held = store.load().orElseThrow();
      store.replace(held, rotation.of(held, cluster));
    } catch (FakeCluster.Killed _) {
      CertificateBundle held = store.load().orElseThrow();
      if (held.change() instanceof AuthorityChange.None) {
        ask(rotation);
      }
    }
    check();
  }

  private void runToTheEnd(int periodsDown) {
    periods(12, periodsDown);
    Instant end = cluster.instant().plus(Duration.ofDays(91));
    while (cluster.instant().isBefore(end)) {
      cluster.pass(Duration.ofDays(10));
      periods(periodsDown + 2, periodsDown);
    }
    periods(12, periodsDown);
  }

  /** Each replica looks once a period, one after the other; a dead one starts again in time. */
  private void periods(int number, int periodsDown) {
    for (int period = 0; period < number + periodsDown; period++) {
      for (int i = 0; i < replicas.size(); i++) {
        cluster.pass(FakeReplica.PERIOD.dividedBy(replicas.size()));
        act(i);
        check();
      }
      if (period % (periodsDown + 1) == periodsDown) {
        for (int i = 0; i < replicas.size(); i++) {
          restartIfDead(i);
        }
        check();
      }
    }
  }

  private void act(int i) {
    try {
      replicas.get(i).ifPresent(FakeReplica::check);
    } catch (FakeCluster.Killed _) {
      replicas.set(i, Optional.empty());
    }
  }

  private void restartIfDead(int i) {
    if (replicas.get(i).isEmpty()) {
      try {
        replicas.set(i, Optional.of(FakeReplica.start(cluster, ahead.get(i))));
      } catch (FakeCluster.Killed _) {
        // Again in the next round.
      }
    }
  }

  private void check() {
    client().ifPresent(clients::add);
    for (Optional<FakeReplica> living : replicas) {
      if (living.isEmpty()) {
        continue;
      }
      FakeReplica replica = living.get();
      cluster
          .believed(LAG)
          .forEach(view ->
              assertThatCode(() -> verify(shown(replica), view))
                  .as("apiserver that trusts %s", names(view))
                  .doesNotThrowAnyException());
      if (cluster.instant().isBefore(first.getNotAfter().toInstant())) {
        assertThatCode(() -> verify(shown(replica), List.of(first)))
            .as("kube-scheduler that knows the first CA")
            .doesNotThrowAnyException();
      }
      clients.stream()
          .filter(chain ->
              cluster
                  .instant()
                  .plus(CertificateAuthority.BACKDATED)
                  .isBefore(chain.getFirst().getNotAfter().toInstant()))
          .forEach(chain ->
              assertThatCode(() ->
                      replica
                          .certificates()
                          .trustedClients()
                          .checkClientTrusted(chain.toArray(X509Certificate[]::new), "EC"))
                  .as("kube-scheduler with %s", chain.getFirst().getIssuerX500Principal())
                  .doesNotThrowAnyException());
    }
  }

  private Optional<List<X509Certificate>> client() {
    return cluster
        .get(SecretCertificateStore.SCHEDULER_CLIENT)
        .map(_ -> Pem.certificates(text(SecretCertificateStore.SCHEDULER_CLIENT, "tls.crt")));
  }

  private static List<X509Certificate> shown(FakeReplica replica) {
    return replica.certificates().serverIdentity().chain();
  }

  private static List<String> names(List<X509Certificate> certificates) {
    return certificates.stream().map(ca -> ca.getSubjectX500Principal().getName()).toList();
  }

  private void verify(List<X509Certificate> shown, List<X509Certificate> trusted)
      throws GeneralSecurityException {
    if (!verified.add(List.of(shown, trusted, cluster.instant().truncatedTo(ChronoUnit.DAYS)))) {
      return;
    }
    GeneralSecurityException last = new GeneralSecurityException("nothing was shown");
    // As a client builds it: as much of the chain as is needed.
    for (int length = 1; length <= shown.size(); length++) {
      try {
        PKIXParameters parameters =
            new PKIXParameters(
                trusted.stream().map(ca -> new TrustAnchor(ca, null)).collect(Collectors.toSet()));
        parameters.setRevocationEnabled(false);
        parameters.setDate(Date.from(cluster.instant()));
        CertPathValidator.getInstance("PKIX")
            .validate(
                CertificateFactory.getInstance("X.509").generateCertPath(shown.subList(0, length)),
                parameters);
        return;
      } catch (GeneralSecurityException e) {
        last = e;
      }
    }
    throw last;
  }

  private void assertThatTheNextAuthorityStandsAlone() {
    CertificateBundle held = store.load().orElseThrow();
    X509Certificate authority = held.authority().certificate();
    assertThat(CertificateAuthority.generation(authority)).hasValue(2);
    assertThat(held.change()).isEqualTo(new AuthorityChange.None());
    assertThat(held.trusted()).containsExactly(authority);
    assertThat(cluster.believed(Duration.ZERO)).containsExactly(List.of(authority));
    assertThat(Pem.certificates(text(SecretCertificateStore.SCHEDULER_CLIENT, "ca.crt")))
        .containsExactly(authority);
    for (Purpose purpose : Purpose.values()) {
      assertThat(held.authority().hasSigned(held.leaf(purpose).orElseThrow().certificate()))
          .isTrue();
    }
    assertThat(replicas)
        .allSatisfy(replica ->
            assertThat(replica.orElseThrow().certificates().current().authorities())
                .containsExactly(authority));
  }

  private String text(String name, String field) {
    Secret secret = cluster.get(name).orElseThrow();
    return new String(
        Base64.getDecoder().decode(secret.getData().get(field)), StandardCharsets.UTF_8);
  }
}
