package io.muster.certs;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Lets in clients whose certificate was signed by one of the authorities <em>for clients</em>: a
 * server certificate of the same authority is refused. Trusts no servers. Safe for concurrent use.
 */
public final class TrustedClients extends X509ExtendedTrustManager {

  private final List<X509Certificate> authorities;
  private final InstantSource clock;

  public TrustedClients(Collection<X509Certificate> authorities, InstantSource clock) {
    this.authorities = List.copyOf(authorities);
    this.clock = clock;
    if (this.authorities.isEmpty()) {
      throw new IllegalArgumentException("without an authority no client could ever be trusted");
    }
  }

  /**
   * Why a client with this chain (its own certificate first) is not to be trusted at that moment;
   * empty if it is. Every certificate must be valid and the chain must end in an authority; the
   * client's own must be for clients.
   */
  public static Optional<String> refusal(
      List<X509Certificate> chain, Collection<X509Certificate> authorities, Instant at) {
    if (chain.isEmpty()) {
      return Optional.of("there is no client certificate");
    }
    X509Certificate own = chain.getFirst();
    try {
      List<String> purposes = own.getExtendedKeyUsage();
      if (purposes == null || !purposes.contains(Purpose.SCHEDULER_CLIENT.extendedKeyUsage())) {
        return Optional.of(
            own.getSubjectX500Principal() + " is not a client certificate (no clientAuth usage)");
      }
      PKIXParameters parameters =
          new PKIXParameters(
              authorities.stream()
                  .map(authority -> new TrustAnchor(authority, null))
                  .collect(Collectors.toSet()));
      parameters.setRevocationEnabled(false);
      parameters.setDate(Date.from(at));
      List<X509Certificate> path =
          chain.stream().filter(certificate -> !authorities.contains(certificate)).toList();
      if (path.isEmpty()) {
        return Optional.of(own.getSubjectX500Principal() + " is an authority, not a client");
      }
      CertPathValidator.getInstance("PKIX")
          .validate(CertificateFactory.getInstance("X.509").generateCertPath(path), parameters);
      return Optional.empty();
    } catch (CertPathValidatorException | CertificateParsingException e) {
      return Optional.of(own.getSubjectX500Principal() + ": " + e.getMessage());
    } catch (GeneralSecurityException e) {
      throw new InvalidCertificateException("client certificates cannot be verified", e);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    Optional<String> refusal = refusal(Arrays.asList(chain), authorities, clock.instant());
    if (refusal.isPresent()) {
      throw new CertificateException(refusal.get());
    }
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
