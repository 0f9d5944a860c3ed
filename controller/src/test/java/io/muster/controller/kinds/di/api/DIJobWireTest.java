package io.muster.controller.kinds.di.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.controller.api.UnreadableVolume;
import org.junit.jupiter.api.Test;

/** What is written and read as JSON. */
final class DIJobWireTest {

  private static final KubernetesSerialization JSON = new KubernetesSerialization();
  private static final ObjectMapper TREES = new ObjectMapper();

  @Test
  void aJobIsWrittenBackAsItCameWithItsUnreadableVolumeAndItsLimitOfNull()
      throws JsonProcessingException {
    var stored =
        """
        {"volumes":[{"name":"a","emptyDir":{}},{"name":"b","emptyDir":"yes","aFieldToCome":[1]}],
         "backoffLimit":null,"coordinator":{"template":{"spec":{"containers":[{"name":"main"}]}}}}
        """;

    var spec = JSON.unmarshal(stored, DIJobSpec.class);

    assertThat(spec.volumes().getFirst().getName()).isEqualTo("a");
    assertThat(spec.volumes().getLast()).isInstanceOf(UnreadableVolume.class);
    assertThat(spec.shapes()).containsExactly(Shape.COORDINATOR);
    assertThat(TREES.readTree(JSON.asJson(spec))).isEqualTo(TREES.readTree(stored));
  }

  @Test
  void aTaskWithoutNameHasThatOfItsTypeIfItHasOne() {
    assertThat(JSON.unmarshal("type: learner", Task.class).knownName()).isEqualTo("learner");
    assertThat(JSON.unmarshal("type: learner\nname: ''", Task.class).knownName())
        .isEqualTo("learner");
    assertThat(JSON.unmarshal("type: learner\nname: big", Task.class).knownName()).isEqualTo("big");
    assertThat(JSON.unmarshal("type: none", Task.class).knownName()).isEmpty();
    assertThat(JSON.unmarshal("{}", Task.class).knownName()).isEmpty();
  }

  @Test
  void anIdleRoleIsCountedAsNothing() {
    var status =
        JSON.unmarshal("replicaStatus: {Aggregator: {}}\nprofilings: {}", DIJobStatus.class);

    assertThat(JSON.asJson(status))
        .isEqualTo("{\"replicaStatus\":{\"Aggregator\":{}},\"profilings\":{}}");
  }
}
