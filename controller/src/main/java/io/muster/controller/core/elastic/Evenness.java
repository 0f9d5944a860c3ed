package io.muster.controller.core.elastic;

import io.muster.controller.core.elastic.CapacityOracle.Wish;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Takes workers from rich jobs so that poor ones get them, one from the richest to the poorest
 * after the other, until nobody has more than {@value #GAP} more than another.
 *
 * <p>Bounded: at most every fifth worker is on its way at a time; none that has run for less than a
 * minute; none of a job that grew within {@link Resizes#REST}; only if the poor gain more by it
 * than both lose. Confined to one thread, for one decision about the jobs.
 */
final class Evenness {

  static final int GAP = 2;

  private static final int SHARE = 5;
  private static final Duration YOUNGEST = Duration.ofSeconds(60);

  private static final Comparator<Side> BY_SIZE =
      Comparator.comparingInt((Side side) -> side.size).thenComparing(side -> side.job.key());

  private final View view;
  private final Resizes resizes;
  private final Instant now;

  Evenness(View view, Resizes resizes, Instant now) {
    this.view = view;
    this.resizes = resizes;
    this.now = now;
  }

  /** A job while workers are shared out on paper. */
  private static final class Side {
    private final ResizableJob job;
    private final List<Worker> mayLeave;
    private int before;
    private int size;

    Side(ResizableJob job, List<Worker> mayLeave) {
      this.job = job;
      this.mayLeave = mayLeave;
      this.before = job.surplus();
      this.size = before;
    }

    int change() {
      return size - before;
    }

    boolean mayGive() {
      return change() <= 0 && -change() < mayLeave.size() && size > 0;
    }

    boolean mayGet() {
      return change() >= 0 && change() < job.step();
    }
  }

  /** Who gives what; the poor grow into that room as soon as it is free. */
  List<Decision> decide() {
    var equals = view.jobs().stream().filter(ResizableJob::isEqualAmongOthers).toList();
    int workers = equals.stream().mapToInt(job -> job.workers().size()).sum();
    int atMost = workers / SHARE - view.leaving().size();
    var alike = equals.stream().collect(Collectors.groupingBy(this::kind));
    var decisions = new ArrayList<Decision>();
    for (var jobs : alike.values()) {
      var sides = jobs.stream().map(this::side).toList();
      expect(sides);
      share(sides, atMost);
      if (isWorthIt(sides) && hasRoom(sides)) {
        sides.stream().filter(side -> side.change() < 0).forEach(side -> decisions.add(give(side)));
        atMost += sides.stream().mapToInt(side -> Math.min(0, side.change())).sum();
      }
    }
    return decisions;
  }

  /** Only among these is the number of workers worth comparing. */
  private record Kind(int priority, CapacityOracle.Amounts worker) {}

  private Kind kind(ResizableJob job) {
    var worker =
        job.workers().isEmpty() ? CapacityOracle.Amounts.NONE : view.room().asks(job.model().uid());
    return new Kind(job.priority(), worker);
  }

  private Side side(ResizableJob job) {
    boolean mayGive =
        job.mayGiveBack(now) && resizes.mayGiveForEvenness(job, now) && !hasSegments(job);
    var mayLeave =
        job.workers().reversed().stream()
            .filter(worker -> mayGive && !worker.since().plus(YOUNGEST).isAfter(now))
            .limit(Math.max(0, job.surplus()))
            .toList();
    return new Side(job, mayLeave);
  }

  /** One by one its workers would leave a segment broken. */
  private boolean hasSegments(ResizableJob job) {
    return view.room().sites(List.of(job.model().uid()), List.of()).values().stream()
        .anyMatch(site -> site.segment().isPresent());
  }

  /** What is on its way out already will be the poorest's. */
  private void expect(List<Side> sides) {
    for (int i = 0; i < view.leaving().size(); i++) {
      sides.stream()
          .min(BY_SIZE)
          .ifPresent(side -> {
            side.before++;
            side.size++;
          });
    }
  }

  private void share(List<Side> sides, int atMost) {
    int mean = sides.stream().mapToInt(side -> side.size).sum() / Math.max(1, sides.size());
    for (int i = 0; i < atMost; i++) {
      var richest = sides.stream().filter(side -> side.mayGive() && side.size > mean).max(BY_SIZE);
      var poorest = sides.stream().filter(side -> side.mayGet() && mayGrow(side.job)).min(BY_SIZE);
      if (richest.isEmpty()
          || poorest.isEmpty()
          || richest.get().size - poorest.get().size <= GAP * poorest.get().job.stride().unit()) {
        return;
      }
      richest.get().size--;
      poorest.get().size++;
    }
  }

  private boolean mayGrow(ResizableJob job) {
    return job.mayGrow(now) && resizes.mayGrow(job, now);
  }

  /** Whether those who get something gain more than all lose while they stand still. */
  private static boolean isWorthIt(List<Side> sides) {
    double gain = 0;
    double cost = 0;
    for (var side : sides) {
      if (side.change() != 0) {
        gain += (double) side.change() / side.job.workers().size();
        cost += side.job.terms().resizeCost().toSeconds();
      }
    }
    return gain * ResizableJob.STAY.toSeconds() > cost;
  }

  private boolean hasRoom(List<Side> sides) {
    var gone = new ArrayList<>(view.leaving());
    var wishes = new ArrayList<Wish>();
    for (var side : sides) {
      side.mayLeave.stream().limit(Math.max(0, -side.change())).map(Worker::uid).forEach(gone::add);
      if (side.change() > 0) {
        wishes.add(new Wish.Like(Collections.nCopies(side.change(), side.job.model().uid())));
      }
    }
    return !wishes.isEmpty()
        && view.room().places(wishes, gone).stream().allMatch(Optional::isPresent);
  }

  private static Decision give(Side side) {
    var names = side.mayLeave.stream().limit(-side.change()).map(Worker::name).toList();
    return Decision.GiveBack.of(
        side.job.key(),
        names,
        Decision.Cause.EVENNESS,
        Optional.empty(),
        " for jobs that have fewer workers");
  }
}
