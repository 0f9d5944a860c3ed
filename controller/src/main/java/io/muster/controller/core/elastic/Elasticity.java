package io.muster.controller.core.elastic;

import io.muster.controller.core.elastic.Decision.GiveBack;
import io.muster.controller.core.elastic.Decision.Grow;
import io.muster.controller.core.elastic.ResizableJob.Worker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Decides which jobs grow and which give back.
 *
 * <ol>
 *   <li>The first waiting gang, in the order of the line, for which enough would come free: jobs of
 *       lower priority give back, of the lowest priority first, of those the richest first, each
 *       its youngest worker first, and nobody who could have stayed.
 *   <li>If nobody has to give back, each job that may grow gets workers, as many as its stride
 *       allows, the poorest first, as long as there is room beside all that was promised before, on
 *       nodes that no waiting gang could use.
 * </ol>
 *
 * <p>Rich is who has many workers beyond those that must stay. Guaranteed: no job is asked to go
 * below its least or above its most; a gang takes nothing from its equals; while workers are on
 * their way out that a gang needs, nobody else is asked for it. Pure, stateless, safe for
 * concurrent use.
 */
public final class Elasticity {

  /** Each is a plan on paper; who is behind so many is looked at when they have gone. */
  private static final int MOST_LOOKED_AT = 16;

  private Elasticity() {}

  /** A gang that waits though enough of its members are there. Immutable. */
  public record Waiting(String gang, int priority) {}

  /**
   * What is so now. Confined to one thread.
   *
   * @param waiting in the order of the line, without those that grow jobs in this way
   * @param leaving uids of pods that are on their way out anyway
   */
  public record View(
      List<ResizableJob> jobs, List<Waiting> waiting, List<String> leaving, Room room) {

    public View {
      jobs = List.copyOf(jobs);
      waiting = List.copyOf(waiting);
      leaving = List.copyOf(leaving);
    }
  }

  private record Leaver(String job, Worker worker) {}

  /** What is to be asked for now; empty if all is well. */
  public static List<Decision> plan(View view, Instant now) {
    var given = giveBack(view, now);
    return given.isEmpty() ? grow(view, now) : given;
  }

  private static List<Decision> giveBack(View view, Instant now) {
    int looked = 0;
    for (var gang : view.waiting()) {
      var leavers = leavers(view, gang, now);
      if (leavers.isEmpty()) {
        continue;
      }
      if (looked == MOST_LOOKED_AT) {
        break;
      }
      looked++;
      if (!fits(view, gang, List.of())) {
        var needed = fewest(view, gang, leavers);
        if (!needed.isEmpty()) {
          return decisions(needed, gang);
        }
      } else if (!view.room().fitsWithout(gang.gang(), List.of())) {
        // It waits for those who are on their way out, and they are counted once.
        return List.of();
      }
    }
    return List.of();
  }

  private static boolean fits(View view, Waiting gang, List<Leaver> leavers) {
    var gone = new ArrayList<>(view.leaving());
    leavers.forEach(leaver -> gone.add(leaver.worker().uid()));
    return view.room().fitsWithout(gang.gang(), gone);
  }

  /** All who may be asked to leave for it, in the order in which they are. */
  private static List<Leaver> leavers(View view, Waiting gang, Instant now) {
    record Giver(ResizableJob job, int left) {}

    var givers =
        new PriorityQueue<Giver>(
            Comparator.comparingInt((Giver giver) -> giver.job().priority())
                .thenComparing(Giver::left, Comparator.reverseOrder())
                .thenComparing(giver -> giver.job().key()));
    view.jobs().stream()
        .filter(job -> job.priority() < gang.priority() && job.mayGiveBack(now))
        .forEach(job -> givers.add(new Giver(job, job.surplus())));
    var leavers = new ArrayList<Leaver>();
    while (!givers.isEmpty()) {
      var giver = givers.poll();
      var job = giver.job();
      leavers.add(new Leaver(job.key(), job.workers().get(job.least() + giver.left() - 1)));
      if (giver.left() > 1) {
        givers.add(new Giver(job, giver.left() - 1));
      }
    }
    return leavers;
  }

  /**
   * As few from the beginning as make room, less those who could have stayed; none if all don't.
   */
  private static List<Leaver> fewest(View view, Waiting gang, List<Leaver> leavers) {
    if (leavers.isEmpty() || !fits(view, gang, leavers)) {
      return List.of();
    }
    int tooFew = 0;
    int enough = leavers.size();
    while (enough - tooFew > 1) {
      int half = (tooFew + enough) / 2;
      if (fits(view, gang, leavers.subList(0, half))) {
        enough = half;
      } else {
        tooFew = half;
      }
    }
    var needed = new ArrayList<>(leavers.subList(0, enough));
    for (var leaver : leavers.subList(0, enough)) {
      var others = needed.stream().filter(other -> !other.equals(leaver)).toList();
      if (fits(view, gang, others)) {
        needed.remove(leaver);
      }
    }
    return needed;
  }

  private static List<Decision> decisions(List<Leaver> leavers, Waiting gang) {
    Map<String, List<String>> byJob = new LinkedHashMap<>();
    for (var leaver : leavers) {
      byJob.computeIfAbsent(leaver.job(), _ -> new ArrayList<>()).add(leaver.worker().name());
    }
    return byJob.entrySet().stream()
        .<Decision>map(entry -> new GiveBack(entry.getKey(), entry.getValue(), gang.gang()))
        .toList();
  }

  private static List<Decision> grow(View view, Instant now) {
    var promised = new ArrayList<String>();
    view.jobs().stream()
        .filter(job -> !job.workers().isEmpty())
        .forEach(job -> promised.addAll(Collections.nCopies(job.coming(), job.model().uid())));
    var decisions = new ArrayList<Decision>();
    view.jobs().stream()
        .filter(job -> job.mayGrow(now))
        .sorted(
            Comparator.comparingInt(ResizableJob::surplus)
                .thenComparing(ResizableJob::priority, Comparator.reverseOrder())
                .thenComparing(ResizableJob::key))
        .forEach(job -> {
          int count = most(view, promised, job);
          if (count > 0) {
            promised.addAll(Collections.nCopies(count, job.model().uid()));
            decisions.add(new Grow(job.key(), count));
          }
        });
    return decisions;
  }

  /** As many as have room: all that it may get at a time, else the most units that do. */
  private static int most(View view, List<String> promised, ResizableJob job) {
    int step = job.step();
    if (isFree(view, promised, job, step)) {
      return step;
    }
    int unit = job.stride().unit();
    int enough = 0;
    int tooMany = (step + unit - 1) / unit;
    while (tooMany - enough > 1) {
      int half = (enough + tooMany) / 2;
      if (isFree(view, promised, job, half * unit)) {
        enough = half;
      } else {
        tooMany = half;
      }
    }
    return enough * unit;
  }

  /** Whether so many have room beside the others, where no waiting gang could be. */
  private static boolean isFree(View view, List<String> promised, ResizableJob job, int count) {
    var wanted = new ArrayList<>(promised);
    wanted.addAll(Collections.nCopies(count, job.model().uid()));
    return view.room()
        .places(wanted)
        .map(nodes -> nodes.subList(promised.size(), nodes.size()))
        .filter(nodes ->
            nodes.stream()
                .distinct()
                .noneMatch(node ->
                    view.waiting().stream()
                        .anyMatch(gang -> view.room().couldUse(gang.gang(), node))))
        .isPresent();
  }
}
