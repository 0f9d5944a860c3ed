package io.muster.certs.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.javalin.Javalin;
import io.muster.certs.Certificates;
import io.muster.certs.InMemoryCertificateStore;
import io.muster.certs.x509.ServerNames;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class ConnectionLimitTest {

  private static final int MOST = 8;

  private final Certificates certificates =
      Certificates.ensure(
          new InMemoryCertificateStore(),
          ServerNames.of("localhost", "127.0.0.1"),
          InstantSource.system());
  private final List<Socket> sockets = new ArrayList<>();
  private Javalin app;

  @BeforeEach
  void start() {
    app =
        Javalin.create(
                java -> {
                  TlsListener.on("127.0.0.1", 0, certificates, ClientAuth.NONE)
                      .withMaxConnections(MOST)
                      .install(java);
                  java.startup.showJavalinBanner = false;
                  java.routes.get(
                      "/", context -> context.result(context.req().getRemotePort() + ""));
                })
            .start();
  }

  @AfterEach
  void stop() throws IOException {
    for (var socket : sockets) {
      socket.close();
    }
    app.stop();
  }

  @Test
  void whoComesBesideAFloodIsServedAndOneOfTheFloodGoes() throws Exception {
    for (int i = 0; i < MOST; i++) {
      silent("127.0.0.1");
    }

    try (var client = TlsClients.anonymous(certificates.caBundlePem())) {
      assertThat(call(client)).isNotEmpty();
    }

    assertThat(leftOpen(MOST - 1)).isEqualTo(MOST - 1);
  }

  @Test
  void aConnectionThatWasAnsweredOutlivesAFloodFromItsOwnAddress() throws Exception {
    try (var client = TlsClients.anonymous(certificates.caBundlePem())) {
      var port = call(client);
      // The client may hear an answer before the server has counted it; the next one comes after
      // that.
      assertThat(call(client)).as("the port of the same connection").isEqualTo(port);

      for (int i = 0; i < 5 * MOST; i++) {
        silent("127.0.0.1");
      }

      assertThat(leftOpen(MOST - 1)).isEqualTo(MOST - 1);
      assertThat(call(client)).as("the port of the same connection").isEqualTo(port);
    }
  }

  @Test
  void anAddressWithFewConnectionsLosesNoneToOneWithMany() throws Exception {
    silent("127.0.0.2");
    for (int i = 0; i < 5 * MOST; i++) {
      silent("127.0.0.1");
    }

    assertThat(leftOpen(MOST)).isEqualTo(MOST);
    assertThat(isOpen(sockets.getFirst())).isTrue();
  }

  @Test
  void aPortWithoutTlsIsBoundedToo() throws Exception {
    app.stop();
    app =
        Javalin.create(java -> {
          java.startup.showJavalinBanner = false;
          java.jetty.addConnector((server, http) -> {
            var connector = new ServerConnector(server, new HttpConnectionFactory(http));
            connector.setHost("127.0.0.1");
            connector.addBean(new ConnectionLimit(MOST));
            return connector;
          });
        });
    app.start();

    for (int i = 0; i < MOST + 4; i++) {
      silent("127.0.0.1");
    }

    assertThat(leftOpen(MOST)).isEqualTo(MOST);
  }

  @Test
  void atLeastOneConnectionIsNeeded() {
    assertThatThrownBy(() -> new ConnectionLimit(0)).isInstanceOf(IllegalArgumentException.class);
  }

  /** A connection on which nothing is ever said. */
  private void silent(String from) throws IOException {
    var socket = new Socket();
    sockets.add(socket);
    socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), app.port()));
  }

  /**
   * How many are open once they are no more than that. Threads of the server count connections in
   * any order: the first that was made may be the last that is counted, and stay.
   */
  private int leftOpen(int most) throws IOException {
    int open;
    do {
      open = open();
    } while (open > most);
    return open;
  }

  private int open() throws IOException {
    int open = 0;
    for (var socket : sockets) {
      open += isOpen(socket) ? 1 : 0;
    }
    return open;
  }

  private static boolean isOpen(Socket socket) throws IOException {
    socket.setSoTimeout(200);
    try {
      return socket.getInputStream().read() >= 0;
    } catch (SocketTimeoutException _) {
      return true;
    }
  }

  private String call(HttpClient client) throws IOException, InterruptedException {
    var request =
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + app.port() + "/"))
            .timeout(Duration.ofSeconds(20))
            .build();
    return client.send(request, BodyHandlers.ofString()).body();
  }
}
