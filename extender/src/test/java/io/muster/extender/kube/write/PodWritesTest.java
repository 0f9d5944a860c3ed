package io.muster.extender.kube.write;

import static io.muster.extender.kube.ScriptedApi.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Effect;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PodWritesTest {

  private static final PodKey POD = new PodKey("ml", "w-0", "u0");
  private static final String PATH = "/api/v1/namespaces/ml/pods/w-0";
  private static final String EVENTS = "/api/v1/namespaces/ml/events";

  private final WritesFixture fixture = new WritesFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void takesOnlyItsOwnGateOff() {
    fixture.api.on("PATCH " + PATH, 200, "{}");

    fixture.run(new Effect.Ungate(POD, Optional.empty()));

    var call = fixture.api.calls().getFirst();
    assertThat(call.contentType()).startsWith("application/json-patch+json");
    assertThat(call.body().toString())
        .isEqualTo(
            """
            [{"op":"replace","path":"/metadata/uid","value":"u0"},\
            {"op":"test","path":"/spec/schedulingGates/0/name","value":"muster.io/gang"},\
            {"op":"remove","path":"/spec/schedulingGates/0","value":null}]\
            """);
  }

  @Test
  void nothingThatIsWrittenToAPodWaitsForAnEvent() {
    fixture.api.on("PATCH " + PATH + "/status", 200, "{}").on("PATCH " + PATH, 200, "{}");
    fixture.atOnce = false;

    fixture.run(
        new Effect.Warn(POD, "MemberUnmarked", "it runs alone"),
        new Effect.Explain(POD, "no room", true),
        new Effect.Ungate(POD, Optional.empty()));
    fixture.waiting.stream().skip(1).forEach(Runnable::run);

    assertThat(fixture.api.lines()).containsExactly("PATCH " + PATH + "/status", "PATCH " + PATH);
    fixture.waiting.remove().run();
    assertThat(fixture.api.lines()).endsWith("POST " + EVENTS, "POST " + EVENTS);
  }

  @Test
  void tiesAPodAsItTakesTheGateOff() {
    fixture.api.on("PATCH " + PATH, 200, "{}");

    fixture.run(new Effect.Ungate(POD, Optional.of(new NodePin("7", List.of("n1", "n2")))));

    assertThat(fixture.api.calls()).hasSize(1);
    var steps = fixture.api.calls().getFirst().body();
    assertThat(steps.get(3).toString())
        .isEqualTo(
            "{\"op\":\"add\",\"path\":\"/metadata/annotations/muster.io~1pinned\","
                + "\"value\":\"7:n1,n2\"}");
    assertThat(steps.get(4).toString())
        .isEqualTo("{\"op\":\"test\",\"path\":\"/spec/affinity\",\"value\":null}");
    assertThat(steps.get(5).path("path").asText()).isEqualTo("/spec/affinity");
    areTied(steps.get(5).path("value"));
  }

  @Test
  void mergesWhereThePodIsOtherwise() {
    fixture
        .api
        .on("PATCH " + PATH, 422, refusal(422, "a test failed"))
        .on("PATCH " + PATH, 200, "{}");

    fixture.run(new Effect.Ungate(POD, Optional.of(new NodePin("7", List.of("n1", "n2")))));

    assertThat(fixture.api.calls()).hasSize(2);
    var call = fixture.api.calls().getLast();
    assertThat(call.contentType()).startsWith("application/strategic-merge-patch+json");
    assertThat(call.body().at("/metadata/uid").asText()).isEqualTo("u0");
    assertThat(call.body().at("/metadata/annotations").path("muster.io/pinned").asText())
        .isEqualTo("7:n1,n2");
    assertThat(call.body().at("/spec/schedulingGates").toString())
        .contains("\"$patch\":\"delete\"")
        .contains("\"name\":\"muster.io/gang\"");
    areTied(call.body().at("/spec/affinity"));
  }

  @Test
  void tiesAPodWithAffinityOfItsOwnInOneWrite() {
    fixture.api.on("PATCH " + PATH, 200, "{}");
    var pin = new NodePin("7", List.of("n1", "n2"));

    fixture.run(new Effect.Ungate(POD, Optional.of(pin), true, false, Effect.Location.UNTOLD));

    assertThat(fixture.api.calls()).hasSize(1);
    var call = fixture.api.calls().getFirst();
    assertThat(call.contentType()).startsWith("application/strategic-merge-patch+json");
    areTied(call.body().at("/spec/affinity"));
  }

  @Test
  void saysThatAReleasedPodHadAController() {
    fixture
        .api
        .on("PATCH " + PATH, 422, refusal(422, "no annotations"))
        .on("PATCH " + PATH, 200, "{}");

    fixture.run(new Effect.Ungate(POD, Optional.empty(), false, true, Effect.Location.UNTOLD));

    assertThat(fixture.api.calls()).hasSize(2);
    assertThat(fixture.api.calls().getFirst().body().get(3).toString())
        .isEqualTo(
            "{\"op\":\"add\",\"path\":\"/metadata/annotations/muster.io~1controlled\","
                + "\"value\":\"true\"}");
    assertThat(fixture.api.calls().getLast().body().at("/metadata/annotations").toString())
        .isEqualTo("{\"muster.io/controlled\":\"true\"}");
  }

  @Test
  void mergesNothingIntoAPodOfAnotherUid() {
    fixture.api.on(
        "PATCH " + PATH,
        422,
        "{\"details\": {\"causes\": [{\"field\": \"metadata.uid\"}]}, \"message\": \"no\"}");

    fixture.run(new Effect.Ungate(POD, Optional.empty()));

    assertThat(fixture.api.calls()).hasSize(1);
  }

  private static void areTied(JsonNode affinity) {
    var terms =
        affinity.at(
            "/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms");
    assertThat(terms).hasSize(2);
    assertThat(terms.at("/0/matchFields/0").path("key").asText()).isEqualTo("metadata.name");
    assertThat(terms.at("/0/matchFields/0").path("operator").asText()).isEqualTo("In");
    assertThat(terms.at("/0/matchFields/0/values").toString()).isEqualTo("[\"n1\"]");
    assertThat(terms.at("/1/matchFields/0/values").toString()).isEqualTo("[\"n2\"]");
  }

  @Test
  void releasesAMemberInOneWriteThatKeepsItsOwnTermsAsTheyStand() {
    fixture.api.on("PATCH " + PATH, 200, "{}");
    var disk = new Requirement("disk", Operator.IN, new LinkedHashSet<>(List.of("z", "a", "m")));
    var local = new Requirement("local", Operator.EXISTS, Set.of());
    var name = new Requirement("metadata.name", Operator.IN, Set.of("n1"));

    fixture.run(
        new Effect.Release(
            POD,
            new NodePin("7", List.of("n1")),
            List.of(new NodeTerm(List.of(disk, local), List.of(name))),
            3,
            true,
            Effect.Location.UNTOLD));

    var body = fixture.api.calls().getFirst().body();
    assertThat(body.at("/metadata/uid").asText()).isEqualTo("u0");
    assertThat(body.at("/metadata/annotations").toString())
        .contains("\"muster.io/pinned\":\"7:n1\"")
        .contains("\"muster.io/gang-incarnation\":\"3\"")
        .contains("\"muster.io/controlled\":\"true\"");
    assertThat(body.at("/spec/schedulingGates/0").path("name").asText())
        .isEqualTo("muster.io/gang");
    var terms =
        body.at(
            "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
                + "/nodeSelectorTerms");
    assertThat(terms).hasSize(1);
    assertThat(terms.at("/0/matchExpressions/0/values").toString())
        .isEqualTo("[\"z\",\"a\",\"m\"]");
    assertThat(terms.at("/0/matchExpressions/1").has("values")).isFalse();
    assertThat(terms.at("/0/matchFields/0/values").toString()).isEqualTo("[\"n1\"]");
  }

  @Test
  void tellsAMemberWhereItIsInTheWriteThatReleasesIt() {
    fixture.api.on("PATCH " + PATH, 200, "{}");
    var location = new Effect.Location(Optional.of(3), Optional.of("r7"));

    fixture.run(
        new Effect.Release(POD, new NodePin("7", List.of("n1")), List.of(), 3, true, location));
    fixture.run(new Effect.Ungate(POD, Optional.empty(), false, false, location));

    assertThat(fixture.api.calls()).hasSize(2);
    assertThat(fixture.api.calls().getFirst().body().at("/metadata/annotations").toString())
        .contains("\"muster.io/segment\":\"3\"", "\"muster.io/domain\":\"r7\"");
    assertThat(fixture.api.calls().getLast().body().toString())
        .contains(
            "/metadata/annotations/muster.io~1segment", "/metadata/annotations/muster.io~1domain");
  }

  @Test
  void aPatchedPodIsNotSentBackWhole() {
    fixture.api.on("PATCH " + PATH, 200, "{}");

    fixture.run(
        new Effect.Release(
            POD, new NodePin("7", List.of("n1")), List.of(), 3, true, Effect.Location.UNTOLD));
    fixture.run(new Effect.Wake(POD, 42));

    assertThat(fixture.api.calls())
        .hasSize(2)
        .allMatch(call -> call.accept().startsWith("application/json;as=PartialObjectMetadata;"))
        // An API server that cannot do that, and each failure.
        .allMatch(call -> call.accept().endsWith(",application/json"));
  }

  @Test
  void wakesByAnAnnotation() {
    fixture.api.on("PATCH " + PATH, 200, "{}");

    fixture.run(new Effect.Wake(POD, 42));

    var call = fixture.api.calls().getFirst();
    assertThat(call.contentType()).startsWith("application/merge-patch+json");
    assertThat(call.body().at("/metadata/annotations").path("muster.io/wake").asText())
        .isEqualTo("42");
  }

  @Test
  void aPodThatIsGoneOrAnotherNeedsNothing() {
    fixture
        .api
        .on("PATCH " + PATH, 404, refusal(404, "gone"))
        .on("PATCH " + PATH, 409, refusal(409, "uid"))
        .on(
            "PATCH " + PATH,
            422,
            "{\"details\": {\"causes\": [{\"field\": \"metadata.uid\"}]}, \"message\": \"no\"}")
        .on("PATCH " + PATH, 422, refusal(422, "spec"));

    for (int turn = 0; turn < 4; turn++) {
      fixture.run(new Effect.Wake(POD, turn));
    }

    assertThat(fixture.counted)
        .containsExactly("WAKE NEEDLESS", "WAKE NEEDLESS", "WAKE NEEDLESS", "WAKE FAILED");
  }

  @Test
  void outlastsAShortOutage() {
    fixture
        .api
        .on("PATCH " + PATH, 503, "")
        .on("PATCH " + PATH, 429, "")
        .on("PATCH " + PATH, 200, "{}");

    fixture.run(new Effect.Ungate(POD, Optional.empty()));

    assertThat(fixture.counted).containsExactly("UNGATE DONE");
  }

  @Test
  void theSameSentenceIsOneEventThatCounts() {
    fixture.api.on("POST " + EVENTS, 201, "{}");
    var explain = new Effect.Explain(POD, "muster: no room", false);

    fixture.run(explain);
    var created = fixture.api.calls().getFirst().body();
    var event = EVENTS + "/" + created.at("/metadata/name").asText();
    fixture.api.on("PATCH " + event, 200, "{}");
    fixture.now = fixture.now.plusSeconds(13);
    fixture.run(explain);

    assertThat(created.at("/involvedObject/uid").asText()).isEqualTo("u0");
    assertThat(created.at("/type").asText()).isEqualTo("Warning");
    assertThat(created.at("/reason").asText()).isEqualTo("FailedScheduling");
    assertThat(created.at("/source/component").asText()).isEqualTo("muster");
    assertThat(created.at("/firstTimestamp").asText()).isEqualTo("2026-01-01T00:00:00Z");
    var counted = fixture.api.calls().getLast();
    assertThat(counted.line()).isEqualTo("PATCH " + event);
    assertThat(counted.body().at("/count").asInt()).isEqualTo(2);
    assertThat(counted.body().at("/lastTimestamp").asText()).isEqualTo("2026-01-01T00:00:13Z");
  }

  @Test
  void aWarningIsAnEventOfItsReason() {
    fixture.api.on("POST " + EVENTS, 201, "{}");

    fixture.run(new Effect.Warn(POD, "MemberUnmarked", "started without Muster"));

    var created = fixture.api.calls().getFirst().body();
    assertThat(created.at("/involvedObject/uid").asText()).isEqualTo("u0");
    assertThat(created.at("/type").asText()).isEqualTo("Warning");
    assertThat(created.at("/reason").asText()).isEqualTo("MemberUnmarked");
    assertThat(created.at("/message").asText()).isEqualTo("started without Muster");
    assertThat(fixture.counted).containsExactly("EXPLAIN DONE");
  }

  @Test
  void goesOnCountingAnEventOfAnEarlierLife() {
    fixture.api.on("POST " + EVENTS, 201, "{}");
    var explain = new Effect.Explain(POD, "muster: no room", false);
    fixture.run(explain);
    var name = fixture.api.calls().getFirst().body().at("/metadata/name").asText();

    try (var next = new WritesFixture()) {
      next.api
          .on("POST " + EVENTS, 409, refusal(409, "exists"))
          .on("PATCH " + EVENTS + "/" + name, 200, "{\"count\": 7}");
      next.run(explain);

      assertThat(next.api.calls().getLast().body().at("/count").asInt()).isEqualTo(8);
    }
  }

  @Test
  void makesAGatedPodLookUnschedulable() {
    fixture.api.on("PATCH " + PATH + "/status", 200, "{}").on("POST " + EVENTS, 201, "{}");

    fixture.run(new Effect.Explain(POD, "muster: " + "x".repeat(2_000), true));

    var condition = fixture.api.calls().getFirst().body().at("/status/conditions/0");
    assertThat(condition.path("type").asText()).isEqualTo("PodScheduled");
    assertThat(condition.path("status").asText()).isEqualTo("False");
    assertThat(condition.path("reason").asText()).isEqualTo("Unschedulable");
    assertThat(condition.path("message").asText()).hasSize(1_024);
    assertThat(fixture.api.calls().getLast().body().at("/message").asText()).hasSize(1_024);
  }
}
