package io.muster.certs;

import java.security.cert.X509Certificate;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything a store holds: the authority that issues, the authorities that are trusted (the
 * issuing one first; more than one only while authorities change), and the leaves issued so far. A
 * leaf that is missing is issued at the next start. Immutable.
 */
public record CertificateBundle(
    CertificateAuthority authority, List<X509Certificate> trusted, Map<Purpose, Identity> leaves) {

  public CertificateBundle {
    trusted = List.copyOf(trusted);
    leaves = Map.copyOf(leaves);
    if (trusted.isEmpty() || !trusted.getFirst().equals(authority.certificate())) {
      throw new InvalidCertificateException("the issuing CA is not the first of those trusted");
    }
  }

  /** A bundle of one authority, trusted alone, that has issued nothing yet. */
  public static CertificateBundle of(CertificateAuthority authority) {
    return new CertificateBundle(authority, List.of(authority.certificate()), Map.of());
  }

  public Optional<Identity> leaf(Purpose purpose) {
    return Optional.ofNullable(leaves.get(purpose));
  }

  /** The same bundle with this leaf in place of the one it had. */
  public CertificateBundle with(Purpose purpose, Identity leaf) {
    Map<Purpose, Identity> changed = new EnumMap<>(Purpose.class);
    changed.putAll(leaves);
    changed.put(purpose, leaf);
    return new CertificateBundle(authority, trusted, changed);
  }

  /** The trusted authorities as PEM, for whoever verifies Muster's servers. */
  public String trustedPem() {
    return Pem.ofCertificates(trusted);
  }
}
