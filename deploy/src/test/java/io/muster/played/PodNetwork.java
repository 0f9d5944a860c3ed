package io.muster.played;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The addresses of played pods. Kubernetes takes no loopback address for an endpoint, so a pod says
 * that it is 198.18.0.N, of a block that is routed nowhere (RFC 2544), and listens on 127.18.0.N.
 * Whoever plays a part of the network translates; a pod that calls another by its address over
 * plain HTTP goes through the proxy here. Safe for concurrent use.
 */
final class PodNetwork implements AutoCloseable {

  private static final String SAID = "198.18.";
  private static final String LOCAL = "127.18.";
  private static final Duration CALL_LIMIT = Duration.ofSeconds(10);

  private final AtomicInteger last = new AtomicInteger();
  private final HttpServer proxy;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(CALL_LIMIT).build();

  PodNetwork() {
    try {
      proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new SandboxException("the proxy between pods cannot listen", e);
    }
    proxy.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    proxy.createContext("/", this::pass);
    proxy.start();
  }

  /** What a new pod says that its address is. */
  String next() {
    int number = last.incrementAndGet();
    return SAID + number / 250 + "." + (number % 250 + 1);
  }

  static boolean isPlayed(String said) {
    return said.startsWith(SAID);
  }

  /** Where the pod that says it has that address listens. */
  static String local(String said) {
    if (!isPlayed(said)) {
      throw new IllegalArgumentException(said + " is the address of no played pod");
    }
    return LOCAL + said.substring(SAID.length());
  }

  /** Where calls from pod to pod go, as options of a JVM. */
  String proxyOptions() {
    return "-Dhttp.proxyHost=%s -Dhttp.proxyPort=%d -Dhttp.nonProxyHosts=127.*"
        .formatted(proxy.getAddress().getHostString(), proxy.getAddress().getPort());
  }

  private void pass(HttpExchange call) throws IOException {
    try (call) {
      var to = call.getRequestURI();
      var request =
          HttpRequest.newBuilder(
                  URI.create(
                      "http://%s:%d%s".formatted(local(to.getHost()), to.getPort(), to.getPath())))
              .timeout(CALL_LIMIT)
              .build();
      var answer = http.send(request, BodyHandlers.ofByteArray());
      call.sendResponseHeaders(answer.statusCode(), answer.body().length);
      call.getResponseBody().write(answer.body());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException | IllegalArgumentException e) {
      call.sendResponseHeaders(502, -1);
    }
  }

  @Override
  public void close() {
    proxy.stop(0);
    http.shutdownNow();
  }

  static InetSocketAddress listener(String said, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByName(local(said)), port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
