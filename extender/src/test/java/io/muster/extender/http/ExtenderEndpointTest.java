package io.muster.extender.http;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.port.Reply;
import io.muster.extender.port.RequestMeter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ExtenderEndpointTest {

  private static final int LIMIT = 1_000_000;

  /** For an answer that does not come at all: a busy machine may take its time. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final String POD =
      """
      {"metadata": {"name": "w-0", "namespace": "ml", "uid": "u0"},
       "spec": {"containers": [], "laterField": {}}}\
      """;

  private final FakeDesk desk = new FakeDesk();
  private final ObjectMapper json = new ObjectMapper();
  private ExtenderServer server;

  @BeforeAll
  void start() {
    var endpoint =
        new ExtenderEndpoint(
            desk,
            pod -> aPod(pod.getMetadata().getNamespace(), pod.getMetadata().getName()).build(),
            new SilentMeter(),
            LIMIT);
    server = new ExtenderServer(endpoint);
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @Test
  void filterListsEveryRejectedNodeAsUnresolvable() {
    desk.filterReply = accept(List.of("n2"), "muster: taken");

    assertThat(post("filter", filterCall("\"n1\", \"n2\", \"n3\"")))
        .isEqualTo(
            """
            {"NodeNames":["n2"],"Nodes":null,"FailedNodes":{},\
            "FailedAndUnresolvableNodes":{"n1":"muster: taken","n3":"muster: taken"},\
            "Error":""}\
            """);
    assertThat(desk.offered).containsExactly("n1", "n2", "n3");
  }

  @Test
  void filterThatPassesEverythingRejectsNothing() {
    desk.filterReply = accept(List.of("n1", "n2"), "");

    assertThat(tree("filter", filterCall("\"n1\", \"n2\"")).path("FailedAndUnresolvableNodes"))
        .isEmpty();
  }

  @Test
  void aRefusalHasAnEmptyListOfNamesNeverNull() {
    desk.filterReply = new Reply.Answered<>(new Answer.Refuse("muster: waiting"));

    var first = post("filter", filterCall("\"n1\", \"n2\""));

    assertThat(first).contains("\"NodeNames\":[]").contains("\"n1\":\"muster: waiting\"");
    assertThat(post("filter", filterCall("\"n1\", \"n2\""))).isEqualTo(first);
  }

  @Test
  void keysAreReadWhateverTheirCase() {
    desk.filterReply = accept(List.of("n1"), "");
    desk.binds.put(
        new PodKey("ml", "w-0", "u0"), CompletableFuture.completedFuture(Optional.empty()));

    assertThat(tree("filter", "{\"nodenames\": [\"n1\"], \"pod\": " + POD + "}").path("NodeNames"))
        .hasSize(1);
    assertThat(
            post(
                "bind",
                "{\"podName\":\"w-0\",\"podnamespace\":\"ml\",\"PODUID\":\"u0\",\"node\":\"n1\"}"))
        .isEqualTo("{\"Error\":\"\"}");
  }

  @Test
  void nodeObjectsAreAnsweredWithTheSettingToChange() {
    var answer =
        tree("filter", "{\"Pod\": " + POD + ", \"Nodes\": {\"items\": [{}]}, \"NodeNames\": null}");

    assertThat(answer.path("Error").asText()).contains("nodeCacheCapable: true");
    assertThat(answer.path("NodeNames").isArray()).isTrue();
  }

  @Test
  void anUnavailableDeskIsAnErrorNeverAPass() {
    desk.filterReply = new Reply.Unavailable<>("muster is starting");
    desk.scores = new Reply.Unavailable<>("muster is starting");

    var answer = tree("filter", filterCall("\"n1\""));

    assertThat(answer.path("Error").asText()).isEqualTo("muster is starting");
    assertThat(answer.path("NodeNames")).isEmpty();
    assertThat(post("prioritize", filterCall("\"n1\""))).isEqualTo("[]");
  }

  @Test
  void prioritizeScoresOfferedNodesInTheirOrder() {
    desk.scores =
        new Reply.Answered<>(new Answer.Scores(Map.of("n1", 0, "n2", 10, "elsewhere", 5)));

    assertThat(post("prioritize", filterCall("\"n2\", \"n1\", \"n3\"")))
        .isEqualTo("[{\"Host\":\"n2\",\"Score\":10},{\"Host\":\"n1\",\"Score\":0}]");
  }

  @Test
  void preemptionForAMemberHasNoCandidates() {
    desk.preemptable = Set.of();

    assertThat(post("preempt", preemptCall("NodeNameToMetaVictims", metaVictims())))
        .isEqualTo("{\"NodeNameToMetaVictims\":{}}");
  }

  @Test
  void preemptionForOthersIsEchoed() {
    desk.preemptable = Set.of("n1");

    assertThat(tree("preempt", preemptCall("NodeNameToMetaVictims", metaVictims())))
        .isEqualTo(read("{\"NodeNameToMetaVictims\": " + metaVictims() + "}"));
    var full =
        """
        {"n1": {"Pods": [{"metadata": {"name": "v", "uid": "v1"}}], "NumPDBViolations": 1}}\
        """;
    assertThat(tree("preempt", preemptCall("NodeNameToVictims", full)))
        .isEqualTo(read("{\"NodeNameToMetaVictims\": " + metaVictims() + "}"));
  }

  @Test
  void heldBindCallsKeepNoThread() {
    var calls =
        IntStream.range(0, 600)
            .mapToObj(i -> server.send("bind", bindCall("held-" + i), PATIENCE))
            .toList();
    await()
        .atMost(PATIENCE)
        .until(
            () -> desk.binds.keySet().stream().filter(ExtenderEndpointTest::held).count() == 600);

    desk.filterReply = accept(List.of("n1"), "");
    assertThat(tree("filter", filterCall("\"n1\"")).path("NodeNames")).hasSize(1);
    desk.binds.forEach((pod, answer) ->
        answer.complete(held(pod) ? Optional.of("gang incomplete") : Optional.empty()));

    assertThat(calls)
        .allSatisfy(
            call -> assertThat(call.join().body()).isEqualTo("{\"Error\":\"gang incomplete\"}"));
  }

  @Test
  void malformedCallsAreToldSoInOneSentence() {
    for (var body :
        List.of(
            "", "{", "[]", "{\"Pod\": 1}", "{\"NodeNames\": [\"n1\"]}", filterCall("1"), "{}{}")) {
      var answer = server.send("filter", body, PATIENCE).join();
      assertThat(answer.statusCode()).as(body).isEqualTo(400);
      assertThat(read(answer.body()).path("error").asText()).isNotEmpty();
    }
    assertThat(server.send("bind", "{\"PodName\": \"w\"}", PATIENCE).join().statusCode())
        .isEqualTo(400);
    assertThat(server.send("preempt", "nonsense", PATIENCE).join().statusCode()).isEqualTo(400);
  }

  @Test
  void aBodyOverTheLimitIsRefused() {
    var answer = server.send("filter", " ".repeat(LIMIT + 1), PATIENCE).join();

    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(read(answer.body()).path("error").asText()).contains("exceeds");
  }

  @Test
  void unknownVerbsAreNotFound() {
    assertThat(server.send("bless", "{}", PATIENCE).join().statusCode()).isEqualTo(404);
  }

  @Test
  void answersFiveThousandNames() {
    desk.filterReply = accept(List.of("node-4711"), "muster: not in the plan");
    var names =
        IntStream.range(0, 5_000)
            .mapToObj(i -> "\"node-" + i + "\"")
            .collect(Collectors.joining(","));

    var answer = tree("filter", filterCall(names));

    assertThat(answer.path("NodeNames")).hasSize(1);
    assertThat(answer.path("FailedAndUnresolvableNodes")).hasSize(4_999);
  }

  private static boolean held(PodKey pod) {
    return pod.name().startsWith("held-");
  }

  private static Reply<Answer> accept(List<String> nodes, String refusal) {
    return new Reply.Answered<>(new Answer.Accept(nodes, refusal));
  }

  private static String filterCall(String names) {
    return "{\"Pod\": " + POD + ", \"Nodes\": null, \"NodeNames\": [" + names + "]}";
  }

  private static String bindCall(String name) {
    return "{\"PodName\":\"%s\",\"PodNamespace\":\"ml\",\"PodUID\":\"u-%s\",\"Node\":\"n1\"}"
        .formatted(name, name);
  }

  private static String preemptCall(String field, String victims) {
    return "{\"Pod\": " + POD + ", \"" + field + "\": " + victims + "}";
  }

  private static String metaVictims() {
    return "{\"n1\":{\"Pods\":[{\"UID\":\"v1\"}],\"NumPDBViolations\":1}}";
  }

  private String post(String verb, String body) {
    var response = server.send(verb, body, PATIENCE).join();
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  private JsonNode tree(String verb, String body) {
    return read(post(verb, body));
  }

  private JsonNode read(String body) {
    try {
      return json.readTree(body);
    } catch (IOException e) {
      throw new AssertionError(body, e);
    }
  }

  /** Counts nothing. */
  private static final class SilentMeter implements RequestMeter {
    @Override
    public void answered(Verb verb, Outcome outcome, Duration took) {}

    @Override
    public void offered(Verb verb, int nodes) {}
  }
}
