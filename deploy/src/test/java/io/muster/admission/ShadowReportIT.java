package io.muster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.e2e.GangManifest;
import io.muster.e2e.MusterCommand;
import io.muster.extender.kube.shadow.LedgerObject;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What {@code muster report} says of a namespace in shadow, over lives of Muster. */
@ExtendWith(SandboxExtension.class)
final class ShadowReportIT {

  /** Ten seconds until a start in part counts, and thirty until it is stored. */
  private static final Duration COUNTED = Duration.ofMinutes(2);

  @Test
  void aGangThatIsStartedInPartIsReportedOnceAndGoesOnHoldingDevices(
      Sandbox sandbox, TestSpace space) throws IOException, InterruptedException {
    EnrolmentIT.enrol(space, "shadow");
    space.nodes(2, NodeShape.GPU1);
    GangManifest.of(space, "g", 4).create();
    GangManifest.of(space, "refused", 1).annotated(GangManifest.MIN, "four").create();

    Await.until(
        "the start in part to be stored", COUNTED, () -> stored(space, row -> inPart(row) == 1));
    var before = reported(sandbox, space);
    assertThat(before.path("podsEarly").asInt()).isEqualTo(2);
    assertThat(before.path("deviceSeconds").asInt()).isPositive();
    assertThat(before.path("refused").asInt()).isEqualTo(1);
    assertThat(new MusterCommand(sandbox).said("report", "--since", "2d"))
        .contains(" gangs were started in part, and held ")
        .contains(space.namespace());

    var muster = sandbox.muster().orElseThrow();
    muster.kill();
    muster.launch();
    muster.awaitReady(COUNTED);

    int held = before.path("deviceSeconds").asInt();
    Await.until(
        "the next leader to count on",
        COUNTED,
        () -> stored(space, row -> row.path("deviceSeconds").asInt() > held));
    var after = reported(sandbox, space);
    assertThat(after.path("inPart").asInt()).isEqualTo(1);
    assertThat(after.path("gangs").asInt()).isEqualTo(before.path("gangs").asInt());
    assertThat(after.path("podsEarly").asInt()).isEqualTo(2);
  }

  @Test
  void daysThatNobodyKeepsAreRefused(Sandbox sandbox) throws IOException, InterruptedException {
    var ran = new MusterCommand(sandbox).run("report", "--since", "32d");

    assertThat(ran.code()).isEqualTo(2);
    assertThat(ran.said()).contains("--since: 32d is none of 1d to 31d");
  }

  private static int inPart(JsonNode row) {
    return row.path("inPart").asInt();
  }

  private static JsonNode reported(Sandbox sandbox, TestSpace space)
      throws IOException, InterruptedException {
    var said = new MusterCommand(sandbox).said("report", "-o", "json");
    return new JsonMapper().readTree(said).path("namespaces").path(space.namespace());
  }

  /** Whether the rows of that namespace, of today, are so. */
  private static boolean stored(TestSpace space, Predicate<JsonNode> wanted) {
    return Optional.ofNullable(
            space
                .client()
                .configMaps()
                .inNamespace("muster-system")
                .withName(LedgerObject.NAME)
                .get())
        .stream()
        .flatMap(object -> object.getData().values().stream())
        .map(ShadowReportIT::json)
        .anyMatch(day -> wanted.test(day.path(space.namespace())));
  }

  private static JsonNode json(String text) {
    try {
      return new JsonMapper().readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError(text, e);
    }
  }
}
