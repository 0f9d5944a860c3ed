package io.muster.simulator.world;

import io.muster.controller.core.elastic.CapacityOracle.Wish;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.Elasticity;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.elastic.ResizableJob.Sharing;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import io.muster.controller.core.elastic.ResizableJob.Terms;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import io.muster.controller.core.elastic.View;
import io.muster.controller.core.elastic.View.Waiting;
import io.muster.controller.port.GangNames;
import io.muster.controller.port.PlannerCapacity;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.decision.forecast.PlacementQueries;
import io.muster.simulator.world.cluster.RunningJob;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Has elastic jobs that run follow the room there is: the policy is that of a running Muster, and
 * room is what the protocol of the replay says of it. Not safe for concurrent use.
 */
final class Sizes {

  private final GangScheduler protocol;
  private final Elasticity policy;
  private final Duration resizeCost;
  private final PlannerCapacity room = new PlannerCapacity(this::ask);

  /** By the names of their gangs, in the order in which they started. */
  private final Map<String, RunningJob> running = new LinkedHashMap<>();

  private Instant now = Instant.EPOCH;

  Sizes(GangScheduler protocol, Elasticity policy, Duration resizeCost) {
    this.protocol = protocol;
    this.policy = policy;
    this.resizeCost = resizeCost;
  }

  /** A job is to have another size. */
  sealed interface Change {

    /** Which job. */
    RunningJob job();

    /** So many workers more, on these nodes. */
    record More(RunningJob job, List<String> nodes) implements Change {}

    /** These workers less, by their uids. */
    record Fewer(RunningJob job, List<String> workers) implements Change {}
  }

  private <T> Optional<T> ask(BiFunction<PlacementQueries, Instant, T> question) {
    return Optional.of(question.apply(protocol.placementQueries(), now));
  }

  /** Takes part from now on, if it may change its size. */
  void runs(RunningJob job) {
    if (job.job.elastic().isPresent()) {
      running.put(key(job), job);
    }
  }

  void runsNoMore(RunningJob job) {
    running.remove(key(job));
  }

  private static String key(RunningJob job) {
    return Life.gang(job.job).toString();
  }

  boolean areNone() {
    return running.isEmpty();
  }

  /**
   * What is to be done now, all of it in this moment.
   *
   * @param leaving uids of pods that are on their way out
   */
  List<Change> decide(Collection<String> leaving, Instant instant) {
    now = instant;
    var planned = policy.plan(view(leaving), now);
    var changes = new ArrayList<Change>();
    var taken = new ArrayList<Wish>();
    for (var decision : Decision.oneOfEachJob(planned)) {
      var change = change(decision, running.get(decision.job()), taken);
      if (change.isPresent()) {
        changes.add(change.get());
        policy.carriedOut(decision, now);
      }
    }
    planned.forEach(this::noteRoom);
    return changes;
  }

  private Optional<Change> change(Decision decision, RunningJob job, List<Wish> taken) {
    return switch (decision) {
      case Decision.GiveBack(var _, var workers, var _, var _, var _) ->
          Optional.of(new Change.Fewer(job, workers));
      case Decision.Grow(var _, int count, var _) -> {
        var like = Collections.nCopies(count, job.workers.getFirst());
        taken.add(new Wish.Like(like));
        var nodes = room.places(taken, List.of()).getLast();
        taken.removeLast();
        nodes.ifPresent(found -> taken.add(new Wish.At(like, found)));
        yield nodes.map(found -> new Change.More(job, found));
      }
    };
  }

  private void noteRoom(Decision decision) {
    if (decision instanceof Decision.GiveBack giveBack) {
      giveBack
          .gang()
          .map(GangNames::read)
          .ifPresent(gang -> protocol.placementQueries().isGivenRoom(gang, now));
    }
  }

  private View view(Collection<String> leaving) {
    return new View(
        running.entrySet().stream().map(job -> seen(job.getKey(), job.getValue())).toList(),
        protocol.placementQueries().waiting(now).stream()
            .map(gang -> new Waiting(GangNames.of(gang.gang()), gang.priority()))
            .toList(),
        List.of(),
        List.copyOf(leaving),
        room);
  }

  private ResizableJob seen(String key, RunningJob running) {
    var elastic = running.job.elastic().orElseThrow();
    var workers = running.workers.stream().map(uid -> worker(running, uid)).toList();
    return new ResizableJob(
        key,
        running.job.priority(),
        workers,
        running.job.parts().get(elastic.part()).pods(),
        elastic.most(),
        new Stride(1, elastic.most()),
        Duration.ZERO,
        Optional.empty(),
        true,
        true,
        0,
        new Terms(Sharing.WITH_EQUALS, resizeCost, running.companions));
  }

  private Worker worker(RunningJob running, String uid) {
    return new Worker(uid, uid, running.pods.get(uid).progress().startedAt().orElse(now));
  }
}
