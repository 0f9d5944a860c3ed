package io.muster.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Asks HTTP endpoints whether they are ready; any failure counts as no. */
final class Readiness {

  private static final Duration REQUEST_LIMIT = Duration.ofSeconds(2);

  private Readiness() {}

  /** Whether a plain endpoint answers 200. */
  static boolean answers(String url) {
    return answer(url).isPresent();
  }

  /** The body of a plain endpoint's 200. */
  static Optional<String> answer(String url) {
    return answer(HttpClient.newBuilder().connectTimeout(REQUEST_LIMIT).build(), url);
  }

  /** Whether a TLS endpoint answers 200, trusting the certificates of a PEM file. */
  static boolean answers(String url, Path certificates) {
    if (!Files.isRegularFile(certificates)) {
      return false;
    }
    try {
      var builder = HttpClient.newBuilder().connectTimeout(REQUEST_LIMIT);
      return answer(builder.sslContext(trusting(certificates)).build(), url).isPresent();
    } catch (GeneralSecurityException | IOException e) {
      // The file may be half-written.
      return false;
    }
  }

  /** Ends the client at once: its close would wait for as long as the server takes. */
  private static Optional<String> answer(HttpClient client, String url) {
    try {
      var request = HttpRequest.newBuilder(URI.create(url)).timeout(REQUEST_LIMIT).build();
      var answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      return Optional.of(answer).filter(got -> got.statusCode() == 200).map(HttpResponse::body);
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    } finally {
      client.shutdownNow();
    }
  }

  private static SSLContext trusting(Path certificates)
      throws GeneralSecurityException, IOException {
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream pem = Files.newInputStream(certificates)) {
      int count = 0;
      for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
        store.setCertificateEntry("c" + count++, certificate);
      }
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    var context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }
}
