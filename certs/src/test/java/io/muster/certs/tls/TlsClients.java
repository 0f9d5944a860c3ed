package io.muster.certs.tls;

import io.muster.certs.x509.Identity;
import io.muster.certs.x509.Pem;
import java.io.IOException;
import java.net.http.HttpClient;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** HTTP clients that trust one authority, each with a TLS session cache of its own. */
final class TlsClients {

  private TlsClients() {}

  static HttpClient anonymous(String caPem) {
    return client(sslContext(caPem, new KeyManager[0]));
  }

  static HttpClient as(Identity identity, String caPem) {
    return client(sslContext(caPem, keyManagers(identity)));
  }

  private static HttpClient client(SSLContext context) {
    return HttpClient.newBuilder()
        .sslContext(context)
        .connectTimeout(Duration.ofSeconds(10))
        .build();
  }

  private static SSLContext sslContext(String caPem, KeyManager[] keys) {
    try {
      KeyStore store = empty();
      for (X509Certificate ca : Pem.certificates(caPem)) {
        store.setCertificateEntry(ca.getSerialNumber().toString(), ca);
      }
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KeyManager[] keyManagers(Identity identity) {
    try {
      KeyStore store = empty();
      store.setKeyEntry(
          "client", identity.key(), new char[0], identity.chain().toArray(X509Certificate[]::new));
      KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
      keys.init(store, new char[0]);
      return keys.getKeyManagers();
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }
}
