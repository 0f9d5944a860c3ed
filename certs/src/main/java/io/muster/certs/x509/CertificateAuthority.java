package io.muster.certs.x509;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.AuthorityKeyIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.SubjectKeyIdentifier;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * Signs Muster's certificates: one for its servers, one for kube-scheduler. Invariant: its
 * certificate may sign others. Leaves never outlive it. Immutable, safe for concurrent use.
 */
public record CertificateAuthority(Identity identity) {

  /** How long a new authority is valid. */
  public static final Duration AUTHORITY_LIFETIME = Duration.ofDays(3650);

  /** How long a leaf is valid, unless the authority ends before. */
  public static final Duration LEAF_LIFETIME = Duration.ofDays(90);

  /**
   * Certificates begin this long before their issue: clocks of replicas, apiservers and schedulers
   * may differ by as much.
   */
  public static final Duration BACKDATED = Duration.ofHours(1);

  private static final Pattern NAME = Pattern.compile("CN=Muster CA ([1-9][0-9]{0,8})");
  private static final String SERVER_NAME = "Muster";
  private static final int SERIAL_BITS = 128;
  private static final int KEY_CERT_SIGN = 5;
  private static final SecureRandom RANDOM = new SecureRandom();

  public CertificateAuthority {
    X509Certificate certificate = identity.certificate();
    boolean[] usage = certificate.getKeyUsage();
    if (certificate.getBasicConstraints() < 0 || (usage != null && !usage[KEY_CERT_SIGN])) {
      throw new InvalidCertificateException(
          "the certificate "
              + certificate.getSubjectX500Principal()
              + " may not sign others: it is not a CA certificate");
    }
    if (certificate.getIssuerX500Principal().equals(certificate.getSubjectX500Principal())
        && !signed(certificate, certificate)) {
      throw new InvalidCertificateException(
          "the certificate "
              + certificate.getSubjectX500Principal()
              + " does not bear its own signature: it was changed");
    }
  }

  /** A new self-signed authority with a key of its own, the first of its line. */
  public static CertificateAuthority create(InstantSource clock) {
    return create(1, clock);
  }

  /** A new one to follow this one. */
  public CertificateAuthority successor(InstantSource clock) {
    return create(generation(certificate()).orElse(0) + 1, clock);
  }

  /** The number in the line of an authority that Muster made; empty for any other. */
  public static OptionalInt generation(X509Certificate authority) {
    return generation(authority.getSubjectX500Principal());
  }

  /** The generation of the authority with that name; empty if Muster did not make it. */
  public static OptionalInt generation(X500Principal name) {
    Matcher own = NAME.matcher(name.getName());
    return own.matches() ? OptionalInt.of(Integer.parseInt(own.group(1))) : OptionalInt.empty();
  }

