package io.muster.certs;

import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.CertificateBundle;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.CertificateIssueException;
import io.muster.certs.x509.Credentials;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.certs.x509.ServerNames;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Certificates of Muster's own authority, kept in a store that replicas share: a change is written
 * only over the version it was made from, and who comes second goes on with what the first wrote.
 * Everything that has to be remembered is in the store, so any replica can do the next step. Safe
 * for concurrent use.
 */
public final class OwnCertificates implements CertificateSource {

  private static final Logger LOG = LoggerFactory.getLogger(OwnCertificates.class);
  private static final int ATTEMPTS = 5;

  private final CertificateStore store;
  private final ServerNames names;
  private final InstantSource clock;
  private final AtomicReference<Optional<CertificateBundle>> last =
      new AtomicReference<>(Optional.empty());

  public OwnCertificates(CertificateStore store, ServerNames names, InstantSource clock) {
    this.store = store;
    this.names = names;
    this.clock = clock;
  }

  /**
   * Loads what is stored, or makes an authority and its leaves at the first start. What is missing
   * later is written back as it was last seen.
   */
  @Override
  public Credentials refresh(Predicate<X509Certificate> settled) {
    CertificateBundle held = store.load().orElseGet(this::begin);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      refuseIfAuthorityIsNotValid(held.authority());
      refuseIfForeign(held);
      Renewal renewal = Renewal.of(held, names, settled, clock);
      CertificateBundle stored = store.replace(held, renewal.bundle());
      if (stored.equals(renewal.bundle())) {
        renewal.reasons().forEach(OwnCertificates::log);
        last.set(Optional.of(stored));
        return stored.credentials(clock.instant());
      }
      held = stored;
    }
    throw new CertificateIssueException(
        "the stored certificates changed "
            + ATTEMPTS
            + " times while they were renewed: do all replicas use the same server names?");
  }

  private CertificateBundle begin() {
    CertificateBundle wanted =
        last.get()
            .orElseGet(() -> {
              var empty = CertificateBundle.of(CertificateAuthority.create(clock));
              return Renewal.of(empty, names, _ -> false, clock).bundle();
            });
    CertificateBundle stored = store.create(wanted);
    if (stored.equals(wanted)) {
      log(
          last.get().isPresent()
              ? "wrote the certificates back: " + store.place() + " was gone"
              : "made a CA and its certificates: none were stored");
    }
    return stored;
  }

  private static void log(String step) {
    LOG.info("Certificates changed step=\"{}\"", step);
  }

  private void refuseIfAuthorityIsNotValid(CertificateAuthority authority) {
    Instant now = clock.instant();
    Instant begin = authority.certificate().getNotBefore().toInstant();
    Instant end = authority.certificate().getNotAfter().toInstant();
    if (now.isBefore(begin) || !now.isBefore(end)) {
      throw new InvalidCertificateException(
          CertificateFault.EXPIRED,
          store.place()
              + ": the CA certificate "
              + (now.isBefore(begin)
                  ? "is valid only from "
                      + begin
                      + ", and it is "
                      + now
                      + " here: mend the clock, or"
                  : "expired at " + end + ":")
              + " remove the stored certificates so that the next start makes a new CA, then give"
              + " its certificate to everyone who trusted the old one");
    }
  }

  private void refuseIfForeign(CertificateBundle held) {
    if (last.get().filter(known -> !held.continues(known.trusted())).isPresent()) {
      throw new InvalidCertificateException(
          CertificateFault.FOREIGN,
          store.place()
              + ": "
              + held.authority().certificate().getSubjectX500Principal()
              + " is another CA than the one Muster works with, and that one does not vouch for it;"
              + " delete it and the certificates in use are written back, or restart Muster to take"
              + " the new ones over");
    }
  }
}
