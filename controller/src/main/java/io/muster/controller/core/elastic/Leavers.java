package io.muster.controller.core.elastic;

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
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Finds workers that leave so that somebody has room.
 *
 * <ol>
 *   <li>One after the other are noted: of the jobs of lowest priority the richest, of it the worker
 *       beside which most is free already, of those the youngest; only on nodes that are of use.
 *   <li>Of a job not all of whose workers may leave, those may be the wrong ones: then its youngest
 *       are noted in their place.
 *   <li>When there is room, those are let off who could have stayed.
 * </ol>
 *
 * <p>Nobody is taken from a job below its least. Confined to one thread, for one decision about the
 * jobs.
 */
final class Leavers {

  /** A worker of a job. */
  record Leaver(String job, Worker worker) {}

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

  Set<String> gone() {
    return gone;
  }

  boolean hasRoom(List<Wish> before, Wish wish) {
    return fits(before, wish, List.of());
  }

  /** Whether somebody yields to that priority, wherever it runs. */
  boolean areThereAnyFor(int priority) {
    return view.jobs().stream().anyMatch(job -> left(job) > 0 && job.yieldsTo(priority));
  }

  /** How many more may leave it. */
  private int left(ResizableJob job) {
    return job.mayGiveBack(now) ? job.surplus() - given.getOrDefault(job.key(), 0) : 0;
  }

  /** Those that make room for it beside the others; empty if all do not. They count as gone. */
  List<Leaver> take(List<Wish> before, Wish wish, int priority) {
    var givers = givers(wish, priority);
    var most = most(givers);
    if (givers.isEmpty() || !fits(before, wish, most)) {
      return List.of();
    }
    var chosen = new ArrayList<Leaver>();
    boolean isEnough = fits(before, wish, chosen);
    while (!isEnough && !givers.isEmpty()) {
      chosen.add(next(givers, chosen));
      isEnough = fits(before, wish, chosen);
    }
    if (!isEnough) {
      chosen = new ArrayList<>(most);
    }
    for (var leaver : List.copyOf(chosen)) {
      var others = chosen.stream().filter(other -> !other.equals(leaver)).toList();
      if (fits(before, wish, others)) {
        chosen.remove(leaver);
      }
    }
    chosen.forEach(leaver -> {
      gone.add(leaver.worker().uid());
      given.merge(leaver.job(), 1, Integer::sum);
    });
    return chosen;
  }

  /** Whether it would have room if all left who may. */
  boolean couldHaveRoom(List<Wish> before, Wish wish, int priority) {
    return fits(before, wish, most(givers(wish, priority)));
  }

  /**
   * Whether it would have room if no job had more than its least. What jobs do to each other does
   * not change that.
   */
  boolean wouldHaveRoomBesideTheLeast(List<Wish> before, Wish wish) {
    var surplus =
        view.jobs().stream()
            .flatMap(job ->
                job.workers().stream()
                    .skip(job.least())
                    .map(worker -> new Leaver(job.key(), worker)))
            .toList();
    return fits(before, wish, surplus);
  }

  private boolean fits(List<Wish> before, Wish wish, List<Leaver> leavers) {
    var all = new ArrayList<>(before);
    all.add(wish);
    var without = new HashSet<>(gone);
    leavers.forEach(leaver -> without.add(leaver.worker().uid()));
    return view.room().places(all, without).getLast().isPresent();
  }

  /** A job that may give back so many of these. */
  private record Giver(ResizableJob job, List<Worker> useful, int left) {}

  private PriorityQueue<Giver> givers(Wish wish, int priority) {
    var givers =
        new PriorityQueue<Giver>(
            Comparator.comparingInt((Giver giver) -> giver.job().priority())
                .thenComparing(Giver::left, Comparator.reverseOrder())
                .thenComparing(giver -> giver.job().key()));
    var usable = new HashMap<String, Boolean>();
    for (var job : view.jobs()) {
      int left = left(job);
      if (left > 0 && job.yieldsTo(priority)) {
        var useful = useful(wish, job, usable);
        if (!useful.isEmpty()) {
          givers.add(new Giver(job, useful, left));
        }
      }
    }
    return givers;
  }

  /** All that may leave; of a job not all of whose useful workers may, the youngest. */
  private static List<Leaver> most(PriorityQueue<Giver> givers) {
    return givers.stream()
        .flatMap(giver ->
            giver.useful().reversed().stream()
                .limit(giver.left())
                .map(worker -> new Leaver(giver.job().key(), worker)))
        .toList();
  }

  private Leaver next(PriorityQueue<Giver> givers, List<Leaver> chosen) {
    var without = new HashSet<>(gone);
    chosen.forEach(leaver -> without.add(leaver.worker().uid()));
    var giver = givers.remove();
    var worker = roomiest(giver.useful(), without);
    var rest = new ArrayList<>(giver.useful());
    rest.remove(worker);
    if (giver.left() > 1 && !rest.isEmpty()) {
      givers.add(new Giver(giver.job(), rest, giver.left() - 1));
    }
    return new Leaver(giver.job().key(), worker);
  }

  private List<Worker> useful(Wish wish, ResizableJob job, Map<String, Boolean> usable) {
    var staying = job.workers().stream().filter(worker -> !gone.contains(worker.uid())).toList();
    var sites = view.room().sites(staying.stream().map(Worker::uid).toList(), gone);
    return staying.stream()
        .filter(worker ->
            sites.containsKey(worker.uid())
                && usable.computeIfAbsent(
                    sites.get(worker.uid()).node(), node -> view.room().couldUse(wish, node)))
        .toList();
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
