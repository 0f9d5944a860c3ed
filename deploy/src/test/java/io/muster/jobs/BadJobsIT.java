package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Jobs that the API server lets in although they cannot be served. */
@ExtendWith(SandboxExtension.class)
final class BadJobsIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  private static final Map<String, Object> GOOD =
      Map.of("spec", Map.of("containers", List.of(Map.of("name", "main", "image", "any"))));

  @Test
  void aTemplateThatIsNoneFailsItsJobAndNoOther(TestSpace space) {
    var kinds = new KindObjects(space);
    kinds.create("TrainingJob", "bad", job(Map.of("name", "main", "ports", "ssh")));
    kinds.create("TrainingJob", "good", job(Map.of("name", "main", "image", "any")));

    Await.until("the bad job to fail", SOON, () -> phase(kinds, "bad").equals("Failed"));
    Await.until("the good job to be taken up", SOON, () -> phase(kinds, "good").equals("Created"));
    assertThat(kinds.text("trainingjobs", "bad", "{.status.conditions[*].message}"))
        .contains(
            "spec.etReplicaSpecs.worker.template.spec.containers[0].ports: ports has another form"
                + " than the API gives it");
  }

  private static String phase(KindObjects kinds, String name) {
    return kinds.text("trainingjobs", name, "{.status.phase}");
  }

  private static Map<String, Object> job(Map<String, Object> container) {
    var template = Map.of("spec", Map.of("containers", List.of(container)));
    return Map.of(
        "etReplicaSpecs",
        Map.of("launcher", Map.of("template", GOOD), "worker", Map.of("template", template)));
  }
}
