package io.muster.controller.di;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.di.WorkerRequest.Part;
import io.muster.controller.di.api.DIJob;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
}
