package io.muster.controller.kinds.di.server.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.kinds.di.server.DiApi;
import io.muster.controller.kinds.di.server.PlayedCluster;
import io.muster.controller.kinds.di.server.call.DiReply;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Calls about a job with tasks, of which there are 2 to 5 pods. */
final class TaskCallsTest {

  private static final String REPLICAS = "/v2alpha1/job/ml.tasks/replicas";
  private static final String PROFILINGS = "/v2alpha1/ml.tasks/profilings";

  private final PlayedCluster cluster = new PlayedCluster(PlayedCluster.TASKS);
  private final DiApi server = cluster.server();

  private DiReply call(String method, String path, String body) {
    return cluster.ask(server, PlayedCluster.call(method, path, "", body)).join();
  }

  private int collectors() {
    return cluster.job().getSpec().tasks().get(1).replicas();
  }

  @Test
  void addressesStandByRankAndWhoIsNotReadyHasNone() {
    assertThat(call("GET", REPLICAS, "").data()).contains(List.of("", "", ""));
    cluster.runs("tasks-collector-0");
    assertThat(call("GET", "/v2alpha1/ml%2Ftasks/replicas", "").data().orElseThrow())
        .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.list(String.class))
        .satisfiesExactly(
            learner -> assertThat(learner).isEmpty(),
            collector -> assertThat(collector).matches("10\\.1\\.[0-9.]+:22270"),
            collector -> assertThat(collector).isEmpty());
  }

  @Test
  void growsAndShrinksWithinItsBounds() {
    assertThat(call("POST", REPLICAS, "{\"replicas\":2}").message())
        .isEqualTo("successfully add replicas");
    assertThat(collectors()).isEqualTo(4);
    var tooMany = call("POST", REPLICAS, "{\"replicas\":1}");
    assertThat(tooMany.status()).isEqualTo(400);
    assertThat(tooMany.message()).contains("maxReplicas 5");

    assertThat(call("DELETE", REPLICAS, "{\"replicas\":3}").message())
        .isEqualTo("successfully delete replicas");
    assertThat(collectors()).isEqualTo(1);
    assertThat(call("DELETE", REPLICAS, "{\"replicas\":1}").status()).isEqualTo(400);
    assertThat(collectors()).isEqualTo(1);
  }

  @Test
  void aJobWithoutBoundsKeepsItsSize() {
    var fixed = new PlayedCluster(PlayedCluster.TASKS.replaceAll("  m(in|ax)Replicas: .*\n", ""));
    var answer =
        fixed
            .ask(fixed.server(), PlayedCluster.call("POST", REPLICAS, "", "{\"replicas\":1}"))
            .join();
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).contains("set spec.maxReplicas");
    assertThat(fixed.writes).isZero();
  }

  @Test
  void copiesOfATemplateAreCountedByAnAnnotation() {
    var copies =
        new PlayedCluster(
            PlayedCluster.TASKS.replaceAll(
                "(?s)  tasks:.*", "  template: {spec: {containers: [{name: di-container}]}}\n"));
    var _ =
        copies.ask(copies.server(), PlayedCluster.call("POST", REPLICAS, "", "{\"replicas\":2}"));
    assertThat(copies.job().getMetadata().getAnnotations())
        .isEqualTo(Map.of("muster.io/replicas", "4"));
    assertThat(copies.pods).hasSize(4);
  }

  @Test
  void whatAJobReportsOfItselfStaysThroughTheNextLook() {
    assertThat(call("POST", PROFILINGS, "{\"data\":{\"fps\":100}}").message())
        .isEqualTo("successfully report profilings");
    cluster.run();
    assertThat(cluster.job().getStatus().profilings()).isEqualTo(Map.of("fps", 100));
    call("POST", PROFILINGS, "{\"data\":{\"a\":1},\"b\":2}");
    assertThat(cluster.job().getStatus().profilings()).containsOnlyKeys("data", "b");
    assertThat(call("POST", PROFILINGS, "{\"x\":\"" + "y".repeat(16 * 1024) + "\"}").status())
        .isEqualTo(413);
  }
}
