package io.muster.certs;

/**
 * A certificate or key that was given to Muster cannot be used. The message says what is wrong with
 * which part and never holds key material.
 */
public final class InvalidCertificateException extends RuntimeException {

  public InvalidCertificateException(String message) {
    super(message);
  }

  public InvalidCertificateException(String message, Throwable cause) {
    super(message, cause);
  }
}
