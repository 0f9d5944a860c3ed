package io.muster.certs.x509;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

/**
 * Certificates and private keys as PEM text. What cannot be read is refused with the number and
 * kind of the block at fault, never with its content.
 */
public final class Pem {

  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);
  private static final String CERTIFICATE = "CERTIFICATE";
  private static final String PRIVATE_KEY = "PRIVATE KEY";

  private Pem() {}

  public static String ofCertificates(Collection<X509Certificate> certificates) {
    StringBuilder text = new StringBuilder();
    for (X509Certificate certificate : certificates) {
      try {
        text.append(block(CERTIFICATE, certificate.getEncoded()));
      } catch (CertificateException e) {
        throw new InvalidCertificateException(
            "the certificate " + certificate.getSubjectX500Principal() + " has no encoding", e);
      }
    }
    return text.toString();
  }

  static String ofPrivateKey(PrivateKey key) {
    return block(PRIVATE_KEY, key.getEncoded());
  }

  /** All certificates of the text in their order; at least one. */
  public static List<X509Certificate> certificates(String text) {
    List<X509Certificate> certificates = new ArrayList<>();
    for (Block block : blocks(text)) {
      if (!block.kind().equals(CERTIFICATE)) {
        throw new InvalidCertificateException(
            block.place() + " should not be here: only certificates are expected");
      }
      certificates.add(certificate(block));
    }
    return List.copyOf(certificates);
  }

  /** The one private key of the text: PKCS#8, or the older EC and RSA forms; unencrypted. */
  public static PrivateKey privateKey(String text) {
    List<Block> keys =
        blocks(text).stream().filter(block -> !block.kind().equals("EC PARAMETERS")).toList();
    if (keys.size() != 1) {
      throw new InvalidCertificateException(
          "one private key is expected, but there are " + keys.size() + " PEM blocks");
    }
    Block block = keys.getFirst();
    if (!block.kind().endsWith(PRIVATE_KEY)) {
      throw new InvalidCertificateException(block.place() + " is not a private key");
    }
    if (block.kind().startsWith("ENCRYPTED") || block.text().contains("ENCRYPTED")) {
      throw new InvalidCertificateException(
          block.place() + " is encrypted: Muster needs it without a passphrase");
    }
    return privateKey(block);
  }

  private static X509Certificate certificate(Block block) {
    try {
      byte[] encoded = Base64.getMimeDecoder().decode(block.body());
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(encoded));
    } catch (CertificateException | IllegalArgumentException e) {
      throw new InvalidCertificateException(block.place() + " is not an X.509 certificate", e);
    }
  }

  // The causes are left out on purpose: a parser's message may quote what it could not read.
  private static PrivateKey privateKey(Block block) {
    try (PEMParser parser = new PEMParser(new StringReader(block.text()))) {
      JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
      return switch (parser.readObject()) {
        case PrivateKeyInfo key -> converter.getPrivateKey(key);
        case PEMKeyPair pair -> converter.getPrivateKey(pair.getPrivateKeyInfo());
        case null, default ->
            throw new InvalidCertificateException(block.place() + " is not a private key");
      };
    } catch (IOException | IllegalArgumentException | IllegalStateException e) {
      throw new InvalidCertificateException(
          block.place() + " cannot be read as a private key (" + e.getClass().getName() + ")");
    }
  }

  private static List<Block> blocks(String text) {
    List<Block> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(text);
    while (matcher.find()) {
      blocks.add(new Block(blocks.size() + 1, matcher.group(1), matcher.group(2)));
    }
    if (blocks.isEmpty()) {
      throw new InvalidCertificateException("there is no complete PEM block");
    }
    int begun = text.split("-----BEGIN ", -1).length - 1;
    if (begun != blocks.size()) {
      throw new InvalidCertificateException(
          String.format(
              Locale.ROOT, "%d PEM blocks begin but %d are complete", begun, blocks.size()));
    }
    return blocks;
  }

  private static String block(String kind, byte[] encoded) {
    byte[] lineEnd = "\n".getBytes(StandardCharsets.US_ASCII);
    return "-----BEGIN "
        + kind
        + "-----\n"
        + Base64.getMimeEncoder(64, lineEnd).encodeToString(encoded)
        + "\n-----END "
        + kind
        + "-----\n";
  }

  private record Block(int number, String kind, String body) {

    String place() {
      return "PEM block " + number + " (" + kind + ")";
    }

    String text() {
      return "-----BEGIN " + kind + "-----\n" + body.strip() + "\n-----END " + kind + "-----\n";
    }

    @Override
    public String toString() {
      return place();
    }
  }
}
