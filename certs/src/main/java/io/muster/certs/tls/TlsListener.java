package io.muster.certs.tls;

import io.javalin.config.JavalinConfig;
import io.muster.certs.Certificates;
import io.muster.certs.x509.CertificateIssueException;
import io.muster.certs.x509.ConnectionRefusal;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http2.HTTP2Cipher;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.WindowRateControl;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/**
 * One TLS port of a Javalin server: TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1, certificates that can be
 * swapped while it is open. It takes the place of Javalin's own port. Immutable.
 */
public final class TlsListener {

  /** Calls that one HTTP/2 connection may hold open at once, unless set otherwise. */
  public static final int MAX_CONCURRENT_STREAMS = 1024;

  /**
   * Connections that a port holds open at once, unless set otherwise. Each API server and each
   * kube-scheduler needs a few.
   */
  public static final int MAX_CONNECTIONS = 512;

  /**
   * All connections may come at once, and those that find no place in the queue wait for a second
   * or are lost. This many would wait if nothing were said.
   */
  private static final int LEAST_ACCEPT_QUEUE = 50;

  /** Of the headers of a request, unless set otherwise. */
  private static final int HEADER_BYTES = 8 * 1024;

  /** Bytes of a body that nobody reads yet; they take memory here. */
  private static final int STREAM_WINDOW = 128 * 1024;

  // Longer than the 90 s for which Go's clients keep an idle connection.
  private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(2);

  private final Endpoint endpoint;
  private final Certificates certificates;
  private final Limits limits;
  private final Consumer<ConnectionRefusal> refusals;

  private TlsListener(
      Endpoint endpoint,
      Certificates certificates,
      Limits limits,
      Consumer<ConnectionRefusal> refusals) {
    this.endpoint = endpoint;
    this.certificates = certificates;
    this.limits = limits;
    this.refusals = refusals;
  }

  /**
   * A port that shows Muster's server certificate and trusts clients of Muster's own authority.
   *
   * @param address the IP address to listen on, 0.0.0.0 for all
   * @param port 0 for any free one, told by {@code app.port()}
   */
  public static TlsListener on(
      String address, int port, Certificates certificates, ClientAuth clientAuth) {
    return new TlsListener(
        new Endpoint(address, port, clientAuth),
        certificates,
        new Limits(MAX_CONCURRENT_STREAMS, MAX_CONNECTIONS, HEADER_BYTES),
        _ -> {});
  }

  /**
   * The same port with another limit on the calls held open on one HTTP/2 connection, 1 to 2^31-1.
   */
  public TlsListener withMaxConcurrentStreams(int streams) {
    if (streams < 1) {
      throw new IllegalArgumentException("at least 1 stream is needed, not " + streams);
    }
    return with(new Limits(streams, limits.connections(), limits.headerBytes()));
  }

  /** The same port with another limit on the connections that are open at once, at least 1. */
  public TlsListener withMaxConnections(int connections) {
    return with(new Limits(limits.streams(), connections, limits.headerBytes()));
  }

  /** The same port, taking so many bytes of headers with a request. */
  public TlsListener withMaxHeaderBytes(int bytes) {
    return with(new Limits(limits.streams(), limits.connections(), bytes));
  }

  private TlsListener with(Limits others) {
    return new TlsListener(endpoint, certificates, others, refusals);
  }

  /** The same port, saying why connections did not come about. */
  public TlsListener reporting(Consumer<ConnectionRefusal> report) {
    return new TlsListener(endpoint, certificates, limits, report);
  }

  /**
   * Makes this the port of the server; Javalin then opens none of its own. {@code app.port()} is
   * the port of the first connector, so install this before any other.
   */
  public void install(JavalinConfig config) {
    config.jetty.addConnector(this::connector);
  }

  private Connector connector(Server server, HttpConfiguration httpConfiguration) {
    HttpConfiguration https = new HttpConfiguration(httpConfiguration);
    // Callers use IP addresses, which SNI cannot carry.
    https.setRequestHeaderSize(limits.headerBytes());
    https.addCustomizer(new SecureRequestCustomizer(false));

    HTTP2ServerConnectionFactory http2 = new HTTP2ServerConnectionFactory(https);
    http2.setMaxConcurrentStreams(limits.streams());
    http2.setInitialStreamRecvWindow(STREAM_WINDOW);
    // All held calls may be cancelled within one second without that being an attack.
    http2.setRateControlFactory(
        new WindowRateControl.Factory(Math.max(limits.streams(), MAX_CONCURRENT_STREAMS)));
    HttpConnectionFactory http1 = new HttpConnectionFactory(https);
    ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory();
    alpn.setDefaultProtocol(HttpVersion.HTTP_1_1.asString());

    ServerConnector connector =
        new ServerConnector(
            server,
            new SslConnectionFactory(sslContextFactory(), alpn.getProtocol()),
            alpn,
            http2,
            http1);
    connector.setHost(endpoint.address());
    connector.setPort(endpoint.port());
    connector.setAcceptQueueSize(Math.max(LEAST_ACCEPT_QUEUE, limits.connections()));
    connector.setIdleTimeout(IDLE_TIMEOUT.toMillis());
    connector.addBean(new RefusedHandshakes(refusals));
    connector.addBean(new ConnectionLimit(limits.connections()));
    return connector;
  }

  private SslContextFactory.Server sslContextFactory() {
    SslContextFactory.Server factory = new SslContextFactory.Server();
    factory.setSslContext(sslContext());
    factory.setIncludeProtocols("TLSv1.2", "TLSv1.3");
    factory.setCipherComparator(HTTP2Cipher.COMPARATOR);
    factory.setRenegotiationAllowed(false);
    factory.setNeedClientAuth(endpoint.clientAuth() == ClientAuth.NEED);
    return factory;
  }

  private SSLContext sslContext() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          new KeyManager[] {certificates.servingKeys()},
          new TrustManager[] {certificates.trustedClients()},
          null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new CertificateIssueException("no TLS port can be opened", e);
    }
  }

  private record Limits(int streams, int connections, int headerBytes) {}

  private record Endpoint(String address, int port, ClientAuth clientAuth) {}
}
