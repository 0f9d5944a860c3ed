package io.muster.extender.kube.write;

import static io.muster.extender.kube.ScriptedApi.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Effect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A member that kube-scheduler binds while it is being ended so that its owner makes another. */
final class RemakeRaceTest {

  private static final String PATH = "/api/v1/namespaces/ml/pods/w-0";

  private final WritesFixture fixture = new WritesFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  /** Its turn to be deleted may come seconds after it was read: by then it may run. */
  @Test
  void isDeletedOnlyAsItWasRead() {
    fixture
        .api
        .on("GET " + PATH, 200, read("7", ""))
        .on("PATCH " + PATH + "/status", 200, "{\"metadata\": {\"resourceVersion\": \"8\"}}")
        .on("DELETE " + PATH, 200, "{}");

    fixture.run(new Effect.Remake(new PodKey("ml", "w-0", "u0"), "room elsewhere"));

    var calls = fixture.api.calls();
    assertThat(calls.get(1).body().at("/metadata/resourceVersion").asText()).isEqualTo("7");
    assertThat(calls.getLast().body().at("/preconditions/resourceVersion").asText()).isEqualTo("8");
  }

  private static String read(String version, String spec) {
    return """
    {"metadata": {"uid": "u0", "resourceVersion": "%s", "ownerReferences": [
      {"apiVersion": "x.io/v1", "kind": "Set", "name": "j", "uid": "j1", "controller": true}]},
     "spec": {%s}}
    """
        .formatted(version, spec);
  }

  @Test
  void isLeftAloneOnceItWasBoundMeanwhile() {
    fixture
        .api
        .on("GET " + PATH, 200, read("7", ""))
        .on("PATCH " + PATH + "/status", 200, "{\"metadata\": {\"resourceVersion\": \"8\"}}")
        .on("DELETE " + PATH, 409, refusal(409, "it has another version"))
        .on("GET " + PATH, 200, read("9", "\"nodeName\": \"n1\""));

    fixture.run(new Effect.Remake(new PodKey("ml", "w-0", "u0"), "room elsewhere"));

    assertThat(fixture.api.lines())
        .containsExactly(
            "GET " + PATH, "PATCH " + PATH + "/status", "DELETE " + PATH, "GET " + PATH);
    assertThat(fixture.counted).containsExactly("REMAKE NEEDLESS");
  }

  @Test
  void isNotTriedForEverWhereItChangesAllTheTime() {
    fixture
        .api
        .on("GET " + PATH, 200, read("7", ""))
        .on("PATCH " + PATH + "/status", 409, refusal(409, "it has another version"));

    fixture.run(new Effect.Remake(new PodKey("ml", "w-0", "u0"), "room elsewhere"));

    assertThat(fixture.api.lines()).hasSize(10).doesNotContain("DELETE " + PATH);
  }
}
