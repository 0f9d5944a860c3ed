package io.muster.extender.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.muster.extender.app.ExtenderService;
import io.muster.extender.core.NodeBuilder;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.metrics.ExtenderMeters;
import io.muster.extender.port.FixedTenure;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletionException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.awaitility.Awaitility;

/**
 * Calls of kube-scheduler with anything broken in them, through HTTP to the real decisions: each is
 * answered at once, in JSON, with a cause where it fails, and never passes a node not offered.
 */
final class ExtenderFuzzProperties {

  private static final int LIMIT = 1_000_000;
  private static final Duration AT_ONCE = Duration.ofSeconds(5);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> VERBS = List.of("filter", "prioritize", "preempt", "bind");
  private static final String POD =
      """
      {"apiVersion": "v1", "kind": "Pod",
       "metadata": {"name": "w-0", "namespace": "ml", "uid": "u0", "generation": 1,
         "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"app": "a"},
         "annotations": {"muster.io/gang-name": "g", "muster.io/gang-min": "2",
           "muster.io/gang-groups": "[\\"ml/g\\"]", "muster.io/gang-timeout": "10s"},
         "ownerReferences": [{"kind": "Job", "name": "j", "uid": "o", "controller": true}]},
       "spec": {"schedulerName": "default-scheduler", "nodeSelector": {"pool": "a"},
         "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoSchedule",
           "tolerationSeconds": 3}],
         "schedulingGates": [{"name": "g"}], "overhead": {"cpu": "1m"},
         "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": [{"matchExpressions":
             [{"key": "pool", "operator": "In", "values": ["a"]}]}]}}},
         "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
         "initContainers": [{"name": "i", "restartPolicy": "Always",
           "resources": {"requests": {"cpu": "1"}}}],
         "containers": [{"name": "c", "ports": [{"containerPort": 80, "hostPort": 80}],
           "resources": {"limits": {"nvidia.com/gpu": "1", "memory": "1Gi"},
             "requests": {"cpu": "100m"}}}]},
       "status": {"phase": "Pending", "nominatedNodeName": "n1",
         "conditions": [{"type": "PodScheduled", "status": "False"}]}}\
      """;

  private static ExtenderService desk;
  private static Thread decisions;
  private static ExtenderServer server;

