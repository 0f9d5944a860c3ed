package io.muster.deploy.release;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.stream.Stream;

/**
 * An API server as far as commands of operators need one: objects by path, lists in pages, merge
 * patches, refusals. Safe for concurrent use.
 */
public final class FakeApi implements AutoCloseable {

  private static final JsonMapper JSON = new JsonMapper();
  private static final Map<String, List<String>> KINDS =
      Map.of(
          "v1",
          List.of(
              "configmaps ConfigMap",
              "persistentvolumeclaims PersistentVolumeClaim",
              "pods Pod",
              "secrets Secret",
              "serviceaccounts ServiceAccount"),
          "apps/v1",
          List.of("deployments Deployment"));

  private final HttpServer server;
  private final Map<String, ObjectNode> objects = new ConcurrentSkipListMap<>();
  private final Map<String, Integer> refusals = new ConcurrentSkipListMap<>();
  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());

  public FakeApi() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
  }

  public KubernetesClient client() {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder()
                .withMasterUrl(url())
                .withRequestRetryBackoffLimit(0)
                .withAutoConfigure(false)
                .build())
        .build();
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Written into the folder. */
  public String kubeconfig(Path folder) throws IOException {
    var file = folder.resolve("kubeconfig");
    Files.writeString(
        file,
        """
        clusters: [{name: c, cluster: {server: "%s"}}]
        contexts: [{name: c, context: {cluster: c, user: u}}]
        users: [{name: u, user: {token: t}}]
        current-context: c
        """
            .formatted(url()));
    return file.toString();
  }

  /** Has it from now on. */
  public FakeApi with(String path, HasMetadata object) {
    try {
      var json = (ObjectNode) JSON.readTree(Serialization.asJson(object));
      objects.put(path + "/" + object.getMetadata().getName(), json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** Answers so to a method and path. */
  public FakeApi refuses(String methodAndPath, int code) {
    refusals.put(methodAndPath, code);
    return this;
  }

  public boolean has(String path) {
    return objects.containsKey(path);
  }

  public JsonNode object(String path) {
    return objects.get(path);
  }

  /** Each as method, path and query, in the order in which they came. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      var method = exchange.getRequestMethod();
      var path = exchange.getRequestURI().getPath();
      var body = exchange.getRequestBody().readAllBytes();
      requests.add(method + " " + exchange.getRequestURI());
      var refusal = refusals.get(method + " " + path);
      if (refusal != null) {
        send(exchange, refusal, status(refusal, "not by " + path));
        return;
      }
      switch (method) {
        case "GET" -> read(exchange, path);
        case "PATCH" -> patch(exchange, path.replaceAll("/(status|scale)$", ""), body);
        case "DELETE" -> found(exchange, path, objects.remove(path));
        default -> send(exchange, 405, status(405, method));
      }
    }
  }

  private void read(HttpExchange exchange, String path) throws IOException {
    if (path.equals("/version")) {
      send(exchange, 200, JSON.createObjectNode().put("major", "1").put("minor", "33"));
    } else if (path.equals("/apis")) {
      send(exchange, 200, groups());
    } else if (path.equals("/api/v1") || path.equals("/apis/apps/v1")) {
      send(exchange, 200, resources(path.replaceFirst("/apis?/", "")));
    } else if (objects.containsKey(path)) {
      send(exchange, 200, objects.get(path));
    } else if (isList(path)) {
      send(exchange, 200, list(exchange, path));
    } else {
      send(exchange, 404, status(404, "there is no " + path));
    }
  }

  private static boolean isList(String path) {
    var parts = path.split("/", -1);
    int kind = path.startsWith("/api/") ? 3 : 4;
    return parts.length == kind + 1
        || (parts.length == kind + 3 && parts[kind].equals("namespaces"));
  }

  private JsonNode list(HttpExchange exchange, String path) {
    var asked = query(exchange);
    var every = path.contains("/namespaces/") ? "[^/]+" : "";
    var pattern =
        every.isEmpty()
            ? path.replaceFirst("/([^/]+)$", "(/namespaces/[^/]+)?/$1/[^/]+")
            : path + "/[^/]+";
    var found =
        objects.entrySet().stream()
            .filter(entry -> entry.getKey().matches(pattern))
            .map(Map.Entry::getValue)
            .filter(object -> bears(object, asked.getOrDefault("labelSelector", "")))
            .toList();
    int from = Integer.parseInt(asked.getOrDefault("continue", "0"));
    int limit = Integer.parseInt(asked.getOrDefault("limit", "100000"));
    int to = Math.min(found.size(), from + limit);
    var list = JSON.createObjectNode().put("kind", "List").put("apiVersion", "v1");
    list.putObject("metadata").put("continue", to < found.size() ? "" + to : "");
    list.putArray("items").addAll(found.subList(from, to));
    return list;
  }

  private static boolean bears(JsonNode object, String selector) {
    return Arrays.stream(selector.split(","))
        .filter(one -> !one.isEmpty())
        .map(one -> one.split("=", 2))
        .allMatch(
            one -> object.path("metadata").path("labels").path(one[0]).asText().equals(one[1]));
  }

  private static Map<String, String> query(HttpExchange exchange) {
    var asked = new TreeMap<String, String>();
    Stream.ofNullable(exchange.getRequestURI().getRawQuery())
        .flatMap(query -> Arrays.stream(query.split("&")))
        .map(one -> URLDecoder.decode(one, StandardCharsets.UTF_8).split("=", 2))
        .filter(one -> !one[1].isEmpty())
        .forEach(one -> asked.put(one[0], one[1]));
    return asked;
  }

  private void patch(HttpExchange exchange, String path, byte[] body) throws IOException {
    var object = objects.get(path);
    if (object != null) {
      merge(object, (ObjectNode) JSON.readTree(body));
    }
    found(exchange, path, object);
  }

  private static void merge(ObjectNode target, ObjectNode patch) {
    patch
        .properties()
        .forEach(field -> {
          var name = field.getKey();
          if (field.getValue().isNull()) {
            target.remove(name);
          } else if (field.getValue() instanceof ObjectNode deeper) {
            merge(target.withObjectProperty(name), deeper);
          } else if (name.equals("schedulingGates")) {
            target.remove(name);
          } else {
            target.set(name, field.getValue());
          }
        });
  }

  private static void found(HttpExchange exchange, String path, JsonNode object)
      throws IOException {
    send(
        exchange,
        object == null ? 404 : 200,
        object == null ? status(404, "there is no " + path) : object);
  }

  private static JsonNode groups() {
    var list = JSON.createObjectNode().put("kind", "APIGroupList").put("apiVersion", "v1");
    list.putArray("groups")
        .addObject()
        .put("name", "apps")
        .putObject("preferredVersion")
        .put("groupVersion", "apps/v1")
        .put("version", "v1");
    return list;
  }

  private static JsonNode resources(String groupVersion) {
    var list = JSON.createObjectNode().put("kind", "APIResourceList").put("apiVersion", "v1");
    var resources = list.put("groupVersion", groupVersion).putArray("resources");
    for (var kind : KINDS.get(groupVersion)) {
      var names = kind.split(" ", -1);
      var resource = resources.addObject().put("name", names[0]).put("kind", names[1]);
      resource.put("namespaced", true).putArray("verbs").add("delete").add("get").add("list");
    }
    return list;
  }

  private static JsonNode status(int code, String message) {
    return JSON.createObjectNode()
        .put("kind", "Status")
        .put("apiVersion", "v1")
        .put("status", "Failure")
        .put("message", message)
        .put("code", code);
  }

  private static void send(HttpExchange exchange, int code, JsonNode answer) throws IOException {
    var body = JSON.writeValueAsBytes(answer);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
