package io.muster.controller.kinds.dlrover.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which plans of a job nobody has to know of any more. */
final class PlansTest {

  private final List<ScalePlan> plans = new ArrayList<>();

  private void plan(String name, String origin, String phase) {
    plans.add(
        Serialization.unmarshal(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ScalePlan
            metadata:
              name: %s
              namespace: ml
              creationTimestamp: "%s"
              labels: {scale-type: %s}
            spec: {ownerJob: j, replicaResourceSpecs: {worker: {replicas: 4}}}
            status: {phase: %s}
            """
                .formatted(name, Instant.EPOCH.plusSeconds(plans.size()), origin, phase),
            ScalePlan.class));
  }

  private List<String> spent() {
    return Plans.spent("j", plans).stream().map(plan -> plan.getMetadata().getName()).toList();
  }

  @Test
  void ofThoseThatControllersWroteTheLatestFewAreKept() {
    for (int i = 0; i < 8; i++) {
      plan("j-scaleplan-" + i, "auto", i % 2 == 0 ? "Succeeded" : "Failed");
    }
    assertThat(spent()).containsExactly("j-scaleplan-2", "j-scaleplan-1", "j-scaleplan-0");
  }

  @Test
  void thoseOfUsersAndThoseUnderWayStay() {
    for (int i = 0; i < 8; i++) {
      plan("by-hand-" + i, "manual", "Succeeded");
      plan("j-scaleplan-" + i, "auto", "Scaling");
    }
    assertThat(spent()).isEmpty();
  }

  @Test
  void theLastByWhichLostWorkersCameBackStays() {
    plan("j-grows-back-9", "auto", "Succeeded");
    plan("j-grows-back-10", "auto", "Succeeded");
    for (int i = 0; i < Plans.KEPT; i++) {
      plan("j-regains-" + i, "auto", "Failed");
    }
    assertThat(spent()).containsExactly("j-grows-back-9");
  }
}
