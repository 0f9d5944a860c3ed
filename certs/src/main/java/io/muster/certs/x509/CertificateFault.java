package io.muster.certs.x509;

/** Why stored certificates are not taken over; a closed set, for metrics and events. */
public enum CertificateFault {
  /** Not readable as certificates or keys, or a key that does not belong to its certificate. */
  CORRUPT,
  /** Something that has to be there is not. */
  MISSING,
  /** Ended, or not valid yet. */
  EXPIRED,
  /** Of an authority that nothing vouches for. */
  FOREIGN,
  /** Not made for this use. */
  UNFIT,
  /** The place where they are kept did not answer, or did not let Muster in. */
  UNREACHABLE,
  /** A fault of Muster's own. */
  INTERNAL
}
