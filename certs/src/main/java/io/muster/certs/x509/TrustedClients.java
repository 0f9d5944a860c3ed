package io.muster.certs.x509;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;

/**
 * Lets in clients of certain names whose certificate was signed by one of the authorities <em>for
 * clients</em>: a server certificate of the same authority is refused. Trusts no servers. Whom it
 * trusts can be changed while ports are open. Safe for concurrent use.
 */
public final class TrustedClients extends X509ExtendedTrustManager {

  private volatile List<X509Certificate> authorities;
  private final Set<String> names;
  private final InstantSource clock;

  /**
   * @param names common names of those let in; empty: any
   */
  public TrustedClients(
      Collection<X509Certificate> authorities, Set<String> names, InstantSource clock) {
    this.authorities = List.copyOf(authorities);
    this.names = Set.copyOf(names);
    this.clock = clock;
    refuseNone(authorities);
  }

  /** Trusts the clients of these authorities, in place of those before. */
  public void trust(Collection<X509Certificate> other) {
    refuseNone(other);
    authorities = List.copyOf(other);
  }

  private static void refuseNone(Collection<X509Certificate> authorities) {
    if (authorities.isEmpty()) {
      throw new IllegalArgumentException("without an authority no client could ever be trusted");
    }
  }

  /**
   * Verifies a client's chain, its own certificate first: every certificate must be valid now, the
   * chain must end in an authority, the client's own must be for clients and of a name let in.
   */
  public void check(List<X509Certificate> chain) throws RefusedClientException {
    if (chain.isEmpty()) {
      throw new RefusedClientException(
          ConnectionRefusal.NO_CERTIFICATE, "there is no client certificate");
    }
    X509Certificate own = chain.getFirst();
    refuseOtherPurpose(own);
    List<X509Certificate> anchors = authorities;
    List<X509Certificate> path =
        chain.stream().filter(certificate -> !anchors.contains(certificate)).toList();
    if (path.isEmpty()) {
      throw refused(ConnectionRefusal.UNKNOWN_AUTHORITY, own, "it is an authority, not a client");
    }
    validate(own, path, anchors, clock.instant());
    if (!names.isEmpty() && commonNames(own).stream().noneMatch(names::contains)) {
      throw refused(ConnectionRefusal.WRONG_SUBJECT, own, "only " + names + " may call");
    }
  }

  private static void refuseOtherPurpose(X509Certificate own) throws RefusedClientException {
    List<String> purposes;
    try {
      purposes = own.getExtendedKeyUsage();
    } catch (CertificateParsingException e) {
      throw refused(ConnectionRefusal.WRONG_PURPOSE, own, e.getMessage());
    }
    if (purposes == null || !purposes.contains(Purpose.SCHEDULER_CLIENT.extendedKeyUsage())) {
      throw refused(
          ConnectionRefusal.WRONG_PURPOSE, own, "it is not for clients (no clientAuth usage)");
    }
  }

  private static void validate(
      X509Certificate own, List<X509Certificate> path, List<X509Certificate> anchors, Instant at)
      throws RefusedClientException {
    try {
      CertificateAuthority.verify(path, anchors, at);
    } catch (CertPathValidatorException e) {
      boolean isOutOfTime =
          e.getReason() == BasicReason.EXPIRED || e.getReason() == BasicReason.NOT_YET_VALID;
      throw refused(
          isOutOfTime ? ConnectionRefusal.EXPIRED : ConnectionRefusal.UNKNOWN_AUTHORITY,
          own,
          e.getMessage());
    } catch (GeneralSecurityException e) {
      throw new InvalidCertificateException("client certificates cannot be verified", e);
    }
  }

  private static List<String> commonNames(X509Certificate certificate) {
    X500Name subject = X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded());
    return Arrays.stream(subject.getRDNs(BCStyle.CN))
        .map(name -> IETFUtils.valueToString(name.getFirst().getValue()))
        .toList();
  }

  private static RefusedClientException refused(
      ConnectionRefusal refusal, X509Certificate own, String why) {
    return new RefusedClientException(refusal, own.getSubjectX500Principal() + ": " + why);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    check(Arrays.asList(chain));
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    checkClientTrusted(chain, authType);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    checkClientTrusted(chain, authType);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw new CertificateException("only clients are trusted here, no servers");
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    checkServerTrusted(chain, authType);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    checkServerTrusted(chain, authType);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return authorities.toArray(X509Certificate[]::new);
  }
}
