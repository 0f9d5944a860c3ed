package io.muster.certs.x509;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringWriter;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.util.io.pem.PemObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemTest {

  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-11-21T08:00:00Z"));

  private final CertificateAuthority authority = CertificateAuthority.create(CLOCK);
  private final Identity leaf = authority.issueServer(ServerNames.of("muster"), CLOCK);

  @Test
  void certificatesAndKeySurviveTheRoundTrip() {
    List<X509Certificate> chain = List.of(leaf.certificate(), authority.certificate());

    List<X509Certificate> read = Pem.certificates(Pem.ofCertificates(chain));
    PrivateKey key = Pem.privateKey(leaf.keyPem());

    assertThat(read).isEqualTo(chain);
    assertThat(new Identity(key, read)).isEqualTo(new Identity(leaf.key(), chain));
  }

  @Test
  void readsCertificatesWithTextAroundThem() {
    String text = "subject: Muster\r\n" + leaf.chainPem().replace("\n", "\r\n") + "the end";

    assertThat(Pem.certificates(text)).containsExactly(leaf.certificate());
  }

  @Test
  void readsTheOlderFormOfRsaKeys() throws Exception {
    KeyPair keys = KeyPairGenerator.getInstance("RSA").generateKeyPair();

    String text = pem(keys.getPrivate());

    assertThat(text).contains("BEGIN RSA PRIVATE KEY");
    assertThat(Pem.privateKey(text)).isEqualTo(keys.getPrivate());
  }

  @Test
  void readsTheOlderFormOfEcKeysWithTheirParametersBefore() throws Exception {
    ECPrivateKey key = (ECPrivateKey) leaf.key();
    ASN1Encodable curve =
        PrivateKeyInfo.getInstance(key.getEncoded()).getPrivateKeyAlgorithm().getParameters();
    var sec1 = new org.bouncycastle.asn1.sec.ECPrivateKey(256, key.getS(), curve);

    String text =
        pem(new PemObject("EC PARAMETERS", curve.toASN1Primitive().getEncoded()))
            + pem(new PemObject("EC PRIVATE KEY", sec1.getEncoded()));

    assertThat(((ECPrivateKey) Pem.privateKey(text)).getS()).isEqualTo(key.getS());
  }

  @Test
  void namesTheBlockThatIsNoCertificate() {
    String broken = "-----BEGIN CERTIFICATE-----\nZ2FyYmFnZQ==\n-----END CERTIFICATE-----\n";

    assertThatThrownBy(() -> Pem.certificates(leaf.chainPem() + broken))
        .isInstanceOf(InvalidCertificateException.class)
        .hasMessage("PEM block 2 (CERTIFICATE) is not an X.509 certificate");
  }

  @Test
  void refusesAKeyAmongCertificates() {
    assertThatThrownBy(() -> Pem.certificates(leaf.chainPem() + leaf.keyPem()))
        .hasMessage("PEM block 2 (PRIVATE KEY) should not be here: only certificates are expected");
  }

  @Test
  void refusesACertificateInPlaceOfAKey() {
    assertThatThrownBy(() -> Pem.privateKey(leaf.chainPem()))
        .hasMessage("PEM block 1 (CERTIFICATE) is not a private key");
  }

  @Test
  void refusesAnEncryptedKey() {
    String encrypted =
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";

    assertThatThrownBy(() -> Pem.privateKey(encrypted))
        .hasMessage(
            "PEM block 1 (ENCRYPTED PRIVATE KEY) is encrypted: Muster needs it without a"
                + " passphrase");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Z2FyYmFnZQ==",
        "####",
        "",
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg",
      })
  void aBrokenKeyIsRefusedWithoutQuotingIt(String body) {
    String text = "-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----\n";

    assertThatThrownBy(() -> Pem.privateKey(text))
        .isInstanceOf(InvalidCertificateException.class)
        .hasMessageStartingWith("PEM block 1 (PRIVATE KEY)")
        .hasNoCause();
  }

  @Test
  void textWithoutACompleteBlockIsRefused() {
    String cut = leaf.chainPem().substring(0, 100);

    assertThatThrownBy(() -> Pem.certificates("garbage"))
        .hasMessage("there is no complete PEM block");
    assertThatThrownBy(() -> Pem.certificates(leaf.chainPem() + cut))
        .hasMessage("2 PEM blocks begin but 1 are complete");
  }

  @Test
  void aKeyThatBelongsToAnotherCertificateIsRefused() {
    Identity other = authority.issueServer(ServerNames.of("muster"), CLOCK);

    assertThatThrownBy(() -> new Identity(other.key(), leaf.chain()))
        .isInstanceOf(InvalidCertificateException.class)
        .hasMessage("the private key does not belong to the certificate CN=Muster");
  }

  @Test
  void noTextShowsThePrivateKey() {
    CertificateBundle bundle = CertificateBundle.of(authority).with(Purpose.SERVER, leaf);
    String secret = leaf.keyPem().lines().skip(1).findFirst().orElseThrow();

    assertThat(bundle.toString()).contains("CN=Muster").doesNotContain(secret);
    assertThat(leaf.toString())
        .startsWith("Identity[CN=Muster, serial ")
        .doesNotContain("PrivateKey");
    assertThat(authority.toString()).doesNotContain("PrivateKey");
  }

  private static String pem(Object object) throws IOException {
    StringWriter text = new StringWriter();
    try (JcaPEMWriter writer = new JcaPEMWriter(text)) {
      writer.writeObject(object);
    }
    return text.toString();
  }
}
