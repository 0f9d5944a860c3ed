package io.muster.controller.kinds.di.coordinator;

import io.muster.controller.api.WireType;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.controller.kube.KeptFact;
import io.muster.controller.kube.Marks;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * All that coordinators of a job have asked for, as an annotation of the job: whoever serves it
 * next goes on from there. A wire type. Immutable.
 *
 * @param next id of the next request
 * @param hadSets whether the job has ever had an aggregator
 */
@WireType
public record WorkerRequests(int next, boolean hadSets, List<WorkerRequest> requests) {

  /** The annotation. */
  public static final String KEY = "muster.io/worker-requests";

  private static final WorkerRequests NONE = new WorkerRequests(1, false, List.of());

  public WorkerRequests {
    next = Math.max(1, next);
    requests = List.copyOf(Objects.requireNonNullElse(requests, List.of()));
  }

  /**
   * Those of the job. Where the annotation is gone or cannot be read, what it said when it could
   * last be read: workers are never taken for unwanted because somebody has spoilt it.
   */
  public static WorkerRequests of(DIJob job) {
    return annotated(job)
        .filter(text -> fault(text).isEmpty())
        .or(() -> Optional.ofNullable(job.getStatus()).map(DIJobStatus::workerRequests))
        .flatMap(WorkerRequests::read)
        .orElse(NONE);
  }

  /** Why what the annotation says cannot be followed, and what is to be done; empty if it can. */
  public static Optional<String> unreadable(DIJob job) {
    return annotated(job)
        .flatMap(WorkerRequests::fault)
        .map(fault ->
            "annotation %s %s: what was asked for before goes on, and nobody can ask for more or give back; put it right, or remove it to go on from what was asked for before"
                .formatted(KEY, fault));
  }

  /** What the job's status is to remember; null if nothing was ever asked for. */
  static String kept(DIJob job) {
    var requests = of(job);
    return requests.equals(NONE) ? null : requests.written();
  }

  private static Optional<String> annotated(DIJob job) {
    return Optional.ofNullable(Marks.annotations(job).get(KEY));
  }

  private static Optional<String> fault(String text) {
    var requests = read(text);
    if (requests.isEmpty()) {
      return Optional.of("is not of the form that Muster writes");
    }
    return requests.get().fault();
  }

  private static Optional<WorkerRequests> read(String text) {
    return KeptFact.read(text, WorkerRequests.class);
  }

  private Optional<String> fault() {
    var ids = new HashSet<Integer>();
    for (var request : requests) {
      if (request.id() < 1 || request.id() >= next || !ids.add(request.id())) {
        return Optional.of(
            "has a request whose id %d is not its own, from 1 to %d"
                .formatted(request.id(), next - 1));
      }
      var fault = request.fault();
      if (fault.isPresent()) {
        return Optional.of("has in request %d %s".formatted(request.id(), fault.get()));
      }
    }
    return excess().map(sentence -> "is too large: " + sentence);
  }

  /**
   * Why no job may have so many; empty if one may. Learners of several pods that were count too.
   */
  public Optional<String> excess() {
    long pods = requests.stream().mapToLong(WorkerRequest::pods).sum();
    long sets =
        requests.stream()
            .filter(WorkerRequest::hasSets)
            .mapToLong(WorkerRequest::mostLearners)
            .sum();
    long most = Math.max(pods, sets);
    return most <= WorkerRequest.MOST
        ? Optional.empty()
        : Optional.of(
            "%d workers in all, and no job may have more than %d"
                .formatted(most, WorkerRequest.MOST));
  }

  /** As the annotation has it. */
  public String written() {
    return KeptFact.written(this);
  }
}
