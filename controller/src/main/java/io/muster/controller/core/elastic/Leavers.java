package io.muster.controller.core.elastic;

import io.muster.controller.core.elastic.CapacityOracle.Site;
import io.muster.controller.core.elastic.CapacityOracle.Wish;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Finds workers that leave so that somebody has room.
 *
 * <ol>
 *   <li>One after the other are noted: of the jobs of lowest priority the richest, of it the worker
 *       beside which most is free already, of those the youngest; only on nodes that are of use.
 *   <li>Of a job not all of whose workers may leave, those may be the wrong ones: then its youngest
 *       are noted in their place.
 *   <li>Of a job with segments those of a whole segment leave together, the last one first; single
 *       ones, the last first, where it may give back less than any segment has.
 *   <li>When there is room, those are let off who could have stayed.
 * </ol>
 *
 * <p>Nobody is taken from a job below its least. Confined to one thread, for one decision about the
 * jobs.
 */
final class Leavers {

  /** A worker of a job. */
  record Leaver(String job, Worker worker) {}

  private static final int NO_SEGMENT = -1;

  private final View view;
  private final Instant now;

  /** Uids of those that are on their way out, or were told to leave in this decision. */
  private final Set<String> gone;

  private final Map<String, Integer> given = new HashMap<>();

  Leavers(View view, Instant now) {
    this.view = view;
    this.now = now;
    this.gone = new HashSet<>(view.leaving());
  }

  boolean hasRoom(List<Wish> before, Wish wish) {
    return fits(before, wish, List.of());
  }

  /** Whether one of these may give something back, wherever it runs. */
  boolean areThereAny(Predicate<ResizableJob> yields) {
    return view.jobs().stream().anyMatch(job -> left(job) > 0 && yields.test(job));
  }

  /** How many more may leave it. */
  private int left(ResizableJob job) {
    return job.mayGiveBack(now) ? job.surplus() - given.getOrDefault(job.key(), 0) : 0;
  }

  /** Those that make room for it beside the others; empty if all do not. They count as gone. */
  List<Leaver> take(List<Wish> before, Wish wish, Predicate<ResizableJob> yields) {
    var givers = givers(wish, yields);
    var most = most(givers);
    if (givers.isEmpty() || !fits(before, wish, all(most))) {
      return List.of();
    }
    var chosen = new ArrayList<List<Leaver>>();
    boolean isEnough = fits(before, wish, List.of());
    while (!isEnough && !givers.isEmpty()) {
      chosen.add(next(givers, all(chosen)));
      isEnough = fits(before, wish, all(chosen));
    }
    if (!isEnough) {
      chosen = new ArrayList<>(most);
    }
    for (var together : List.copyOf(chosen)) {
      var others = chosen.stream().filter(other -> !other.equals(together)).toList();
      if (fits(before, wish, all(others))) {
        chosen.remove(together);
      }
    }
    var leavers = all(chosen);
    leavers.forEach(leaver -> {
      gone.add(leaver.worker().uid());
      given.merge(leaver.job(), 1, Integer::sum);
    });
    return leavers;
  }

  private static List<Leaver> all(List<List<Leaver>> chosen) {
    return chosen.stream().flatMap(List::stream).toList();
  }

  /** Whether it would have room if all left who may. */
  boolean couldHaveRoom(List<Wish> before, Wish wish, Predicate<ResizableJob> yields) {
    return fits(before, wish, all(most(givers(wish, yields))));
  }

  /**
   * Whether it would have room if no job that gives to its equals had more than its least. What
   * jobs do to each other does not change that.
   */
  boolean wouldHaveRoomBesideTheLeast(List<Wish> before, Wish wish) {
    var surplus =
        view.jobs().stream()
            .filter(ResizableJob::isEqualAmongOthers)
            .flatMap(job ->
                job.workers().stream()
                    .skip(job.least())
                    .map(worker -> new Leaver(job.key(), worker)))
            .toList();
    return fits(before, wish, surplus);
  }

  private boolean fits(List<Wish> before, Wish wish, List<Leaver> leavers) {
    return view.room().place(before, wish, goneWith(leavers)).isPresent();
  }

  private Set<String> goneWith(List<Leaver> leavers) {
    var without = new HashSet<>(gone);
    leavers.forEach(leaver -> without.add(leaver.worker().uid()));
    return without;
  }

