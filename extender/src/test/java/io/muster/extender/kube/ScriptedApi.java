package io.muster.extender.kube;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/** An apiserver that answers by script, in the order scripted, and remembers what it was asked. */
public final class ScriptedApi implements AutoCloseable {

  /** What was asked. */
  public record Call(String method, String path, String contentType, String accept, JsonNode body) {
    public String line() {
      return method + " " + path;
    }
  }

  /** What to answer; the code 0 breaks the connection. */
  private record Answer(int code, String body) {}

  private final HttpServer server;
  private final KubernetesClient client;
  private final ObjectMapper json = new ObjectMapper();
  private final Map<String, Queue<Answer>> script = new ConcurrentHashMap<>();
  private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();
  private final List<Call> calls = new CopyOnWriteArrayList<>();

  public ScriptedApi() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                    .withTrustCerts(false)
                    .build())
            .build();
  }

  public KubernetesClient client() {
    return client;
  }

  /** The next such call is answered so; the last answer stays. */
  public ScriptedApi on(String line, int code, String body) {
    script.computeIfAbsent(line, _ -> new ArrayDeque<>()).add(new Answer(code, body));
    return this;
  }

  /** Such calls are answered only once this opens. */
  public CountDownLatch hold(String line) {
    return held.computeIfAbsent(line, _ -> new CountDownLatch(1));
  }

  public List<Call> calls() {
    return List.copyOf(calls);
  }

  public List<String> lines() {
    return calls.stream().map(Call::line).toList();
  }

  public static String refusal(int code, String message) {
    return """
    {"kind": "Status", "code": %d, "message": "%s"}\
    """
        .formatted(code, message);
  }

  private void answer(HttpExchange exchange) throws IOException {
    var bytes = exchange.getRequestBody().readAllBytes();
    var call =
        new Call(
            exchange.getRequestMethod(),
            exchange.getRequestURI().getPath(),
            String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type")),
            String.valueOf(exchange.getRequestHeaders().getFirst("Accept")),
            bytes.length == 0 ? MissingNode.getInstance() : json.readTree(bytes));
    calls.add(call);
    await(call.line());
    var answer = next(call.line());
    if (answer.code() == 0) {
      exchange.close();
      return;
    }
    var body = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.code(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private void await(String line) throws IOException {
    try {
      held.getOrDefault(line, new CountDownLatch(0)).await();
    } catch (InterruptedException e) {
      throw new InterruptedIOException(e.getMessage());
    }
  }

  private Answer next(String line) {
    var answers = script.get(line);
    if (answers == null) {
      return new Answer(404, refusal(404, "not scripted"));
    }
    synchronized (answers) {
      return answers.size() > 1 ? answers.remove() : answers.element();
    }
  }

  @Override
  public void close() {
    client.close();
    server.stop(0);
  }
}
