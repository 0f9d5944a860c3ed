package io.muster.certs.kube;

import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.Purpose;
import io.muster.certs.x509.ServerNames;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A server's certificate from elsewhere, its own first, and who is to be able to verify it. */
record GivenLeaf(List<X509Certificate> chain, List<X509Certificate> authorities) {

  /** What is wrong with it. */
  record Wrong(CertificateFault fault, String problem) {}

  /** Why callers that trust the authorities would not accept it at that moment, by those names. */
  Optional<Wrong> fault(Instant at, Set<String> names) {
    X509Certificate own = chain.getFirst();
    try {
      List<String> purposes = own.getExtendedKeyUsage();
      if (purposes != null && !purposes.contains(Purpose.SERVER.extendedKeyUsage())) {
        return wrong(CertificateFault.UNFIT, "it is not made for servers (no serverAuth usage)");
      }
      List<String> missing = missing(ServerNames.dnsNamesOf(own), names);
      if (!missing.isEmpty()) {
        return wrong(
            CertificateFault.UNFIT,
            "it is not for %s, the name that callers verify it by"
                .formatted(String.join(" and ", missing)));
      }
    } catch (CertificateParsingException e) {
      return wrong(CertificateFault.CORRUPT, "its usage cannot be read: " + e.getMessage());
    }
    // Java believes in an authority that has ended; Go, in which the callers are written, does not.
    List<X509Certificate> valid =
        authorities.stream().filter(authority -> isValid(authority, at)).toList();
    return unverified(at, authorities)
        .or(() ->
            unverified(at, valid)
                .map(_ ->
                    new Wrong(
                        CertificateFault.EXPIRED,
                        "the authority in ca.crt that it leads to is not valid now")));
  }

  private static boolean isValid(X509Certificate certificate, Instant at) {
    return !at.isBefore(certificate.getNotBefore().toInstant())
        && !at.isAfter(certificate.getNotAfter().toInstant());
  }

  /** Why it leads to none of these. */
  private Optional<Wrong> unverified(Instant at, List<X509Certificate> anchors) {
    try {
      List<X509Certificate> path =
          chain.stream().filter(certificate -> !anchors.contains(certificate)).toList();
      CertificateAuthority.verify(path, anchors, at);
      return Optional.empty();
    } catch (CertPathValidatorException e) {
      if (e.getReason() == BasicReason.EXPIRED) {
        return wrong(CertificateFault.EXPIRED, "it, or one above it, expired: " + e.getMessage());
      }
      if (e.getReason() == BasicReason.NOT_YET_VALID) {
        return wrong(CertificateFault.EXPIRED, "it is not valid yet: " + e.getMessage());
      }
      return wrong(
          CertificateFault.FOREIGN,
          "it does not lead to an authority in ca.crt: " + e.getMessage());
    } catch (GeneralSecurityException e) {
      return wrong(CertificateFault.UNFIT, "it cannot be verified: " + e.getMessage());
    }
  }

  /** Those that the certificate is not for; a wildcard stands for the first label alone. */
  static List<String> missing(Set<String> shown, Set<String> names) {
    return names.stream()
        .filter(name -> !shown.contains(name) && !shown.contains(name.replaceFirst("[^.]+", "*")))
        .sorted()
        .toList();
  }

  private static Optional<Wrong> wrong(CertificateFault fault, String problem) {
    return Optional.of(new Wrong(fault, problem));
  }
}
