package io.muster.certs.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.javalin.Javalin;
import io.muster.certs.Certificates;
import io.muster.certs.InMemoryCertificateStore;
import io.muster.certs.x509.CertificateAuthority;
import io.muster.certs.x509.ConnectionRefusal;
import io.muster.certs.x509.Identity;
import io.muster.certs.x509.Purpose;
import io.muster.certs.x509.ServerNames;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLHandshakeException;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TlsListenerTest {

  private static final InstantSource CLOCK = InstantSource.system();
  private static final ServerNames NAMES = ServerNames.of("localhost", "127.0.0.1");
  private static final String SUBJECT_OF_CALLER = "/caller";

  private final InMemoryCertificateStore store = new InMemoryCertificateStore();
  private final Certificates certificates = Certificates.ensure(store, NAMES, CLOCK);
  private final CertificateAuthority authority = store.load().orElseThrow().authority();
  private Javalin app;

  @AfterEach
  void stop() {
    app.stop();
  }

  @Test
  void whoNeedsNoCertificateIsServedOverHttp2() throws Exception {
    start(ClientAuth.NONE);

    HttpResponse<String> response = call(anonymous());

    assertThat(response.body()).isEqualTo("nobody");
    assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
    assertThat(response.sslSession().orElseThrow().getProtocol()).isEqualTo("TLSv1.3");
  }

  @Test
  void whoSpeaksOnlyHttp11IsServed() throws Exception {
    start(ClientAuth.NONE);

    HttpRequest request =
        HttpRequest.newBuilder(uri()).version(HttpClient.Version.HTTP_1_1).build();
    try (HttpClient client = anonymous()) {
      HttpResponse<String> response = client.send(request, BodyHandlers.ofString());

      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
      assertThat(response.statusCode()).isEqualTo(200);
    }
  }

  @Test
  void theSchedulersCertificateOpensAPortThatNeedsOne() throws Exception {
    start(ClientAuth.NEED);

    HttpResponse<String> response = call(scheduler());

    assertThat(response.body()).isEqualTo("CN=muster-scheduler-client");
    assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
  }

  @Test
  void aCallWithoutTheNeededCertificateFailsInTheHandshake() {
    start(ClientAuth.NEED);

    assertThatThrownBy(() -> call(anonymous()))
        .isInstanceOf(SSLHandshakeException.class)
        .hasMessageContaining("alert");
  }

  @Test
  void aServerCertificateOfTheSameAuthorityDoesNotOpenThePort() {
    start(ClientAuth.NEED);
    Identity server = certificates.serverIdentity();

    assertThatThrownBy(() -> call(TlsClients.as(server, certificates.caBundlePem())))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aClientOfAnotherAuthorityDoesNotOpenThePort() {
    start(ClientAuth.NEED);
    Identity stranger = CertificateAuthority.create(CLOCK).issueClient("stranger", CLOCK);

    assertThatThrownBy(() -> call(TlsClients.as(stranger, certificates.caBundlePem())))
        .isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "NO_CERTIFICATE",
        "UNKNOWN_AUTHORITY",
        "EXPIRED",
        "WRONG_PURPOSE",
        "WRONG_SUBJECT",
        "DISTRUSTED"
      })
  void whyAConnectionWasRefusedIsReported(ConnectionRefusal refusal) throws Exception {
    BlockingQueue<ConnectionRefusal> reported = new LinkedBlockingQueue<>();
    start(ClientAuth.NEED, listener -> listener.reporting(reported::add));
    String ca = certificates.caBundlePem();
    InstantSource longAgo = InstantSource.fixed(CLOCK.instant().minus(Duration.ofDays(100)));
    HttpClient caller =
        switch (refusal) {
          case NO_CERTIFICATE -> anonymous();
          case UNKNOWN_AUTHORITY ->
              TlsClients.as(
                  CertificateAuthority.create(CLOCK)
                      .issueClient(Certificates.SCHEDULER_CLIENT_NAME, CLOCK),
                  ca);
          case EXPIRED ->
              TlsClients.as(authority.issueClient(Certificates.SCHEDULER_CLIENT_NAME, longAgo), ca);
          case WRONG_PURPOSE -> TlsClients.as(certificates.serverIdentity(), ca);
          case WRONG_SUBJECT -> TlsClients.as(authority.issueClient("somebody", CLOCK), ca);
          case DISTRUSTED ->
              TlsClients.anonymous(CertificateAuthority.create(CLOCK).identity().chainPem());
          case OTHER -> throw new IllegalArgumentException();
        };

    try (caller) {
      assertThatThrownBy(() -> firstByteFor(caller)).isInstanceOf(IOException.class);
    }

    assertThat(reported.poll(20, TimeUnit.SECONDS)).isEqualTo(refusal);
    assertThat(reported).allMatch(refusal::equals);
  }

  /** Without the client's own way to end a connection, which loses its last words. */
  private int firstByteFor(HttpClient caller) throws IOException {
    var sockets = caller.sslContext().getSocketFactory();
    try (Socket socket = sockets.createSocket(InetAddress.getLoopbackAddress(), app.port())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write('G');
      return socket.getInputStream().read();
    }
  }

  @Test
  void aCallWithoutTlsIsReported() throws Exception {
    BlockingQueue<ConnectionRefusal> reported = new LinkedBlockingQueue<>();
    start(ClientAuth.NEED, listener -> listener.reporting(reported::add));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), app.port())) {
      socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII));

      assertThat(reported.poll(20, TimeUnit.SECONDS)).isEqualTo(ConnectionRefusal.OTHER);
    }
  }

  @Test
  void whoKnowsTheFormerAuthorityAloneAcceptsWhatTheNextOneIssues() throws Exception {
    CertificateAuthority next = authority.successor(CLOCK);
    CertificateAuthority afterNext = next.successor(CLOCK);
    Identity leaf = afterNext.issueServer(NAMES, CLOCK);
    List<X509Certificate> chain =
        List.of(
            leaf.certificate(), next.vouchFor(afterNext, CLOCK), authority.vouchFor(next, CLOCK));
    start(ClientAuth.NONE);

    certificates.servingKeys().swap(leaf);
    assertThatThrownBy(() -> call(anonymous())).isInstanceOf(SSLHandshakeException.class);
    certificates.servingKeys().swap(new Identity(leaf.key(), chain));

    assertThat(call(anonymous()).statusCode()).isEqualTo(200);
    for (CertificateAuthority known : List.of(next, afterNext)) {
      assertThat(call(TlsClients.anonymous(known.identity().chainPem())).statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void newHandshakesSeeASwappedCertificateAndOpenConnectionsGoOn() throws Exception {
    start(ClientAuth.NONE);
    try (HttpClient early = anonymous()) {
      assertThat(shown(send(early))).isEqualTo(certificates.serverIdentity().certificate());
      X509Certificate before = certificates.serverIdentity().certificate();
      Identity next = authority.issueServer(NAMES, CLOCK);

      certificates.servingKeys().swap(next);

      assertThat(shown(call(anonymous()))).isEqualTo(next.certificate());
      assertThat(shown(send(early))).isEqualTo(before);
      assertThat(certificates.serverIdentity()).isEqualTo(next);
    }
  }

  @Test
  void aServerNameThatTheCertificateLacksIsNoReasonToRefuse() throws Exception {
    certificates.servingKeys().swap(authority.issueServer(ServerNames.of("127.0.0.1"), CLOCK));
    start(ClientAuth.NONE);

    assertThat(call(anonymous()).statusCode()).isEqualTo(200);
  }

  @Test
  void theListenerIsTheOnlyPortAndOutlivesIdleClients() {
    start(ClientAuth.NEED);

    Connector[] connectors = app.jettyServer().server().getConnectors();

    assertThat(connectors).hasSize(1);
    var connector = (ServerConnector) connectors[0];
    assertThat(connector.getLocalPort()).isEqualTo(app.port()).isPositive();
    assertThat(connector.getAcceptQueueSize())
        .as("all may come at once")
        .isEqualTo(TlsListener.MAX_CONNECTIONS);
    assertThat(connectors[0].getIdleTimeout()).isEqualTo(Duration.ofMinutes(2).toMillis());
    assertThat(connectors[0].getProtocols()).contains("ssl", "alpn", "h2", "http/1.1");
  }

  @Test
  void theStreamLimitIsConfigurableButNotZero() {
    start(ClientAuth.NONE, listener -> listener.withMaxConcurrentStreams(4096));
    Connector connector = app.jettyServer().server().getConnectors()[0];

    assertThat(
            connector
                .getConnectionFactory(HTTP2ServerConnectionFactory.class)
                .getMaxConcurrentStreams())
        .isEqualTo(4096);
    TlsListener listener = TlsListener.on("127.0.0.1", 0, certificates, ClientAuth.NONE);
    assertThatThrownBy(() -> listener.withMaxConcurrentStreams(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private void start(ClientAuth clientAuth) {
    start(clientAuth, listener -> listener);
  }

  private void start(ClientAuth clientAuth, UnaryOperator<TlsListener> change) {
    TlsListener listener = TlsListener.on("127.0.0.1", 0, certificates, clientAuth);
    app =
        Javalin.create(
                config -> {
                  change.apply(listener).install(config);
                  config.startup.showJavalinBanner = false;
                  config.startup.showOldJavalinVersionWarning = false;
                  config.routes.get(
                      SUBJECT_OF_CALLER,
                      context ->
                          context.result(
                              subject(
                                  context
                                      .req()
                                      .getAttribute("jakarta.servlet.request.X509Certificate"))));
                })
            .start();
  }

  private static String subject(Object attribute) {
    return attribute instanceof X509Certificate[] chain
        ? chain[0].getSubjectX500Principal().getName()
        : "nobody";
  }

  private HttpClient anonymous() {
    return TlsClients.anonymous(certificates.caBundlePem());
  }

  private HttpClient scheduler() {
    return TlsClients.as(
        store.load().orElseThrow().leaf(Purpose.SCHEDULER_CLIENT).orElseThrow(),
        certificates.caBundlePem());
  }

  private HttpResponse<String> call(HttpClient client) throws Exception {
    try (client) {
      return send(client);
    }
  }

  private HttpResponse<String> send(HttpClient client) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(uri()).timeout(Duration.ofSeconds(20)).build();
    return client.send(request, BodyHandlers.ofString());
  }

  private URI uri() {
    return URI.create("https://127.0.0.1:" + app.port() + SUBJECT_OF_CALLER);
  }

  private static X509Certificate shown(HttpResponse<String> response) throws Exception {
    return (X509Certificate) response.sslSession().orElseThrow().getPeerCertificates()[0];
  }
}
