package io.muster.certs.x509;

/** No certificate could be issued or stored, so no TLS port can be opened. */
public final class CertificateIssueException extends RuntimeException {

  public CertificateIssueException(String message) {
    super(message);
  }

  public CertificateIssueException(String message, Throwable cause) {
    super(message, cause);
  }
}
