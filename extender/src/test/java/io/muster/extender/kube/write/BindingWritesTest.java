package io.muster.extender.kube.write;

import static io.muster.extender.kube.ScriptedApi.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.gang.Gangs;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class BindingWritesTest {

  private static final PodKey POD = new PodKey("ml", "w-0", "u0");
  private static final String PATH = "/api/v1/namespaces/ml/pods/w-0";
  private static final String BINDING = "POST " + PATH + "/binding";

  private final WritesFixture fixture = new WritesFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void bindsByUidAndStampsTheIncarnation() {
    fixture.api.on(BINDING, 201, "{}");

    assertThat(bind(2)).isEqualTo(new BindingOutcome.Bound());

    var body = fixture.api.calls().getFirst().body();
    assertThat(body.at("/metadata/uid").asText()).isEqualTo("u0");
    assertThat(body.at("/metadata/annotations").path("muster.io/gang-incarnation").asText())
        .isEqualTo("2");
    assertThat(body.at("/metadata/annotations").has("muster.io/controlled")).isFalse();
    assertThat(body.at("/target/name").asText()).isEqualTo("n1");
    assertThat(fixture.counted).containsExactly("BIND DONE");
  }

  @Test
  void sendsNothingThatTheLeaderLeaseMightNotOutlast() {
    fixture.leaseUntil = fixture.now.plus(WritesFixture.REQUEST.multipliedBy(2)).minusMillis(100);

    assertThat(bind(1)).isEqualTo(new BindingOutcome.Unanswered("the leader lease is running out"));

    assertThat(fixture.api.calls()).isEmpty();
  }

  @Test
  void stampsNothingOnAPodWithoutGang() {
    fixture.api.on(BINDING, 201, "{}");

    bind(0);

    assertThat(fixture.api.calls().getFirst().body().at("/metadata/annotations")).isEmpty();
  }

  @Test
  void saysThatThePodHadAController() {
    fixture.api.on(BINDING, 201, "{}");

    fixture.run(new Effect.Bind(Gangs.TRAIN, POD, "n1", 0, true, Effect.Location.UNTOLD));

    assertThat(fixture.api.calls().getFirst().body().at("/metadata/annotations").toString())
        .isEqualTo("{\"muster.io/controlled\":\"true\"}");
  }

  @Test
  void tellsAMemberWhereItIs() {
    fixture.api.on(BINDING, 201, "{}");

    fixture.run(
        new Effect.Bind(
            Gangs.TRAIN,
            POD,
            "n1",
            0,
            false,
            new Effect.Location(Optional.of(0), Optional.of("r7"))));

    assertThat(fixture.api.calls().getFirst().body().at("/metadata/annotations"))
        .hasSize(2)
        .extracting(JsonNode::asText)
        .containsExactlyInAnyOrder("0", "r7");
  }

  @Test
  void takesAPodThatIsThereAlreadyForBound() {
    conflict("{\"metadata\": {\"uid\": \"u0\"}, \"spec\": {\"nodeName\": \"n1\"}}");

    assertThat(bind(1)).isEqualTo(new BindingOutcome.Bound());
  }

  @Test
  void tellsALostPodFromOneThatCanBeTriedAgain() {
    conflict("{\"metadata\": {\"uid\": \"u0\"}, \"spec\": {\"nodeName\": \"n2\"}}");
    assertThat(bind(1)).isEqualTo(new BindingOutcome.Lost("the pod is on node n2"));

    fixture.api.on("GET " + PATH, 200, "{\"metadata\": {\"uid\": \"u9\"}}");
    bind(1);
    assertThat(bind(1)).isInstanceOf(BindingOutcome.Lost.class);

    fixture.api.on(
        "GET " + PATH,
        200,
        "{\"metadata\": {\"uid\": \"u0\", \"deletionTimestamp\": \"2026-01-01T00:00:00Z\"}}");
    bind(1);
    assertThat(bind(1)).isEqualTo(new BindingOutcome.Lost("the pod is being deleted"));

    fixture.api.on(
        "GET " + PATH,
        200,
        "{\"metadata\": {\"uid\": \"u0\"}, \"spec\": {\"schedulingGates\": [{\"name\": \"x\"}]}}");
    bind(1);
    assertThat(bind(1)).isEqualTo(new BindingOutcome.Refused("refused"));
  }

  @Test
  void aPodThatIsGoneIsLost() {
    fixture.api.on(BINDING, 404, refusal(404, "not found"));

    assertThat(bind(1)).isInstanceOf(BindingOutcome.Lost.class);
    assertThat(fixture.counted).containsExactly("BIND NEEDLESS");
  }

  @Test
  void triesOnceMoreWhenTheServerIsInTrouble() {
    fixture.api.on(BINDING, 500, refusal(500, "etcd")).on(BINDING, 201, "{}");

    assertThat(bind(1)).isEqualTo(new BindingOutcome.Bound());
    assertThat(fixture.api.calls()).hasSize(2);
  }

  @Test
  void failsAfterTheSecondTry() {
    fixture.api.on(BINDING, 429, refusal(429, "slow down"));

    assertThat(bind(1)).isEqualTo(new BindingOutcome.Unanswered("slow down"));
    assertThat(fixture.api.calls()).hasSize(2);
    assertThat(fixture.counted).containsExactly("BIND FAILED");
  }

  @Test
  void failsAtOnceWhereTheServerForbidsIt() {
    fixture.api.on(BINDING, 403, refusal(403, "forbidden"));

    assertThat(bind(1)).isEqualTo(new BindingOutcome.Refused("forbidden"));
    assertThat(fixture.api.lines()).containsOnlyOnce(BINDING);
  }

  @Test
  void whatHappensToTheConnectionIsNoRefusal() {
    fixture.api.close();

    assertThat(bind(1)).isInstanceOf(BindingOutcome.Unanswered.class);
  }

  private void conflict(String pod) {
    fixture.api.on(BINDING, 409, refusal(409, "refused")).on("GET " + PATH, 200, pod);
  }

  private BindingOutcome bind(long incarnation) {
    fixture.answers.clear();
    fixture.run(
        new Effect.Bind(Gangs.TRAIN, POD, "n1", incarnation, false, Effect.Location.UNTOLD));
    assertThat(fixture.answers).hasSize(1);
    var ended = (Event.BindingEnded) fixture.answers.getFirst();
    assertThat(ended.pod()).isEqualTo(POD);
    return ended.outcome();
  }
}
