package io.muster.controller.di;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.controller.di.api.DIJob;
import io.muster.controller.kube.Marks;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/**
 * All that coordinators of a job have asked for, as an annotation of the job: whoever serves it
 * next goes on from there. A wire type. Immutable.
 *
 * @param next id of the next request
 * @param hadSets whether the job has ever had an aggregator
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record WorkerRequests(int next, boolean hadSets, List<WorkerRequest> requests) {

  /** The annotation. */
  public static final String KEY = "muster.io/worker-requests";

  private static final ObjectMapper JSON = new ObjectMapper();

  public WorkerRequests {
    next = Math.max(1, next);
    requests = List.copyOf(Objects.requireNonNullElse(requests, List.of()));
  }

  /** Those of the job; none where somebody has written something else there. */
  public static WorkerRequests of(DIJob job) {
    var text = Marks.annotations(job).get(KEY);
    if (text == null) {
      return new WorkerRequests(1, false, List.of());
    }
    try {
      return JSON.readValue(text, WorkerRequests.class);
    } catch (JsonProcessingException _) {
      return new WorkerRequests(1, false, List.of());
    }
  }

  /** As the annotation has it. */
  public String written() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