  @BeforeContainer
  static void start() {
    var meters = new ExtenderMeters(new SimpleMeterRegistry());
    desk =
        new ExtenderService(
            new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.AUTO)),
            Deadlines.DEFAULT,
            (_, _) -> {},
            new ExtenderService.Surroundings(
                InstantSource.system(),
                Runnable::run,
                meters,
                meters.gangs(),
                FixedTenure.FOR_EVER));
    decisions = Thread.ofVirtual().start(desk::takeEvents);
    for (int i = 1; i <= 3; i++) {
      desk.accept(new Event.NodeSeen(NodeBuilder.aNode("n" + i).gpus(4).build()));
    }
    desk.accept(new Event.Ready());
    Awaitility.await().until(desk::isReady);
    var endpoint =
        new ExtenderEndpoint(desk, new PodConverter(new DialectDetector())::pod, meters, LIMIT);
    server = new ExtenderServer(endpoint);
  }

  @AfterContainer
  static void stop() {
    server.close();
    decisions.interrupt();
  }

  @Property(tries = 1_000)
  void aCallWithOneWrongValueHasItsAnswer(@ForAll Random random) {
    var verb = VERBS.get(random.nextInt(VERBS.size()));
    var call = call(verb, random);
    for (int i = random.nextInt(3); i >= 0; i--) {
      spoil(call, random);
    }

    check(verb, call.toString());
  }

  @Property(tries = 500)
  void aCallThatBreaksOffOrIsGarbledHasItsAnswer(@ForAll Random random) {
    var verb = VERBS.get(random.nextInt(VERBS.size()));
    var text = new StringBuilder(call(verb, random).toString());
    switch (random.nextInt(4)) {
      case 0 -> text.setLength(random.nextInt(text.length()));
      case 1 -> text.setCharAt(random.nextInt(text.length()), (char) random.nextInt(0x250));
      case 2 ->
          text.insert(random.nextInt(text.length()), "\"{[]},:\\\u0000".charAt(random.nextInt(8)));
      default -> text.append(text, 0, random.nextInt(text.length()));
    }

    check(verb, text.toString());
  }

  @Property(tries = 20)
  void aCallNestedDeeplyOrFilledUpHasItsAnswer(@ForAll Random random) {
    var verb = VERBS.get(random.nextInt(VERBS.size()));
    int depth = 1 << random.nextInt(4, 18);
    var deep = "[".repeat(depth) + "]".repeat(depth);
    var objects = "{\"a\":".repeat(depth) + "1" + "}".repeat(depth);
    var value = random.nextBoolean() ? deep : objects;
    var field = List.of("Pod", "NodeNames", "Later", "NodeNameToVictims").get(random.nextInt(4));

    check(verb, "{\"" + field + "\":" + value + "}");
    check(verb, "{\"Pod\":{\"spec\":{\"later\":" + value + "}},\"NodeNames\":[\"n1\"]}");
    check(verb, value);
    check(verb, "{\"Later\":\"" + "x".repeat(random.nextInt(2 * LIMIT)) + "\"}");
  }

  @Property(tries = 50)
  void verbsThatDoNotExistAreNotFound(@ForAll Random random) {
    var verb = Integer.toString(random.nextInt(1_000_000), 36);

    assertThat(post(verb, call("filter", random).toString()).statusCode()).isEqualTo(404);
  }

  private static void check(String verb, String body) {
    var answer = post(verb, body);

    assertThat(answer.body()).as(body).doesNotContain("\tat ", "Exception", "java.");
    var content = content(answer, body);
    if (answer.statusCode() != 200) {
      assertThat(answer.statusCode()).as(body).isIn(400, 413);
      assertThat(content.path("error").asText()).as(body).isNotBlank();
    } else if (verb.equals("filter")) {
      checkFilter(content, body);
    }
  }

  /** A pass names only what was offered, and each node offered is in it or rejected. */
  private static void checkFilter(JsonNode answer, String body) {
    assertThat(answer.path("NodeNames").isArray()).as(body).isTrue();
    if (!answer.path("Error").asText().isEmpty()) {
      assertThat(answer.path("NodeNames")).as(body).isEmpty();
      return;
    }
    var offered = new HashSet<String>();
    for (var property : parsed(body).properties()) {
      if (property.getKey().equalsIgnoreCase("NodeNames") && property.getValue().isArray()) {
        property.getValue().forEach(name -> offered.add(name.asText()));
      }
    }
    var spoken = new HashSet<String>();
    answer.path("NodeNames").forEach(name -> spoken.add(name.asText()));
    answer.path("FailedAndUnresolvableNodes").fieldNames().forEachRemaining(spoken::add);
    assertThat(spoken).as(body).isEqualTo(offered);
  }

  private static JsonNode content(HttpResponse<String> answer, String body) {
    try {
      return JSON.readTree(answer.body());
    } catch (JacksonException e) {
      throw new AssertionError(
          "HTTP %d with %s to %s".formatted(answer.statusCode(), answer.body(), body), e);
    }
  }

  private static ObjectNode call(String verb, Random random) {
    var call = JSON.createObjectNode();
    switch (verb) {
      case "bind" -> {
        call.put("PodName", "b-" + random.nextInt(9)).put("PodNamespace", "ml");
        call.put("PodUID", "b" + random.nextInt(9)).put("Node", "n1");
      }
      case "preempt" -> {
        call.set("Pod", pod(random));
        call.set(
            "NodeNameToVictims",
            parsed("{\"n1\":{\"Pods\":[{\"metadata\":{\"uid\":\"v\"}}],\"NumPDBViolations\":1}}"));
        call.set("NodeNameToMetaVictims", parsed("{\"n2\":{\"Pods\":[{\"UID\":\"v\"}]}}"));
        if (random.nextBoolean()) {
          call.remove("NodeNameToMetaVictims");
        }
      }
      default -> {
        call.set("Pod", pod(random));
        call.putNull("Nodes");
        call.set("NodeNames", parsed("[\"n1\",\"n2\",\"n3\",\"unknown\"]"));
      }
    }
    if (random.nextInt(4) == 0) {
      var lower = JSON.createObjectNode();
      call.properties().forEach(p -> lower.set(p.getKey().toLowerCase(Locale.ROOT), p.getValue()));
      return lower;
    }
    return call;
  }

  private static JsonNode pod(Random random) {
    var pod = (ObjectNode) parsed(POD);
    pod.withObject("/metadata").put("uid", "u" + random.nextInt(50));
    return pod;
  }

  /** Puts a value of any type at any place, or takes one away. */
  private static void spoil(JsonNode root, Random random) {
    var places = new ArrayList<Runnable>();
    collect(root, random, places);
    if (!places.isEmpty()) {
      places.get(random.nextInt(places.size())).run();
    }
  }

  private static void collect(JsonNode at, Random random, List<Runnable> places) {
    if (at instanceof ObjectNode object) {
      for (var property : object.properties()) {
        var key = property.getKey();
        places.add(() -> object.set(key, anything(random)));
        places.add(() -> object.set(key, anything(random)));
        places.add(() -> object.remove(key));
        collect(property.getValue(), random, places);
      }
    } else if (at instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        int index = i;
        places.add(() -> array.set(index, anything(random)));
        collect(array.get(i), random, places);
      }
      places.add(() -> array.add(anything(random)));
    }
  }

  private static JsonNode anything(Random random) {
    var values =
        List.of(
            "null",
            "[]",
            "{}",
            "[null]",
            "[1]",
            "{\"\":null}",
            "\"\"",
            "\"x\"",
            "\"-1\"",
            "\"1e400\"",
            "\"99999999999999999999999\"",
            "true",
            "0",
            "-1",
            "1.5",
            "9223372036854775808",
            "[[[[]]]]",
            "{\"a\":{\"b\":{}}}",
            "[\"n1\",\"n1\"]",
            "\"2026-13-45T00:00:00Z\"",
            "\"\\u0000\\ufffd\"");
    return parsed(values.get(random.nextInt(values.size())));
  }

  private static JsonNode parsed(String text) {
    try {
      return JSON.readTree(text);
    } catch (JacksonException _) {
      return JSON.createObjectNode();
    }
  }

  private static HttpResponse<String> post(String verb, String body) {
    try {
      return server.send(verb, body, AT_ONCE).join();
    } catch (CompletionException e) {
      throw new AssertionError(
          "no answer to " + body.substring(0, Math.min(2_000, body.length())), e);
    }
  }
}
