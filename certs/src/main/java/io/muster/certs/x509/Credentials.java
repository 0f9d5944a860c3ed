package io.muster.certs.x509;

import java.security.cert.X509Certificate;
import java.util.List;

/**
 * What the TLS ports of a process show and believe. Immutable.
 *
 * @param server shown by all ports, its own certificate first
 * @param authorities by which callers are to verify the server
 * @param clientAuthorities by which the extender's port verifies its callers
 * @param schedulerClient what kube-scheduler shows, its own certificate first; empty if that is not
 *     known here
 */
public record Credentials(
    Identity server,
    List<X509Certificate> authorities,
    List<X509Certificate> clientAuthorities,
    List<X509Certificate> schedulerClient) {

  public Credentials {
    authorities = List.copyOf(authorities);
    clientAuthorities = List.copyOf(clientAuthorities);
    schedulerClient = List.copyOf(schedulerClient);
    if (authorities.isEmpty() || clientAuthorities.isEmpty()) {
      throw new InvalidCertificateException(
          CertificateFault.MISSING, "there is no authority to verify certificates by");
    }
  }
}
