package io.muster.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Node;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.muster.extender.app.ExtenderService;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.http.ExtenderEndpoint;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.metrics.ExtenderMeters;
import io.muster.extender.port.LeaderLease;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls of kube-scheduler, to the decisions themselves. */
final class SchedulerCalls {

  /** Of names that are longer than any node's, kube-scheduler gets its answer all the same. */
  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder()
              .streamReadConstraints(
                  StreamReadConstraints.builder().maxNameLength(Integer.MAX_VALUE).build())
              .build());

  private static final List<String> VERBS = List.of("filter", "prioritize", "preempt", "bind");

  /** After so many a new Muster begins, as after a restart: pods of earlier calls are forgotten. */
  private static final int CALLS_OF_ONE = 2_000;

  private final List<JsonNode> pods = Corpus.pods();
  private final PodConverter translation = new PodConverter(new DialectDetector());
  private final AtomicInteger faults = new AtomicInteger();
  private Endpoint extender = begun();
  private int calls;

  private static final LeaderLease FOR_EVER =
      new LeaderLease() {
        @Override
        public Instant heldUntil() {
          return Instant.MAX;
        }

        @Override
        public boolean followsAnother() {
          return false;
        }
      };

  private Endpoint begun() {
    var meters = new ExtenderMeters(new SimpleMeterRegistry());
    var desk =
        new ExtenderService(
            new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.AUTO)),
            Deadlines.DEFAULT,
            (_, _) -> {},
            new ExtenderService.Surroundings(
                InstantSource.system(),
                InstantSource.system(),
                Runnable::run,
                _ -> faults.incrementAndGet(),
                meters.gangs(),
                FOR_EVER));
    var events = Thread.ofVirtual().start(desk::takeEvents);
    for (var object : Corpus.cluster()) {
      if (object.path("kind").asText().equals("Node")) {
        for (int i = 1; i <= 3; i++) {
          desk.accept(new Event.NodeSeen(translation.node(node(object, "n" + i))));
        }
      }
    }
    desk.accept(new Event.Ready());
    while (!desk.isReady() && events.isAlive()) {
      Thread.onSpinWait();
    }
    return new Endpoint(new ExtenderEndpoint(desk, translation::pod, meters)::register);
  }

  private static Node node(JsonNode object, String name) {
    ObjectNode named = object.deepCopy();
    named.withObject("/metadata").put("name", name);
    return JSON.convertValue(named, Node.class);
  }

  void check(long seed) {
    calls++;
    if (calls % CALLS_OF_ONE == 0) {
      extender = begun();
    }
    var mutator = new Mutator(seed);
    var verb = mutator.oneOf(VERBS);
    var call = mutator.broken(call(verb, mutator));
    boolean isTorn = mutator.chance(10);
    var body = isTorn ? mutator.torn(call) : call.toString().getBytes(UTF_8);
    var what = verb + " " + new String(body, UTF_8);

    var answer = post(verb, body, what);

    assertThat(faults.getAndSet(0)).as(what).isZero();
    if (answer.status() == 0) {
      assertThat(verb).as("is held").isEqualTo("bind");
      return;
    }
    var json = read(answer.body(), what);
    assertThat(answer.status()).as(what).isIn(200, 400);
    if (answer.status() == 400) {
      var sentence = json.path("error").asText();
      assertThat(sentence).as(what).isNotBlank();
      if (!isTorn) {
        Refusals.checkNames(mutator.touched(), sentence);
      }
    } else if (!isTorn) {
      checkForm(verb, read(body, what), json, what);
    }
  }

  private static void checkForm(String verb, JsonNode call, JsonNode answer, String what) {
    switch (verb) {
      case "filter" -> checkFilter(call, answer, what);
      case "prioritize" -> {
        assertThat(answer.isArray()).as(what).isTrue();
        answer.forEach(score -> {
          assertThat(score.path("Host").isTextual()).as(what).isTrue();
          assertThat(score.path("Score").asInt(-1)).as(what).isBetween(0, 10);
        });
      }
      case "preempt" ->
          assertThat(answer.path("NodeNameToMetaVictims").isObject()).as(what).isTrue();
      default -> assertThat(answer.path("Error").isTextual()).as(what).isTrue();
    }
  }

  /** A pass names only what was offered, and each node offered is in it or rejected. */
  private static void checkFilter(JsonNode call, JsonNode answer, String what) {
    assertThat(answer.path("NodeNames").isArray()).as(what).isTrue();
    if (!answer.path("Error").asText().isEmpty()) {
      assertThat(answer.path("NodeNames")).as(what).isEmpty();
      return;
    }
    Set<String> offered = new HashSet<>();
    for (var property : call.properties()) {
      if (property.getKey().toLowerCase(Locale.ROOT).equals("nodenames")) {
        property.getValue().forEach(name -> offered.add(name.asText()));
      }
    }
    Set<String> spoken = new HashSet<>();
    answer.path("NodeNames").forEach(name -> spoken.add(name.asText()));
    answer.path("FailedAndUnresolvableNodes").fieldNames().forEachRemaining(spoken::add);
    assertThat(spoken).as(what).isEqualTo(offered);
  }

  private ObjectNode call(String verb, Mutator mutator) {
    var call = JSON.createObjectNode();
    if (verb.equals("bind")) {
      return call.put("PodName", "w-0")
          .put("PodNamespace", "ml")
          .put("PodUID", "u0")
          .put("Node", "n1");
    }
    call.set("Pod", mutator.oneOf(pods));
    if (verb.equals("preempt")) {
      var of = mutator.chance(50) ? "NodeNameToVictims" : "NodeNameToMetaVictims";
      var victims = call.putObject(of).putObject("n1").put("NumPDBViolations", 1);
      var victim = victims.putArray("Pods").addObject();
      victim.put("UID", "v").putObject("metadata").put("uid", "v");
      return call;
    }
    call.putNull("Nodes").putArray("NodeNames").add("n1").add("n2").add("n3").add("unknown");
    return call;
  }

  private Endpoint.Answer post(String verb, byte[] body, String what) {
    try {
      return extender.post("/v1/" + verb, body);
    } catch (Exception e) {
      throw new AssertionError(what, e);
    }
  }

  private static JsonNode read(byte[] body, String what) {
    try {
      return JSON.readTree(body);
    } catch (IOException e) {
      throw new AssertionError(what, e);
    }
  }
}
