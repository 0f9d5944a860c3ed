package io.muster.certs.x509;

import java.security.cert.CertificateException;

/** The certificate of a client is not trusted; the message names its subject and what is wrong. */
public final class RefusedClientException extends CertificateException {

  private final transient ConnectionRefusal refusal;

  RefusedClientException(ConnectionRefusal refusal, String sentence) {
    super(sentence);
    this.refusal = refusal;
  }

  public ConnectionRefusal refusal() {
    return refusal;
  }
}
