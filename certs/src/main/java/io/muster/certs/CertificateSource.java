package io.muster.certs;

import io.muster.certs.x509.Credentials;
import java.security.cert.X509Certificate;
import java.util.function.Predicate;

/** Where the certificates of the ports come from. */
public interface CertificateSource {

  /**
   * Checks what is there, renews what is due if that is this source's to do, and returns what the
   * ports should show and believe.
   *
   * @param settled whether all callers have been told to believe this authority, and have had the
   *     time to take it in
   * @throws InvalidCertificateException if what is there cannot be used; nothing is overwritten
   * @throws CertificateIssueException if it could not be read, or nothing could be issued or stored
   */
  Credentials refresh(Predicate<X509Certificate> settled);
}
