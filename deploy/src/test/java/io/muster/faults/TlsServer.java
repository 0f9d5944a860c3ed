package io.muster.faults;

import io.muster.certs.x509.Pem;
import io.muster.sandbox.ExtenderEndpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Where a {@link KillingProxy} leads to, and how it identifies itself there. Immutable. */
public final class TlsServer {

  private static final char[] NO_PASSWORD = {};

  private final int port;
  private final SSLContext context;

  private TlsServer(int port, SSLContext context) {
    this.port = port;
    this.context = context;
  }

  /** Callers of this server identify themselves in their requests. */
  public static TlsServer at(String url, Path ca) {
    return new TlsServer(URI.create(url).getPort(), context(ca, Optional.empty()));
  }

  /** Muster's port for kube-scheduler, called with kube-scheduler's certificate. */
  public static TlsServer of(ExtenderEndpoint endpoint) {
    return new TlsServer(
        URI.create(endpoint.urlPrefix()).getPort(), context(endpoint.ca(), Optional.of(endpoint)));
  }

  /** Muster's port for kube-scheduler, called by somebody without a certificate. */
  public static TlsServer trusting(ExtenderEndpoint endpoint) {
    return at(endpoint.urlPrefix(), endpoint.ca());
  }

  Socket connect() throws IOException {
    return context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
  }

  /** What a client needs to speak to the server. */
  public SSLContext context() {
    return context;
  }

  private static SSLContext context(Path ca, Optional<ExtenderEndpoint> identity) {
    try {
      var trusted = emptyStore();
      var authorities = Pem.certificates(Files.readString(ca));
      for (int i = 0; i < authorities.size(); i++) {
        trusted.setCertificateEntry("ca" + i, authorities.get(i));
      }
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      var keys = new KeyManager[] {};
      if (identity.isPresent()) {
        keys = keys(identity.get());
      }
      var context = SSLContext.getInstance("TLS");
      context.init(keys, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("the certificates beside " + ca + " cannot be used", e);
    }
  }

  private static KeyManager[] keys(ExtenderEndpoint endpoint)
      throws GeneralSecurityException, IOException {
    var store = emptyStore();
    List<X509Certificate> chain = Pem.certificates(Files.readString(endpoint.certificate()));
    store.setKeyEntry(
        "client",
        Pem.privateKey(Files.readString(endpoint.key())),
        NO_PASSWORD,
        chain.toArray(Certificate[]::new));
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, NO_PASSWORD);
    return keys.getKeyManagers();
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    var store = KeyStore.getInstance("PKCS12");
    store.load(null, NO_PASSWORD);
    return store;
  }
}
