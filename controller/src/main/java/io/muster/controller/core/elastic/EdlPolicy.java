package io.muster.controller.core.elastic;

import io.muster.controller.core.elastic.CapacityOracle.Wish;
import io.muster.controller.core.elastic.Decision.Cause;
import io.muster.controller.core.elastic.Decision.GiveBack;
import io.muster.controller.core.elastic.Decision.Grow;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The sizes that EDL's own controller would give to jobs, by {@link EdlRule}, for those who want
 * what they are used to. Where it was at fault it is mended: the planner says whether a worker
 * fits, devices included; a load below 1 bounds the CPU alone; what has ended takes no part. Keeps
 * nothing in mind; safe for concurrent use.
 */
public final class EdlPolicy implements Elasticity {

  private final double load;

  /**
   * Decides by that load.
   *
   * @param load share of the CPU that pods may ask for, from 0 to 1
   */
  public EdlPolicy(double load) {
    if (!(load >= 0 && load <= 1)) {
      throw new IllegalArgumentException("load must be from 0 to 1, not " + load);
    }
    this.load = load;
  }

  @Override
  public List<Decision> plan(View view, Instant now) {
    var taking =
        view.jobs().stream()
            .filter(job -> !job.workers().isEmpty())
            .filter(job -> !view.waiting().isEmpty() || (job.isIdle() && job.isWhole()))
            .toList();
    var models =
        taking.stream()
            .collect(
                Collectors.toMap(ResizableJob::key, job -> job.model().uid(), (first, _) -> first));
    var taken = new ArrayList<Wish>();
    var changes =
        EdlRule.plan(
            taking.stream().map(job -> seen(view.room(), job, now)).toList(),
            new EdlRule.Cluster(view.room().offered(), view.room().asked(), load),
            job -> take(view.room(), taken, models.get(job.key())));
    return taking.stream()
        .filter(job -> changes.containsKey(job.key()))
        .map(job -> decision(job, changes.get(job.key())))
        .toList();
  }

  @Override
  public void carriedOut(Decision decision, Instant now) {
    // Nothing depends on it.
  }

  private static EdlRule.Job seen(CapacityOracle room, ResizableJob job, Instant now) {
    int size = job.workers().size();
    return new EdlRule.Job(
        job.key(),
        size,
        job.mayGiveBack(now) ? job.least() : size,
        job.mayGrow(now) ? Math.max(size, size + job.step()) : size,
        room.asks(job.model().uid()));
  }

  private Decision decision(ResizableJob job, int change) {
    var limit = "%.0f %% of the CPU".formatted(100 * load);
    if (change > 0) {
      return Grow.of(job, change, "all pods together then ask for no more than " + limit);
    }
    var names = job.workers().reversed().stream().limit(-change).map(Worker::name).toList();
    var rest = ": all pods together ask for more than " + limit;
    return GiveBack.of(job.key(), names, Cause.LOAD, Optional.empty(), rest);
  }

  /** Takes room for one more worker like that pod, beside those that have taken theirs before. */
  private static boolean take(CapacityOracle room, List<Wish> taken, String podUid) {
    var wish = new Wish.Like(List.of(podUid));
    var places = room.place(taken, wish, List.of());
    places.ifPresent(nodes -> taken.add(new Wish.At(wish.podUids(), nodes)));
    return places.isPresent();
  }
}
