package io.muster.controller.core.elastic;

import io.muster.controller.core.elastic.CapacityOracle.Wish;
import io.muster.controller.core.elastic.Decision.Grow;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/**
 * Gives free room to jobs: the poorest gets some, as much as its stride allows, then whoever is the
 * poorest after that, as long as there is room beside all that was promised before.
 *
 * <p>Guaranteed: no job is asked to go above its most; nobody gets a worker on a node that somebody
 * who waits could use; what is kept free stays so; nobody gets fewer than are worth the change.
 * Confined to one thread, for one decision about the jobs.
 */
final class Growth {

  /** In so many parts what a job may get at a time is handed out. */
  private static final int PARTS = 16;

  private static final String WHY = "there is room, and who had fewer went first";

  /** Among jobs that are equally poor. */
  private static final Comparator<ResizableJob> BY_PRIORITY =
      Comparator.comparing(ResizableJob::priority, Comparator.reverseOrder())
          .thenComparing(ResizableJob::key);

  private final View view;
  private final List<Wish> waiting;
  private final Optional<Wish> kept;
  private final List<Wish> promised = new ArrayList<>();
  private final Map<String, Integer> granted = new HashMap<>();

  /**
   * What it gives away is bounded by others.
   *
   * @param served who takes part of the room that is free now, as far as it is enough
   * @param waiting for whom their nodes are left alone
   * @param kept what must have room once those are gone that are on their way out; those that take
   *     back what was their own do not heed it
   */
  Growth(View view, List<Wish> served, List<Wish> waiting, Optional<Wish> kept) {
    this.view = view;
    this.promised.addAll(served);
    this.waiting = waiting;
    this.kept = kept;
  }

  private record Taker(ResizableJob job, int got) {

    int surplus() {
      return job.surplus() + got;
    }

    /** What it is offered next: whole units, and never less than is worth it. */
    int offer() {
      int left = job.step() - got;
      int unit = job.stride().unit();
      int least = got == 0 ? job.leastThatPays() : 1;
      int part = Math.max(least, job.step() / PARTS);
      return Math.min(left, (part + unit - 1) / unit * unit);
    }

    /** Less than that, if there is no room for so many; 0 if it makes no sense. */
    int half(int offer) {
      int unit = job.stride().unit();
      int half = offer / 2 / unit * unit;
      return got > 0 || half >= job.leastThatPays() ? half : 0;
    }
  }

  List<Decision> decide(Predicate<ResizableJob> mayGrow, Instant now) {
    view.jobs().stream()
        .filter(job -> job.coming() > 0 && !job.workers().isEmpty())
        .forEach(job -> promised.add(more(job, job.coming())));
    var takers =
        new PriorityQueue<Taker>(
            Comparator.comparingInt(Taker::surplus).thenComparing(Taker::job, BY_PRIORITY));
    view.jobs().stream()
        .filter(job -> job.mayGrow(now) && mayGrow.test(job))
        .filter(job -> job.step() >= job.leastThatPays())
        .forEach(job -> takers.add(new Taker(job, 0)));
    while (!takers.isEmpty()) {
      var taker = takers.remove();
      int count = granted(taker);
      if (count > 0) {
        int got = taker.got() + count;
        granted.put(taker.job().key(), got);
        if (taker.job().step() > got) {
          takers.add(new Taker(taker.job(), got));
        }
      }
    }
    return view.jobs().stream()
        .filter(job -> granted.containsKey(job.key()))
        .sorted(Comparator.comparingInt(ResizableJob::surplus).thenComparing(BY_PRIORITY))
        .<Decision>map(job -> Grow.of(job, granted.get(job.key()), WHY))
        .toList();
  }

  private static Wish.Like more(ResizableJob job, int count) {
    return new Wish.Like(Collections.nCopies(count, job.model().uid()));
  }

  private int granted(Taker taker) {
    for (int count = taker.offer(); count > 0; count = taker.half(count)) {
      if (promise(taker.job(), more(taker.job(), count))) {
        return count;
      }
    }
    return 0;
  }

  /** Keeps room for these, if it is there, where nobody who waits could be. */
  private boolean promise(ResizableJob job, Wish.Like wish) {
    var places = view.room().place(promised, wish, List.of());
    if (places.isEmpty() || isUsedByOthers(places.get())) {
      return false;
    }
    var placed = new Wish.At(wish.podUids(), places.get());
    if (job.isEqualAmongOthers() && kept.isPresent() && !leaves(kept.get(), placed)) {
      return false;
    }
    promised.add(placed);
    return true;
  }

  private boolean isUsedByOthers(List<String> nodes) {
    return nodes.stream()
        .distinct()
        .anyMatch(node -> waiting.stream().anyMatch(wish -> view.room().couldUse(wish, node)));
  }

  private boolean leaves(Wish other, Wish placed) {
    var before = new ArrayList<>(promised);
    before.add(placed);
    return view.room().place(before, other, view.leaving()).isPresent();
  }
}
