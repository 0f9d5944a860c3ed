package io.muster.certs.x509;

/**
 * A certificate or key that was given to Muster cannot be used. The message says what is wrong with
 * which part and never holds key material.
 */
public final class InvalidCertificateException extends RuntimeException {

  private final CertificateFault fault;

  /** What cannot be read. */
  public InvalidCertificateException(String message) {
    this(CertificateFault.CORRUPT, message);
  }

  /** What cannot be read. */
  public InvalidCertificateException(String message, Throwable cause) {
    this(CertificateFault.CORRUPT, message, cause);
  }

  public InvalidCertificateException(CertificateFault fault, String message) {
    super(message);
    this.fault = fault;
  }

  public InvalidCertificateException(CertificateFault fault, String message, Throwable cause) {
    super(message, cause);
    this.fault = fault;
  }

  public CertificateFault fault() {
    return fault;
  }
}
