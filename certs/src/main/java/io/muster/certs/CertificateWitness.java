package io.muster.certs;

import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.Credentials;

/** Is told what becomes of the certificates of a running process. */
public interface CertificateWitness {

  /** These are shown and believed from now on. */
  void adopted(Credentials credentials);

  /** What was found is not taken over; said at every check as long as it is so. */
  void refused(CertificateFault fault, String sentence);
}
