package io.muster.controller.kinds.etoperator.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.controller.api.UnreadableTemplate;
import org.junit.jupiter.api.Test;

/** What is written and read as JSON. */
final class WireTest {

  private static final KubernetesSerialization JSON = new KubernetesSerialization();
  private static final ObjectMapper TREES = new ObjectMapper();

  @Test
  void aStatusSaysNothingOfWhatIsUnknown() {
    var status =
        JSON.unmarshal(
            "phase: Created\nconditions: []\nreplicaStatuses: {}\nrestartCount: 0",
            TrainingJobStatus.class);

    assertThat(JSON.asJson(status))
        .isEqualTo(
            "{\"phase\":\"Created\",\"conditions\":[],\"replicaStatuses\":{},\"restartCount\":0}");
  }

  @Test
  void fieldsOfOtherVersionsAreIgnored() {
    var spec =
        JSON.unmarshal(
            "selector: {name: a, kind: b}\ntoAdd: {count: 2, at: once}\nsuspend: true",
            ScaleOutSpec.class);

    assertThat(spec)
        .isEqualTo(new ScaleOutSpec(new Selector("a"), new ToAdd(2), null, null, null, null));
  }

  @Test
  void anUnreadableTemplateIsWrittenBackAsItCame() throws JsonProcessingException {
    var stored =
        """
        {"replicas":2,"template":{"metadata":{"labels":{"a":"b"}},
         "spec":{"containers":[{"name":"main","ports":"ssh"}],"aFieldToCome":[1]}}}
        """;

    var worker = JSON.unmarshal(stored, WorkerSpec.class);

    assertThat(worker.template()).isInstanceOf(UnreadableTemplate.class);
    assertThat(worker.template().getSpec()).isNull();
    assertThat(TREES.readTree(JSON.asJson(worker))).isEqualTo(TREES.readTree(stored));
  }

  @Test
  void aRequestWithoutASpecSaysNothing() {
    assertThat(JSON.unmarshal("kind: ScaleIn\nmetadata: {name: a}", ScaleIn.class).getSpec())
        .isEqualTo(ScaleInSpec.NOTHING);
    assertThat(JSON.unmarshal("kind: ScaleOut\nmetadata: {name: a}", ScaleOut.class).getSpec())
        .isEqualTo(ScaleOutSpec.NOTHING);
  }
}
