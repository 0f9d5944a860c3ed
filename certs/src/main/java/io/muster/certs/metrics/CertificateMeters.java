package io.muster.certs.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.muster.certs.CertificateWitness;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.ConnectionRefusal;
import io.muster.certs.x509.Credentials;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * Meters of the certificates in use, and of connections that did not come about. Every label comes
 * from a closed set and every meter exists from the start. Safe for concurrent use.
 */
public final class CertificateMeters implements CertificateWitness {

  private final AtomicReference<Optional<Credentials>> current =
      new AtomicReference<>(Optional.empty());
  private final Map<CertificateFault, Counter> refusals = new EnumMap<>(CertificateFault.class);
  private final Map<ConnectionRefusal, Counter> connections =
      new EnumMap<>(ConnectionRefusal.class);
  private final InstantSource clock;

  public CertificateMeters(MeterRegistry registry, InstantSource clock) {
    this.clock = clock;
    expiry(registry, "server", used -> Optional.of(used.server().certificate()));
    expiry(
        registry,
        "scheduler_client",
        credentials -> credentials.schedulerClient().stream().findFirst());
    expiry(registry, "ca", used -> Optional.of(used.authorities().getFirst()));
    for (var fault : CertificateFault.values()) {
      refusals.put(
          fault,
          Counter.builder("muster.certificate.refusals")
              .description("Checks at which Muster did not take over the stored certificates.")
              .tag("cause", word(fault))
              .register(registry));
    }
    for (var refusal : ConnectionRefusal.values()) {
      connections.put(
          refusal,
          Counter.builder("muster.extender.refused.connections")
              .description("Connections to the extender's port that were refused or interrupted.")
              .tag("cause", word(refusal))
              .register(registry));
    }
  }

  @Override
  public void adopted(Credentials credentials) {
    current.set(Optional.of(credentials));
  }

  @Override
  public void refused(CertificateFault fault, String sentence) {
    refusals.get(fault).increment();
  }

  /** A connection to the extender's port did not come about. */
  public void refusedConnection(ConnectionRefusal refusal) {
    connections.get(refusal).increment();
  }

  private void expiry(
      MeterRegistry registry,
      String purpose,
      Function<Credentials, Optional<X509Certificate>> certificate) {
    Gauge.builder(
            "muster.certificate.expiry",
            () -> current.get().flatMap(certificate).map(this::secondsLeft).orElse(Double.NaN))
        .baseUnit("seconds")
        .description("Time until the certificate in use expires; NaN if it is not known.")
        .tag("purpose", purpose)
        .strongReference(true)
        .register(registry);
  }

  private double secondsLeft(X509Certificate certificate) {
    return Duration.between(clock.instant(), certificate.getNotAfter().toInstant()).toSeconds();
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
