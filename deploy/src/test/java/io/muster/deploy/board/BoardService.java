package io.muster.deploy.board;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.sandbox.Await;
import io.muster.sandbox.ManagedProcess;
import io.muster.sandbox.Ports;
import io.muster.sandbox.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * {@code muster board-service} as the chart runs it, beside a sandbox's control plane: with an
 * account that has the rights of {@code deploy/rbac/board.yml} alone. Safe for concurrent use.
 */
public final class BoardService implements AutoCloseable {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ManagedProcess process;
  private final URI base;
  private final HttpClient client = client("127.0.0.1");

  private BoardService(ManagedProcess process, URI base) {
    this.process = process;
    this.base = base;
  }

  static BoardService start(Sandbox sandbox, String... more) {
    return start(sandbox, List.of(), List.of("-XX:TieredStopAtLevel=1"), List.of(more));
  }

  /**
   * Starts it with a fresh token of its account; returns when it is served.
   *
   * @param through the program, with its arguments, that becomes the JVM; empty for none
   * @param jvm options of the JVM
   * @param more arguments of the command
   */
  public static BoardService start(
      Sandbox sandbox, List<String> through, List<String> jvm, List<String> more) {
    sandbox.kubectl("apply", "-f", sandbox.layout().deploy().resolve("rbac/board.yml").toString());
    var token = sandbox.kubectl("-n", "muster-system", "create", "token", "muster-board").strip();
    var kubeconfig = sandbox.state().file("board.kubeconfig");
    int port = Ports.free();
    var settings = sandbox.state().file("board.yaml");
    try {
      Files.writeString(kubeconfig, sandbox.kubeconfig(sandbox.server(), token));
      Files.writeString(
          settings,
          "{kubeconfig: \"%s\", bindAddress: 127.0.0.1, healthPort: %d}"
              .formatted(kubeconfig, Ports.free()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var command = new ArrayList<>(through);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    command.add("-Dsandbox=" + sandbox.state().file("board-service"));
    command.addAll(List.of("-jar", sandbox.musterJar().toString(), "board-service"));
    command.addAll(List.of("--config", settings.toString(), "--port", Integer.toString(port)));
    command.addAll(more);
    var process = sandbox.process("board-service", command);
    process.start();
    var service = new BoardService(process, URI.create("https://127.0.0.1:" + port));
    Await.until("the board to be served", SOON, service::isServed);
    return service;
  }

  private boolean isServed() {
    if (!process.isAlive()) {
      throw new AssertionError(log());
    }
    try {
      return get("/").statusCode() == 200;
    } catch (UncheckedIOException _) {
      return false;
    }
  }

  /** What it wrote. */
  public String log() {
    try {
      return Files.readString(process.log());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The id of its process. */
  public long pid() {
    return process.pid();
  }

  /** Where it listens. */
  public URI address() {
    return base;
  }

  /** A client that calls from that address, and takes the certificate that the board has made. */
  public static HttpClient client(String from) {
    try {
      var tls = SSLContext.getInstance("TLS");
      tls.init(null, new TrustManager[] {new AnyCertificate()}, new SecureRandom());
      return HttpClient.newBuilder()
          .sslContext(tls)
          .localAddress(InetAddress.getByName(from))
          .connectTimeout(Duration.ofSeconds(10))
          .build();
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  HttpResponse<String> get(String path, String... headers) {
    return send(client, HttpRequest.newBuilder(base.resolve(path)), headers);
  }

  HttpResponse<String> send(HttpClient by, HttpRequest.Builder request, String... headers) {
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return by.send(request.timeout(Duration.ofSeconds(30)).build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  HttpResponse<String> signIn(HttpClient by, String token, String... headers) {
    var all = new ArrayList<>(List.of("Content-Type", "application/json"));
    all.addAll(List.of(headers));
    try {
      return send(
          by,
          HttpRequest.newBuilder(base.resolve("/api/v1/session"))
              .POST(BodyPublishers.ofString(JSON.writeValueAsString(Map.of("token", token)))),
          all.toArray(String[]::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The cookie of somebody who signs in from an address of their own. */
  public String cookie(String from, String token) {
    try (var by = client(from)) {
      var answer = signIn(by, token);
      if (answer.statusCode() != 204) {
        throw new AssertionError(answer.statusCode() + " " + answer.body());
      }
      var cookie = answer.headers().firstValue("Set-Cookie").orElseThrow();
      return cookie.substring(0, cookie.indexOf(';'));
    }
  }

  JsonNode view(String cookie) {
    var answer = get("/api/v1/view", "Cookie", cookie);
    if (answer.statusCode() != 200) {
      throw new AssertionError(answer.statusCode() + " " + answer.body());
    }
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    client.close();
    process.kill();
  }

  /** Nobody vouches for a certificate that was made at the start. */
  private static final class AnyCertificate extends X509ExtendedTrustManager {

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, java.net.Socket socket) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {
      // Whatever it is.
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, java.net.Socket socket) {
      // Whatever it is.
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
      // Whatever it is.
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
