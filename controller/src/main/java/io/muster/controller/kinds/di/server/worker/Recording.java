package io.muster.controller.kinds.di.server.worker;

import io.muster.controller.kinds.di.coordinator.WorkerRequest;
import io.muster.controller.kinds.di.coordinator.WorkerRequests;
import io.muster.controller.kinds.di.server.call.RefusedException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Decides what becomes of the requests on a job when somebody asks for workers, or gives some back.
 *
 * <p>Who asks again for what is not there yet has lost the connection and is given the first
 * request once more; after its answer the same words mean more workers. Who comes from another
 * coordinator pod begins anew: what the former one had goes.
 */
public final class Recording {

  /** A client that lost its answer has asked again by then. */
  static final Duration REPEATED_WITHIN = Duration.ofSeconds(30);

  private Recording() {}

  /**
   * Who asks.
   *
   * @param coordinator uid of its pod
   * @param split GPUs of each pod of a learner, none for one without an aggregator; asked for only
   *     where a request is recorded, and may refuse it
   */
  record Asking(String coordinator, WorkerAsk ask, Supplier<List<Integer>> split, Instant now) {}

  /**
   * What the requests are from now on.
   *
   * @param id of the one that was asked for
   */
  record Recorded(WorkerRequests requests, int id) {}

  /**
   * Takes in a request.
   *
   * @param wasAnswered whether the answer to a request has been given
   * @param isGone whether nothing is left of a request that has no pods any more
   */
  static Recorded record(
      WorkerRequests before, Asking asking, IntPredicate wasAnswered, IntPredicate isGone) {
    var hash = asking.ask().hash();
    var same =
        before.requests().stream()
            .filter(request -> asking.coordinator().equals(request.coordinator()))
            .filter(request -> hash.equals(request.body()) && request.pods() > 0)
            .filter(request -> isOpen(request, asking.now(), wasAnswered))
            .findFirst();
    if (same.isPresent()) {
      return new Recorded(before, same.get().id());
    }
    var requests = new ArrayList<WorkerRequest>();
    for (var request : before.requests()) {
      var kept = asking.coordinator().equals(request.coordinator()) ? request : request.sized(0, 0);
      if (kept.pods() > 0 || !isGone.test(kept.id())) {
        requests.add(kept);
      }
    }
    int id = before.next();
    var added = request(id, asking, hash, !before.hadSets());
    requests.add(added);
    var recorded = new WorkerRequests(id + 1, before.hadSets() || added.hasSets(), requests);
    recorded
        .excess()
        .ifPresent(sentence -> {
          throw RefusedException.malformed(
              "the job would have %s; ask for fewer, or give some back before".formatted(sentence));
        });
    return new Recorded(recorded, id);
  }

  private static boolean isOpen(WorkerRequest request, Instant now, IntPredicate wasAnswered) {
    boolean mayBeLost =
        request.readyAt() == null
            || now.isBefore(Instant.parse(request.readyAt()).plus(REPEATED_WITHIN));
    return mayBeLost && !wasAnswered.test(request.id());
  }

  private static WorkerRequest request(int id, Asking asking, String hash, boolean isFirstSet) {
    var ask = asking.ask();
    var split = asking.split().get();
    return new WorkerRequest(
        id,
        asking.coordinator(),
        hash,
        ask.collectors().asked(),
        ask.learners().asked(),
        ask.learners().replicas(),
        split,
        isFirstSet && !split.isEmpty(),
        asking.now().toString(),
        null);
  }

  /** All pods of a request were ready. */
  static WorkerRequests ready(WorkerRequests before, int id, Instant at) {
    return with(
        before,
        before.requests().stream()
            .map(request ->
                request.id() == id && request.readyAt() == null
                    ? request.ready(at.toString())
                    : request)
            .toList());
  }

  /**
   * Gives workers back, those that were asked for last first; aggregators only where there is no
   * learner without one.
   */
  static WorkerRequests shrink(WorkerRequests before, int collectors, int learners) {
    boolean isOfSets =
        before.requests().stream()
            .noneMatch(request -> !request.hasSets() && request.learners().replicas() > 0);
    int collectorsLeft = collectors;
    int learnersLeft = learners;
    var requests = new ArrayList<WorkerRequest>();
    for (var request : before.requests().reversed()) {
      int fewerCollectors = Math.min(collectorsLeft, request.collectors().replicas());
      int fewerLearners =
          request.hasSets() == isOfSets ? Math.min(learnersLeft, request.learners().replicas()) : 0;
      collectorsLeft -= fewerCollectors;
      learnersLeft -= fewerLearners;
      requests.addFirst(
          fewerCollectors + fewerLearners == 0
              ? request
              : request.sized(
                  request.collectors().replicas() - fewerCollectors,
                  request.learners().replicas() - fewerLearners));
    }
    return with(before, requests);
  }

  private static WorkerRequests with(WorkerRequests before, List<WorkerRequest> requests) {
    return new WorkerRequests(before.next(), before.hadSets(), requests);
  }
}
