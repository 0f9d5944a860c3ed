package io.muster.certs.x509;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Says whether a stored leaf can go on being used, and if not, why. Immutable. */
public record LeafCheck(CertificateAuthority authority, ServerNames names, Instant now) {

  /** When a leaf is due to be issued again: after two thirds of its life. */
  public static Instant renewalDue(X509Certificate leaf) {
    Instant begin = leaf.getNotBefore().toInstant();
    Duration life = Duration.between(begin, leaf.getNotAfter().toInstant());
    return begin.plus(life.multipliedBy(2).dividedBy(3));
  }

  /** Why the leaf has to be issued again; empty if it need not. */
  public Optional<String> whyReissue(Purpose purpose, Identity leaf) {
    X509Certificate certificate = leaf.certificate();
    Instant end = certificate.getNotAfter().toInstant();
    if (!authority.hasSigned(certificate)) {
      return Optional.of("it was not signed by the CA");
    }
    if (now.isBefore(certificate.getNotBefore().toInstant())) {
      return Optional.of("it is valid only from " + certificate.getNotBefore().toInstant());
    }
    if (!now.isBefore(end)) {
      return Optional.of("it expired at " + end);
    }
    // One that already ends with its authority would gain nothing.
    if (!now.isBefore(renewalDue(certificate))
        && end.isBefore(authority.certificate().getNotAfter().toInstant())) {
      return Optional.of("two thirds of its life have passed, it ends at " + end);
    }
    if (!isFor(purpose, certificate)) {
      return Optional.of("it is not meant for a " + purpose.words());
    }
    return switch (purpose) {
      case SERVER ->
          names.areCoveredBy(certificate)
              ? Optional.empty()
              : Optional.of("it does not cover all of " + names);
      case SCHEDULER_CLIENT -> Optional.empty();
    };
  }

  private static boolean isFor(Purpose purpose, X509Certificate certificate) {
    try {
      List<String> purposes = certificate.getExtendedKeyUsage();
      return purposes != null && purposes.contains(purpose.extendedKeyUsage());
    } catch (CertificateParsingException _) {
      return false;
    }
  }
}
