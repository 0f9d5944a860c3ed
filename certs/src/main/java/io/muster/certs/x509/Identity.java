package io.muster.certs.x509;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;

/**
 * A private key and the certificates that speak for it, the key's own first. Invariant: the key
 * belongs to the first certificate. Immutable; its text never shows the key.
 */
public record Identity(PrivateKey key, List<X509Certificate> chain) {

  private static final byte[] PROBE = {'m', 'u', 's', 't', 'e', 'r'};

  public Identity {
    chain = List.copyOf(chain);
    if (chain.isEmpty()) {
      throw new InvalidCertificateException("there is no certificate for the private key");
    }
    if (!belongs(key, chain.getFirst())) {
      throw new InvalidCertificateException(
          "the private key does not belong to the certificate "
              + chain.getFirst().getSubjectX500Principal());
    }
  }

  public X509Certificate certificate() {
    return chain.getFirst();
  }

  /** The certificates as PEM, the key's own first. */
  public String chainPem() {
    return Pem.ofCertificates(chain);
  }

  /** The private key as unencrypted PKCS#8 PEM: for a Secret, never for a log. */
  public String keyPem() {
    return Pem.ofPrivateKey(key);
  }

  @Override
  public String toString() {
    return "Identity["
        + certificate().getSubjectX500Principal()
        + ", serial "
        + certificate().getSerialNumber().toString(16)
        + ", until "
        + certificate().getNotAfter().toInstant()
        + "]";
  }

  private static boolean belongs(PrivateKey key, X509Certificate certificate) {
    if (!key.getAlgorithm().equals(certificate.getPublicKey().getAlgorithm())) {
      return false;
    }
    try {
      Signature signature = Signature.getInstance(signatureFor(key));
      signature.initSign(key);
      signature.update(PROBE);
      byte[] signed = signature.sign();
      signature.initVerify(certificate.getPublicKey());
      signature.update(PROBE);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      throw new InvalidCertificateException(
          "the private key cannot be compared with its certificate", e);
    }
  }

  /** The JCA name of the signature that a key of this kind makes. */
  static String signatureFor(PrivateKey key) {
    return switch (key.getAlgorithm()) {
      case "EC" -> "SHA256withECDSA";
      case "RSA" -> "SHA256withRSA";
      case "EdDSA" -> "EdDSA";
      case String other ->
          throw new InvalidCertificateException(
              "keys of the kind " + other + " are not supported, use EC, RSA or Ed25519");
    };
  }
}
