package io.muster.controller.kinds.di.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.coordinator.WorkerRequest.Part;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class WorkerRequestsTest {

  @Test
  void whatWasWrittenIsRead() {
    var requests =
        new WorkerRequests(
            3,
            true,
            List.of(
                new WorkerRequest(
                    1,
                    "uid",
                    "hash",
                    new Part(2, Map.of("cpu", "2")),
                    Part.NONE,
                    4,
                    List.of(),
                    false,
                    "2026-01-01T00:00:00Z",
                    "2026-01-01T00:01:00Z"),
                new WorkerRequest(
                    2,
                    "uid",
                    "other",
                    Part.NONE,
                    new Part(1, Map.of()),
                    1,
                    List.of(8, 4),
                    true,
                    "2026-01-01T00:00:00Z",
                    null)));
    var job = new DIJob();
    job.getMetadata().setAnnotations(Map.of(WorkerRequests.KEY, requests.written()));

    assertThat(WorkerRequests.of(job)).as(requests.written()).isEqualTo(requests);
  }

  private static DIJob job(String annotation, String kept) {
    return Serialization.unmarshal(
        """
        metadata: {name: qbert, annotations: {muster.io/worker-requests: '%s'}}
        status: {phase: Running, workerRequests: '%s'}
        """
            .formatted(annotation, kept),
        DIJob.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "two collectors",
        "[]",
        "{\"next\":2,\"requests\":{}}",
        "{\"next\":2,\"requests\":[{\"id\":1,\"collectors\":{\"replicas\":\"many\"}}]}",
        "{\"next\":2,\"requests\":[{\"id\":1,\"collectors\":{\"replicas\":-1}}]}",
        "{\"next\":2,\"requests\":[{\"id\":1,\"collectors\":{\"replicas\":1,\"resources\":{\"cpu\":\"a lot\"}}}]}",
        "{\"next\":2,\"requests\":[{\"id\":1,\"learners\":{\"replicas\":1},\"split\":[0]}]}",
        "{\"next\":2,\"requests\":[{\"id\":2}]}",
        "{\"next\":3,\"requests\":[{\"id\":1},{\"id\":1}]}",
        "{\"next\":2,\"requests\":[{\"id\":1,\"readyAt\":\"noon\"}]}",
        "{\"next\":2,\"requests\":[{\"id\":1,\"collectors\":{\"replicas\":2147483647}}]}",
        "{\"next\":2,\"requests\":[{\"id\":1,\"learners\":{\"replicas\":1},\"split\":[2000000000]}]}",
        "{\"next\":3,\"requests\":[{\"id\":1,\"collectors\":{\"replicas\":2501}},{\"id\":2,\"learners\":{\"replicas\":2500}}]}"
      })
  void whatNobodyCanHaveMeantIsToldAndWhatWasAskedForBeforeGoesOn(String annotation) {
    var job =
        job(annotation, "{\"next\":2,\"requests\":[{\"id\":1,\"collectors\":{\"replicas\":2}}]}");
    assertThat(WorkerRequests.unreadable(job).orElse(""))
        .startsWith("annotation muster.io/worker-requests ")
        .endsWith("put it right, or remove it to go on from what was asked for before");
    assertThat(WorkerRequests.of(job).requests())
        .singleElement()
        .satisfies(request -> assertThat(request.collectors().replicas()).isEqualTo(2));
    assertThat(WorkerRequests.kept(job))
        .as("once more")
        .isEqualTo(WorkerRequests.of(job).written());
  }

  @Test
  void anAnnotationThatSomebodyHasRemovedTakesNothingBack() {
    var job = job("{}", "{\"next\":2,\"requests\":[{\"id\":1,\"collectors\":{\"replicas\":2}}]}");
    assertThat(WorkerRequests.of(job).requests()).as("it says none").isEmpty();
    job.getMetadata().setAnnotations(null);
    assertThat(WorkerRequests.unreadable(job)).isEmpty();
    assertThat(WorkerRequests.of(job).requests()).hasSize(1);
  }
}
