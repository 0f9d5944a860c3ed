package io.muster.certs.kube;

import io.muster.certs.CertificateSource;
import io.muster.certs.CertificateWitness;
import io.muster.certs.Certificates;
import io.muster.certs.OwnCertificates;
import io.muster.certs.Upkeep;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.Credentials;
import io.muster.certs.x509.ServerNames;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One Muster process in a {@link FakeCluster}, as the program puts it together. */
final class FakeReplica implements CertificateWitness {

  static final Duration PERIOD = Duration.ofSeconds(30);
  static final Duration SETTLING = PERIOD.multipliedBy(2);
  static final ServerNames NAMES = ServerNames.of("localhost", "127.0.0.1");

  private final Certificates certificates;
  private final Upkeep upkeep;
  private final List<CertificateFault> refusals = new ArrayList<>();
  private final Map<CertificateFault, String> reasons = new EnumMap<>(CertificateFault.class);

  private FakeReplica(FakeCluster cluster, CertificateSource source, InstantSource clock) {
    this.certificates =
        new Certificates(
            source.refresh(_ -> false), Set.of(Certificates.SCHEDULER_CLIENT_NAME), clock);
    var registry = cluster.registry();
    Set<X509Certificate> told = new LinkedHashSet<>(certificates.current().authorities());
    registry.told().ifPresent(told::addAll);
    if (!registry.told().map(Set::copyOf).equals(Optional.of(Set.copyOf(told)))) {
      cluster.register(List.copyOf(told));
    }
    this.upkeep = new Upkeep(source, certificates, registry, this, clock, SETTLING);
  }

  /** One that works with Muster's own CA, its clock ahead by this much. */
  static FakeReplica start(FakeCluster cluster, Duration ahead) {
    InstantSource clock = () -> cluster.instant().plus(ahead);
    return new FakeReplica(
        cluster, new OwnCertificates(new SecretCertificateStore(cluster), NAMES, clock), clock);
  }

  /** One that is given its certificates. */
  static FakeReplica given(FakeCluster cluster, String server, String clients) {
    return new FakeReplica(
        cluster, new GivenSecrets(cluster, server, clients, Set.of("localhost"), cluster), cluster);
  }

  void check() {
    upkeep.check();
  }

  Certificates certificates() {
    return certificates;
  }

  /** Why it took something not over, look by look. */
  List<CertificateFault> refusals() {
    return refusals;
  }

  /** The sentences, the last one of each kind. */
  Map<CertificateFault, String> reasons() {
    return reasons;
  }

  @Override
  public void adopted(Credentials credentials) {}

  @Override
  public void refused(CertificateFault fault, String sentence) {
    refusals.add(fault);
    reasons.put(fault, sentence);
  }
}