  /**
   * A job that may give back so many of these.
   *
   * @param segments all workers of those that have some of these, by number
   */
  private record Giver(
      ResizableJob job, List<Worker> useful, int left, TreeMap<Integer, List<Worker>> segments) {

    /** Those that leave next, be it one, where it does not matter what is free beside them. */
    List<Worker> last() {
      return segments.descendingMap().values().stream()
          .filter(segment -> segment.size() <= left)
          .findFirst()
          .orElseGet(() -> List.of(useful.getLast()));
    }

    Optional<Giver> without(List<Worker> leavers) {
      var rest = new ArrayList<>(useful);
      rest.removeAll(leavers);
      var others = new TreeMap<Integer, List<Worker>>();
      segments.forEach((number, segment) -> {
        var staying = new ArrayList<>(segment);
        staying.removeAll(leavers);
        if (!staying.isEmpty()) {
          others.put(number, staying);
        }
      });
      return Optional.of(new Giver(job, rest, left - leavers.size(), others))
          .filter(giver -> giver.left > 0 && !rest.isEmpty());
    }

    List<Leaver> leaving(List<Worker> workers) {
      return workers.stream().map(worker -> new Leaver(job.key(), worker)).toList();
    }
  }

  private PriorityQueue<Giver> givers(Wish wish, Predicate<ResizableJob> yields) {
    var givers =
        new PriorityQueue<Giver>(
            Comparator.comparingInt((Giver giver) -> giver.job().priority())
                .thenComparing(Giver::left, Comparator.reverseOrder())
                .thenComparing(giver -> giver.job().key()));
    var usable = new HashMap<String, Boolean>();
    for (var job : view.jobs()) {
      int left = left(job);
      if (left > 0 && yields.test(job)) {
        var giver = giver(wish, job, left, usable);
        if (!giver.useful().isEmpty()) {
          givers.add(giver);
        }
      }
    }
    return givers;
  }

  /** All that may leave; of a job not all of whose useful workers may, the youngest. */
  private static List<List<Leaver>> most(PriorityQueue<Giver> givers) {
    var most = new ArrayList<List<Leaver>>();
    for (var giver : givers) {
      for (var left = Optional.of(giver); left.isPresent(); ) {
        var workers = left.get().last();
        most.add(giver.leaving(workers));
        left = left.get().without(workers);
      }
    }
    return most;
  }

  private List<Leaver> next(PriorityQueue<Giver> givers, List<Leaver> chosen) {
    var giver = givers.remove();
    var workers =
        giver.segments().isEmpty()
            ? List.of(roomiest(giver.useful(), goneWith(chosen)))
            : giver.last();
    giver.without(workers).ifPresent(givers::add);
    return giver.leaving(workers);
  }

  private Giver giver(Wish wish, ResizableJob job, int left, Map<String, Boolean> usable) {
    var staying = job.workers().stream().filter(worker -> !gone.contains(worker.uid())).toList();
    var sites = view.room().sites(staying.stream().map(Worker::uid).toList(), gone);
    var useful =
        staying.stream()
            .filter(worker ->
                sites.containsKey(worker.uid())
                    && usable.computeIfAbsent(
                        sites.get(worker.uid()).node(), node -> view.room().couldUse(wish, node)))
            .sorted(Comparator.comparingInt(worker -> segment(sites, worker)))
            .toList();
    var segments = new TreeMap<Integer, List<Worker>>();
    staying.forEach(worker ->
        segments.computeIfAbsent(segment(sites, worker), _ -> new ArrayList<>()).add(worker));
    segments.remove(NO_SEGMENT);
    segments.values().removeIf(segment -> useful.stream().noneMatch(segment::contains));
    return new Giver(job, useful, left, segments);
  }

  private static int segment(Map<String, Site> sites, Worker worker) {
    var site = sites.get(worker.uid());
    return site == null ? NO_SEGMENT : site.segment().orElse(NO_SEGMENT);
  }

  /** The youngest is the last. */
  private Worker roomiest(List<Worker> workers, Set<String> without) {
    var sites = view.room().sites(workers.stream().map(Worker::uid).toList(), without);
    var best = workers.getLast();
    for (var worker : workers.reversed()) {
      if (sites.get(worker.uid()).space() > sites.get(best.uid()).space()) {
        best = worker;
      }
    }
    return best;
  }

  /** The names of those that leave, by job. */
  static Map<String, List<String>> byJob(List<Leaver> leavers) {
    Map<String, List<String>> byJob = new LinkedHashMap<>();
    for (var leaver : leavers) {
      byJob.computeIfAbsent(leaver.job(), _ -> new ArrayList<>()).add(leaver.worker().name());
    }
    return byJob;
  }
}