  private static CertificateAuthority create(int generation, InstantSource clock) {
    try {
      KeyPair keys = newKeys();
      // Names differ, so that a caller who knows two of them need not guess whose signature it is.
      X500Principal name = commonName("Muster CA " + generation);
      Instant now = clock.instant();
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              name,
              newSerial(),
              Date.from(now.minus(BACKDATED)),
              Date.from(now.plus(AUTHORITY_LIFETIME)),
              name,
              keys.getPublic());
      byte[] keyId =
          new JcaX509ExtensionUtils()
              .createSubjectKeyIdentifier(keys.getPublic())
              .getKeyIdentifier();
      extendAuthority(builder, keyId, keyId);
      X509Certificate certificate = signed(builder, keys.getPrivate());
      return new CertificateAuthority(new Identity(keys.getPrivate(), List.of(certificate)));
    } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
      throw new CertificateIssueException("no certificate authority could be made", e);
    }
  }

  /** A new key and certificate for servers that are called under these names. */
  public Identity issueServer(ServerNames names, InstantSource clock) {
    GeneralName[] alternatives =
        Stream.concat(
                names.dns().stream().map(name -> new GeneralName(GeneralName.dNSName, name)),
                names.ips().stream().map(ip -> new GeneralName(GeneralName.iPAddress, ip)))
            .toArray(GeneralName[]::new);
    return issue(commonName(SERVER_NAME), KeyPurposeId.id_kp_serverAuth, clock, alternatives);
  }

  /** A new key and certificate for a client of this name; it cannot be used by a server. */
  public Identity issueClient(String commonName, InstantSource clock) {
    return issue(commonName(commonName), KeyPurposeId.id_kp_clientAuth, clock);
  }

  public X509Certificate certificate() {
    return identity.certificate();
  }

  /** Whether a certificate that this one signs for another authority would be accepted. */
  public boolean maySignAuthorities() {
    return certificate().getBasicConstraints() > 0;
  }

  /**
   * A bridge: the other authority's name and key, signed by this one, so that who trusts this one
   * alone accepts what the other issues.
   */
  public X509Certificate vouchFor(CertificateAuthority other, InstantSource clock) {
    Instant ownEnd = certificate().getNotAfter().toInstant();
    Instant otherEnd = other.certificate().getNotAfter().toInstant();
    try {
      JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              certificate(),
              newSerial(),
              Date.from(clock.instant().minus(BACKDATED)),
              Date.from(ownEnd.isBefore(otherEnd) ? ownEnd : otherEnd),
              other.certificate().getSubjectX500Principal(),
              other.certificate().getPublicKey());
      extendAuthority(builder, other.keyIdentifier(extensions), keyIdentifier(extensions));
      return signed(builder, identity.key());
    } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
      throw new CertificateIssueException(
          certificate().getSubjectX500Principal()
              + " could not vouch for "
              + other.certificate().getSubjectX500Principal(),
          e);
    }
  }

  private static void extendAuthority(
      JcaX509v3CertificateBuilder builder, byte[] keyId, byte[] signersKeyId) throws IOException {
    builder
        // No limit on the path's length: it has to be able to vouch for its successor.
        .addExtension(Extension.basicConstraints, true, new BasicConstraints(true))
        .addExtension(
            Extension.keyUsage, true, new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))
        .addExtension(Extension.subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyId))
        .addExtension(
            Extension.authorityKeyIdentifier, false, new AuthorityKeyIdentifier(signersKeyId));
  }

  /** Whether this authority's key signed the certificate. */
  public boolean hasSigned(X509Certificate leaf) {
    return signed(certificate(), leaf);
  }

  /** Whether the authority's key signed the certificate. */
  public static boolean signed(X509Certificate authority, X509Certificate certificate) {
    if (!certificate.getIssuerX500Principal().equals(authority.getSubjectX500Principal())) {
      return false;
    }
    try {
      certificate.verify(authority.getPublicKey());
      return true;
    } catch (GeneralSecurityException _) {
      return false;
    }
  }

  /**
   * Verifies that the path, which begins with a leaf, leads to one of these authorities.
   *
   * @throws CertPathValidatorException if it does not, or one of its certificates is not valid then
   */
  public static void verify(
      List<X509Certificate> path, List<X509Certificate> authorities, Instant at)
      throws GeneralSecurityException {
    PKIXParameters parameters =
        new PKIXParameters(
            authorities.stream()
                .map(authority -> new TrustAnchor(authority, null))
                .collect(Collectors.toSet()));
    parameters.setRevocationEnabled(false);
    parameters.setDate(Date.from(at));
    CertPathValidator.getInstance("PKIX")
        .validate(CertificateFactory.getInstance("X.509").generateCertPath(path), parameters);
  }

  private Identity issue(
      X500Principal subject, KeyPurposeId purpose, InstantSource clock, GeneralName... names) {
    try {
      Instant now = clock.instant();
      Instant authorityEnd = certificate().getNotAfter().toInstant();
      if (!now.isBefore(authorityEnd)) {
        throw new CertificateIssueException(
            "the CA certificate ended at " + authorityEnd + ", it can issue nothing any more");
      }
      Instant end = now.plus(LEAF_LIFETIME);
      KeyPair keys = newKeys();
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              certificate(),
              newSerial(),
              Date.from(now.minus(BACKDATED)),
              Date.from(end.isBefore(authorityEnd) ? end : authorityEnd),
              subject,
              keys.getPublic());
      JcaX509ExtensionUtils extensions = new JcaX509ExtensionUtils();
      builder
          .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
          .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature))
          .addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose))
          .addExtension(
              Extension.subjectKeyIdentifier,
              false,
              extensions.createSubjectKeyIdentifier(keys.getPublic()))
          .addExtension(
              Extension.authorityKeyIdentifier,
              false,
              new AuthorityKeyIdentifier(keyIdentifier(extensions)));
      if (names.length > 0) {
        builder.addExtension(Extension.subjectAlternativeName, false, new GeneralNames(names));
      }
      return new Identity(keys.getPrivate(), List.of(signed(builder, identity.key())));
    } catch (GeneralSecurityException | IOException | OperatorCreationException e) {
      throw new CertificateIssueException("no certificate could be issued for " + subject, e);
    }
  }

  private static X509Certificate signed(JcaX509v3CertificateBuilder builder, PrivateKey key)
      throws GeneralSecurityException, OperatorCreationException {
    var signer = new JcaContentSignerBuilder(Identity.signatureFor(key)).build(key);
    return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
  }

  private byte[] keyIdentifier(JcaX509ExtensionUtils extensions) throws IOException {
    byte[] own = certificate().getExtensionValue(Extension.subjectKeyIdentifier.getId());
    PublicKey key = certificate().getPublicKey();
    return own == null
        ? extensions.createSubjectKeyIdentifier(key).getKeyIdentifier()
        : SubjectKeyIdentifier.getInstance(JcaX509ExtensionUtils.parseExtensionValue(own))
            .getKeyIdentifier();
  }

  private static X500Principal commonName(String name) {
    try {
      return new X500Principal(
          new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, name).build().getEncoded());
    } catch (IOException e) {
      throw new CertificateIssueException("'" + name + "' cannot be a certificate's name", e);
    }
  }

  private static KeyPair newKeys() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  private static BigInteger newSerial() {
    BigInteger serial = new BigInteger(SERIAL_BITS, RANDOM);
    return serial.signum() > 0 ? serial : BigInteger.ONE;
  }
}
