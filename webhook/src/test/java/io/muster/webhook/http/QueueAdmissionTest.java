package io.muster.webhook.http;

import static io.muster.webhook.http.Reviewer.pod;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.InvalidQueuesException;
import io.muster.extender.kube.convert.QueuesReading;
import io.muster.webhook.port.NamespaceLabels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pods of the namespace {@code ml} that name a queue. */
final class QueueAdmissionTest {

  private static final String MEMBER = "muster.io/gang-name: g, muster.io/gang-min: \"1\",";
  private static final String WITH_GPU = "{limits: {nvidia.com/gpu: 1}}";

  private static Queues queues() throws InvalidQueuesException {
    return QueuesReading.read(
        """
        queues:
        - {name: own, gpus: 8, namespaces: [ml]}
        - {name: others, gpus: 8, namespaces: [speech]}
        - {name: all, gpus: 8, namespaces: ["*"]}
        - {name: unlisted, gpus: 8}
        """);
  }

  private static JsonNode reviewed(String gang, String queue, String resources) throws Exception {
    try (var reviewer = new Reviewer(true, NamespaceLabels.UNKNOWN, queues())) {
      return reviewer.review(
          pod(
              """
              apiVersion: v1
              kind: Pod
              metadata:
                name: p
                namespace: ml
                annotations: {%s muster.io/queue: "%s"}
              spec:
                containers:
                - {name: main, image: trainer, resources: %s}
              """
                  .formatted(gang, queue, resources)));
    }
  }

  @Test
  void aMemberThatNamesAQueueOfOthersIsRefusedWithThoseThatAreOpen() throws Exception {
    var response = reviewed(MEMBER, "others", "{}");
    assertThat(response.path("allowed").asBoolean()).isFalse();
    assertThat(response.path("status").path("message").asText())
        .isEqualTo(
            "queue \"others\" is not open to namespace \"ml\"; create the pods again without"
                + " muster.io/queue, or with one of: all, own, unlisted; or let the namespace into"
                + " the queue");
  }

  @Test
  void soIsAPodWithDevicesAndNoGang() throws Exception {
    assertThat(reviewed("", "others", WITH_GPU).path("allowed").asBoolean()).isFalse();
    assertThat(reviewed("", "others", "{}").path("allowed").asBoolean())
        .as("it counts in no queue")
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"own", "all", "unlisted"})
  void anOpenQueueMayBeNamed(String queue) throws Exception {
    assertThat(reviewed(MEMBER, queue, WITH_GPU).path("allowed").asBoolean()).isTrue();
  }

  @Test
  void aQueueThatThereIsNotYetIsWaitedFor() throws Exception {
    assertThat(reviewed(MEMBER, "later", WITH_GPU).path("allowed").asBoolean()).isTrue();
  }
}
