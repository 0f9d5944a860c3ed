package io.muster.certs.x509;

/** Why a TLS connection did not come about; a closed set, for metrics. */
public enum ConnectionRefusal {
  /** The caller showed no certificate. */
  NO_CERTIFICATE,
  /** The caller's certificate is of an authority that is not trusted, or is none of a leaf. */
  UNKNOWN_AUTHORITY,
  /** The caller's certificate, or one above it, has ended or is not valid yet. */
  EXPIRED,
  /** The caller's certificate is not made for clients. */
  WRONG_PURPOSE,
  /** The caller's certificate names somebody who may not call. */
  WRONG_SUBJECT,
  /** The caller did not accept the certificate that it was shown. */
  DISTRUSTED,
  /** Anything else: no TLS at all, a version or cipher that is not offered, a broken connection. */
  OTHER
}
