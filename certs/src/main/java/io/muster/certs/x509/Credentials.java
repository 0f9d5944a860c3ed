package io.muster.certs.x509;

import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * What the TLS ports of a process show and believe. Immutable.
 *
 * @param server shown by all ports, its own certificate first
 * @param authorities by which callers are to verify the server
 * @param clientAuthorities by which the extender's port verifies its callers
 * @param schedulerClient what kube-scheduler shows, if that is known here
 */
public record Credentials(
    Identity server,
    List<X509Certificate> authorities,
    List<X509Certificate> clientAuthorities,
    Optional<X509Certificate> schedulerClient) {

  public Credentials {
    authorities = List.copyOf(authorities);
    clientAuthorities = List.copyOf(clientAuthorities);
    if (authorities.isEmpty() || clientAuthorities.isEmpty()) {
      throw new InvalidCertificateException(
          CertificateFault.MISSING, "there is no authority to verify certificates by");
    }
  }
}
