package io.muster.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.extender.kube.OnChange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An API server that has just started knows nobody's rights for some seconds. */
final class InformersTest {

  /** A watch is asked for as a WebSocket first. */
  private static final int BEGUN = 2;

  private static final String REFUSED =
      "{\"kind\": \"Status\", \"code\": 403, \"message\": \"nodes is forbidden\"}";

  private final AtomicInteger lists = new AtomicInteger();
  private final AtomicInteger watches = new AtomicInteger();
  private HttpServer server;
  private KubernetesClient client;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                    .build())
            .build();
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
  }

  @Test
  void oneGoesOnWhenItsWatchWasRefusedForAWhile() throws InterruptedException {
    try (SharedIndexInformer<Node> nodes = client.nodes().runnableInformer(0)) {
      var came = new CountDownLatch(1);
      nodes.addEventHandler(new OnChange<>(_ -> came.countDown(), _ -> {}));
      Informers.start(nodes, "the nodes");
      assertThat(came.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void oneThatIsRefusedFromTheStartSaysSo() {
    lists.set(Integer.MIN_VALUE);
    try (SharedIndexInformer<Node> nodes = client.nodes().runnableInformer(0)) {
      assertThatThrownBy(() -> Informers.start(nodes, "the nodes"))
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("the nodes cannot be read")
          .hasMessageContaining("nodes is forbidden");
    }
  }

  /** A watch ends at once, and is refused then; from then on lists have a node. */
  private void answer(HttpExchange exchange) throws IOException {
    boolean isWatch = String.valueOf(exchange.getRequestURI().getQuery()).contains("watch=true");
    int nth = (isWatch ? watches : lists).incrementAndGet();
    boolean isRefused = nth < 0 || (isWatch && nth > BEGUN);
    var body = isRefused ? REFUSED : isWatch ? "" : list(nth);
    var bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(isRefused ? 403 : 200, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private String list(int nth) {
    return """
    {"kind": "NodeList", "apiVersion": "v1", "metadata": {"resourceVersion": "%d"}, "items": [%s]}\
    """
        .formatted(nth, watches.get() <= BEGUN ? "" : "{\"metadata\": {\"name\": \"node-1\"}}");
  }
}
