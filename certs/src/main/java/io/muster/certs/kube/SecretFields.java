package io.muster.certs.kube;

import io.fabric8.kubernetes.api.model.Secret;
import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.CertificateFault;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.InvalidCertificateException;
import io.muster.certs.x509.Pem;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

  /** The CA that is trusted already and is to issue next. */
  static final String NEXT_CERTIFICATE = "ca-next.crt";

  static final String NEXT_KEY = "ca-next.key";

  /** What former CAs signed for their successors, the latest first. */
  static final String BRIDGES = "ca-bridges.crt";

  /** An instant: until then the former CA is trusted. */
  static final String OVERLAP_UNTIL = "overlap-until";

  private static final Set<String> ALL =
      Set.of(
          CA_CERTIFICATE,
          CA_KEY,
          CERTIFICATE,
          KEY,
          NEXT_CERTIFICATE,
          NEXT_KEY,
          BRIDGES,
          OVERLAP_UNTIL);

  SecretFields {
    base64 = Map.copyOf(base64);
  }

  static SecretFields of(Secret secret) {
    String name = secret.getMetadata().getNamespace() + "/" + secret.getMetadata().getName();
    Map<String, String> data = secret.getData();
    return new SecretFields(name, data == null ? Map.of() : data);
  }

  /** Fields to be written: these texts and the leaf. */
  static SecretFields of(Map<String, String> texts, Optional<Identity> leaf) {
    Map<String, String> all = new HashMap<>(texts);
    leaf.ifPresent(identity -> {
      all.put(CERTIFICATE, identity.chainPem());
      all.put(KEY, identity.keyPem());
    });
    Base64.Encoder base64 = Base64.getEncoder();
    all.replaceAll((_, text) -> base64.encodeToString(text.getBytes(StandardCharsets.US_ASCII)));
    return new SecretFields("", all);
  }

  /** These in place of what stands there of ours; what others put there stays. */
  Map<String, String> over(Map<String, String> present) {
    Map<String, String> all = new HashMap<>(present);
    all.keySet().removeAll(ALL);
    all.putAll(base64);
    return all;
  }

  boolean has(String field) {
    return base64.containsKey(field);
  }

  List<X509Certificate> certificates(String field, String remedy) {
    return read(field, remedy, Pem::certificates);
  }

  PrivateKey privateKey(String field, String remedy) {
    return read(field, remedy, Pem::privateKey);
  }

  Instant instant(String field, String remedy) {
    return read(
        field,
        remedy,
        text -> {
          try {
            return Instant.parse(text.strip());
          } catch (DateTimeParseException e) {
            throw new InvalidCertificateException("it is not an instant", e);
          }
        });
  }

  /** The key and certificate of the leaf; empty if neither is there. */
  Optional<Identity> leaf(String remedy) {
    if (!has(CERTIFICATE) && !has(KEY)) {
      return Optional.empty();
    }
    List<X509Certificate> chain = certificates(CERTIFICATE, remedy);
    return Optional.of(identity(chain, KEY, remedy));
  }

  /** The authority of this certificate, with the key in that field. */
  CertificateAuthority authority(
      X509Certificate certificate, String field, String keyField, String remedy) {
    Identity identity = identity(List.of(certificate), keyField, remedy);
    try {
      return new CertificateAuthority(identity);
    } catch (InvalidCertificateException e) {
      throw unusable(field, remedy, e);
    }
  }

  private Identity identity(List<X509Certificate> chain, String keyField, String remedy) {
    PrivateKey key = privateKey(keyField, remedy);
    try {
      return new Identity(key, chain);
    } catch (InvalidCertificateException e) {
      throw unusable(keyField, remedy, e);
    }
  }

  InvalidCertificateException unusable(
      String field, String remedy, InvalidCertificateException cause) {
    return new InvalidCertificateException(
        cause.fault(), sentence(field, cause.getMessage(), remedy), cause);
  }

  /** What is wrong with a field beyond its form. */
  InvalidCertificateException refusal(
      CertificateFault fault, String field, String problem, String remedy) {
    return new InvalidCertificateException(fault, sentence(field, problem, remedy));
  }

  private String sentence(String field, String problem, String remedy) {
    return "Secret " + secret + ", key " + field + ": " + problem + "; " + remedy;
  }

  private <T> T read(String field, String remedy, Function<String, T> parse) {
    String value = base64.get(field);
    if (value == null || value.isEmpty()) {
      throw refusal(CertificateFault.MISSING, field, "it is missing or empty", remedy);
    }
    try {
      return parse.apply(new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8));
    } catch (InvalidCertificateException e) {
      throw unusable(field, remedy, e);
    } catch (IllegalArgumentException _) {
      throw refusal(CertificateFault.CORRUPT, field, "it is not base64", remedy);
    }
  }

  @Override
  public String toString() {
    return "SecretFields[" + secret + "]";
  }
}
