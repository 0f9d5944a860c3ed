package io.muster.controller.kinds.dlrover.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever somebody has written into a plan, its job goes on. */
final class PlanMapperTest {

  private static ResizeRequest request(String annotations, String spec) {
    return request("p", annotations, spec);
  }

  private static ResizeRequest request(String name, String annotations, String spec) {
    var plan =
        Serialization.unmarshal(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ScalePlan
            metadata:
              name: %s
              namespace: ml
              creationTimestamp: "2026-01-01T00:00:00Z"
              annotations: {%s}
            spec: {ownerJob: j, %s}
            """
                .formatted(name, annotations, spec),
            ScalePlan.class);
    return PlanMapper.resize(plan).request();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{type: worker, id: 1}", "{name: \"\"}", "{name: w-0}, {}"})
  void aPodWithoutANameMakesAPlanUnclear(String pods) {
    assertThat(request("", "removePods: [%s]".formatted(pods)).change())
        .isEqualTo(new Change.Unclear("spec.removePods must say the name of each pod"));
  }

  @Test
  void podsWithNamesGo() {
    assertThat(request("", "removePods: [{name: w-0}, {name: w-1}]").change())
        .isEqualTo(new Change.RemoveNamed(List.of("w-0", "w-1")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "noon", "2026-01-01", "-999999999999-01-01T00:00:00Z"})
  void aMomentThatIsNoneMakesAPlanUnclear(String moment) {
    var request =
        request(
            "muster.io/forced-at: \"%s\"".formatted(moment),
            "replicaResourceSpecs: {worker: {replicas: 2}}");
    assertThat(request.forcedAt()).isEmpty();
    assertThat(request.change())
        .isEqualTo(
            new Change.Unclear(
                "metadata.annotations[muster.io/forced-at] must be a time such as"
                    + " 2030-01-31T12:00:00Z, not \"%s\"".formatted(moment)));
  }

  @Test
  void aMomentIsRead() {
    var request = request("muster.io/forced-at: 2026-01-01T00:01:00Z", "removePods: [{name: w-0}]");
    assertThat(request.forcedAt()).contains(Instant.parse("2026-01-01T00:01:00Z"));
    assertThat(request.change()).isEqualTo(new Change.RemoveNamed(List.of("w-0")));
  }

  /** Its pods could not be labelled with it, and would be refused until its time is over. */
  @Test
  void aNameThatIsNoLabelMakesAPlanForWorkersUnclear() {
    var spec = "replicaResourceSpecs: {worker: {replicas: 2}}";
    assertThat(request("a".repeat(63), "", spec).change()).isEqualTo(new Change.To(2));
    assertThat(request("a".repeat(64), "", spec).change())
        .isEqualTo(
            new Change.Unclear(
                "metadata.name must be at most 63 characters, since pods are labelled with it;"
                    + " choose a shorter name"));
  }
}
