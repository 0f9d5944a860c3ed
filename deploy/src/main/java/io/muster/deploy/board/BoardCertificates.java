package io.muster.deploy.board;

import io.muster.certs.CertificateSource;
import io.muster.certs.CertificateWitness;
import io.muster.certs.Certificates;
import io.muster.certs.InMemoryCertificateStore;
import io.muster.certs.OwnCertificates;
import io.muster.certs.TrustRegistry;
import io.muster.certs.Upkeep;
import io.muster.certs.file.GivenFiles;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.Credentials;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.certs.x509.ServerNames;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate of the board's port in the cluster: that of a directory, or one that is made at
 * the start and lives as long as the process. Safe for concurrent use.
 */
final class BoardCertificates implements AutoCloseable {

  static final String SERVICE = "muster-board";

  private static final Logger LOG = LoggerFactory.getLogger(BoardCertificates.class);
  private static final Duration CHECK = Duration.ofMinutes(1);

  private final Certificates certificates;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("muster-board-certificates").factory());

  /**
   * @param directory with tls.crt and tls.key; empty: a certificate that no browser knows is made
   * @throws InvalidCertificateException if what is there cannot be used
   */
  BoardCertificates(Optional<Path> directory, String namespace, InstantSource clock) {
    var source =
        directory
            .<CertificateSource>map(given -> new GivenFiles(given, clock))
            .orElseGet(() ->
                new OwnCertificates(
                    new InMemoryCertificateStore(),
                    ServerNames.ofService(SERVICE, namespace)
                        .and(ServerNames.of("localhost", "127.0.0.1")),
                    clock));
    this.certificates = new Certificates(source.refresh(_ -> false), Set.of(), clock);
    var upkeep =
        new Upkeep(
            source, certificates, new NobodyToTell(), new Log(), clock, CHECK.multipliedBy(2));
    var _ =
        timer.scheduleWithFixedDelay(
            upkeep::check, CHECK.toSeconds(), CHECK.toSeconds(), TimeUnit.SECONDS);
  }

  Certificates certificates() {
    return certificates;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }

  /** Browsers believe whom they believe. */
  private static final class NobodyToTell implements TrustRegistry {

    @Override
    public Optional<List<X509Certificate>> told() {
      return Optional.empty();
    }

    @Override
    public void tell(List<X509Certificate> authorities) {
      throw new IllegalStateException("nobody is told");
    }
  }

  private static final class Log implements CertificateWitness {

    @Override
    public void adopted(Credentials credentials) {
      LOG.atInfo()
          .addKeyValue("until", credentials.server().certificate().getNotAfter().toInstant())
          .log("certificate in use");
    }

    @Override
    public void refused(CertificateFault fault, String sentence) {
      LOG.atWarn().addKeyValue("message", sentence).log("a new certificate is not taken over");
    }
  }
}
