package io.muster.extender.kube.write;

import static io.muster.extender.kube.ScriptedApi.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.kube.gang.Gangs;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users read of a write to their pod that the API server refuses. */
final class PodRefusalsTest {

  private static final PodKey POD = new PodKey("ml", "w-0", "u0");
  private static final String PATH = "/api/v1/namespaces/ml/pods/w-0";
  private static final String EVENTS = "/api/v1/namespaces/ml/events";

  private final WritesFixture fixture = new WritesFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  /** A webhook that is away makes it 500. */
  @ParameterizedTest
  @ValueSource(ints = {403, 422, 500})
  void aGateThatMayNotBeTakenOffIsToldInTheWordsOfWhoeverRefusesIt(int code) {
    fixture.api.on("PATCH " + PATH, code, refusal(code, "denied by policy p".repeat(6_000)));
    fixture.api.on("POST " + EVENTS, 201, "{}");

    fixture.run(new Effect.Ungate(POD, Optional.empty()));

    assertThat(told()).hasSize(1);
    assertThat(told().getFirst())
        .startsWith("GateNotRemoved: the API server refuses to take its scheduling gate off: den")
        .hasSizeLessThan(1_100);
  }

  @Test
  void theSameIsToldOnceAMinute() {
    fixture.api.on("PATCH " + PATH, 403, refusal(403, "denied"));
    fixture.api.on("POST " + EVENTS, 201, "{}");

    for (int i = 0; i < 12; i++) {
      fixture.run(new Effect.Ungate(POD, Optional.empty()));
      fixture.now = fixture.now.plusSeconds(10);
    }

    assertThat(fixture.api.lines().stream().filter(line -> line.startsWith("PATCH " + EVENTS)))
        .as("the Event counts the second time")
        .hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {404, 409, 429, 503})
  void aPodThatIsGoneOrAnApiServerThatIsBusyIsNoRefusal(int code) {
    fixture.api.on("PATCH " + PATH, code, refusal(code, "later"));

    fixture.run(new Effect.Ungate(POD, Optional.empty()));

    assertThat(told()).isEmpty();
  }

  @Test
  void soIsABindingThatIsRefused() {
    fixture.api.on("POST " + PATH + "/binding", 403, refusal(403, "denied"));
    fixture.api.on("POST " + EVENTS, 201, "{}");

    fixture.run(new Effect.Bind(Gangs.TRAIN, POD, "n1", 1, true, Effect.Location.UNTOLD));

    assertThat(told())
        .containsExactly("BindingRefused: the API server refuses to bind it to node n1: denied");
  }

  private List<String> told() {
    return fixture.api.calls().stream()
        .filter(call -> call.line().equals("POST " + EVENTS))
        .map(call -> call.body())
        .map(event -> event.path("reason").asText() + ": " + event.path("message").asText())
        .toList();
  }
}
