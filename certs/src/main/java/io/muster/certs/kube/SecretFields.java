package io.muster.certs.kube;

import io.fabric8.kubernetes.api.model.Secret;
import io.muster.certs.Identity;
import io.muster.certs.InvalidCertificateException;
import io.muster.certs.Pem;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The PEM texts of one Secret. What cannot be read is refused in one sentence that names the
 * Secret, its key and the way out. Immutable; its text never shows a value.
 */
record SecretFields(String secret, Map<String, String> base64) {

  static final String CA_CERTIFICATE = "ca.crt";
  static final String CA_KEY = "ca.key";
  static final String CERTIFICATE = "tls.crt";
  static final String KEY = "tls.key";

  SecretFields {
    base64 = Map.copyOf(base64);
  }

  static SecretFields of(Secret secret) {
    String name = secret.getMetadata().getNamespace() + "/" + secret.getMetadata().getName();
    Map<String, String> data = secret.getData();
    return new SecretFields(name, data == null ? Map.of() : data);
  }

  List<X509Certificate> certificates(String field, String remedy) {
    return read(field, remedy, Pem::certificates);
  }

  PrivateKey privateKey(String field, String remedy) {
    return read(field, remedy, Pem::privateKey);
  }

  /** The key and certificate of the leaf; empty if neither is there. */
  Optional<Identity> leaf(String remedy) {
    if (!base64.containsKey(CERTIFICATE) && !base64.containsKey(KEY)) {
      return Optional.empty();
    }
    List<X509Certificate> chain = certificates(CERTIFICATE, remedy);
    PrivateKey key = privateKey(KEY, remedy);
    return Optional.of(identity(key, KEY, chain, remedy));
  }

  Identity identity(PrivateKey key, String keyField, List<X509Certificate> chain, String remedy) {
    try {
      return new Identity(key, chain);
    } catch (InvalidCertificateException e) {
      throw unusable(keyField, e.getMessage(), remedy, e);
    }
  }

  InvalidCertificateException unusable(
      String field, String fault, String remedy, RuntimeException cause) {
    return new InvalidCertificateException(sentence(field, fault, remedy), cause);
  }

  private String sentence(String field, String fault, String remedy) {
    return "Secret " + secret + ", key " + field + ": " + fault + "; " + remedy;
  }

  private <T> T read(String field, String remedy, Function<String, T> parse) {
    String value = base64.get(field);
    if (value == null || value.isEmpty()) {
      throw new InvalidCertificateException(sentence(field, "it is missing or empty", remedy));
    }
    try {
      return parse.apply(new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8));
    } catch (InvalidCertificateException | IllegalArgumentException e) {
      throw unusable(field, e.getMessage(), remedy, e);
    }
  }

  @Override
  public String toString() {
    return "SecretFields[" + secret + "]";
  }
}
