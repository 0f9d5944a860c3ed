package io.muster.controller.core.elastic;

import io.muster.controller.core.elastic.CapacityOracle.Amounts;
import io.muster.controller.core.elastic.CapacityOracle.Wish;
import io.muster.controller.core.elastic.Decision.Cause;
import io.muster.controller.core.elastic.Decision.GiveBack;
import io.muster.controller.core.elastic.View.OnlinePod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Whole gangs first.
 *
 * <ol>
 *   <li>Pods of online services that find no room, then gangs in the order of the line: jobs give
 *       back what they need, of the lowest priority first, of those the richest first, and nobody
 *       who could have stayed.
 *   <li>The same for room for one more gang, if it is to be kept and there can be as much, and no
 *       node has come for a minute.
 *   <li>If nobody has to give back, jobs grow into room that is free, the poorest first.
 *   <li>If nobody grows either, the rich give to the poor.
 * </ol>
 *
 * <p>Jobs that yield to higher priority alone neither give for the next gang and for evenness nor
 * leave its room alone. Rich is who has many workers beyond those that must stay. Guaranteed: no
 * job is asked to go below its least or above its most; what leaves already is counted, so nobody
 * is asked twice; a job that gave for evenness does not grow, and one that grew does not give for
 * evenness, within {@link Resizes#REST}. It remembers no more than that. Confined to one thread.
 */
public final class GangPolicy implements Elasticity {

  /** Each is a plan on paper; who is behind so many is planned when they have gone. */
  private static final int MOST_PLANNED = 16;

  /** Of kinds of pods without a gang so many are looked at, whether they can be helped or not. */
  private static final int MOST_KINDS = 32;

  /** Of pods that are alike so many at once. */
  private static final int MOST_ALIKE = 64;

  /** Nodes come one by one, and what waits for them takes its places as they do. */
  private static final Duration SETTLED = Duration.ofMinutes(1);

  private final HeadRoom headRoom;
  private final Resizes resizes = new Resizes();
  private Optional<Amounts> offered = Optional.empty();
  private Instant settledFrom = Instant.MIN;

  /** For which jobs room is kept for one more gang like the least of the youngest of them. */
  public enum HeadRoom {
    NONE,
    /** Of jobs whose pods ask for no accelerator. */
    WITHOUT_DEVICES,
    ALL
  }

  public GangPolicy(HeadRoom headRoom) {
    this.headRoom = headRoom;
  }

  /**
   * Somebody who waits for room: for whom others leave, and how that is called.
   *
   * @param called a gang by namespace and name
   */
  private record Claimant(
      Wish wish, int priority, Cause cause, Optional<String> gang, String called) {

    /** As users of a job are told: they may not know what is in another namespace. */
    String calledIn(String job) {
      if (gang.isEmpty()) {
        return called;
      }
      var before = job.substring(0, Math.max(0, job.lastIndexOf('/')));
      var namespace = before.substring(before.lastIndexOf('/') + 1);
      boolean isOwn = called.startsWith(namespace + "/");
      return isOwn || !called.contains("/") ? "gang " + called : "a gang of another namespace";
    }

    /** For a gang that may never come nobody yields who yields to higher priority alone. */
    boolean isYieldedToBy(ResizableJob job) {
      return job.yieldsTo(priority) && (cause != Cause.HEAD_ROOM || job.isEqualAmongOthers());
    }

    String reason(int giver) {
      if (cause == Cause.HEAD_ROOM) {
        return "so that it finds room when it comes";
      }
      return priority > giver
          ? "which has a higher priority"
          : "for which there is no room, and it has most to spare";
    }
  }

  @Override
  public List<Decision> plan(View view, Instant now) {
    resizes.seen(view.jobs(), now);
    if (headRoom != HeadRoom.NONE) {
      // The sum over all nodes is asked for where it decides anything.
      seen(view.room().offered(), now);
    }
    var leavers = new Leavers(view, now);
    var given = new ArrayList<Decision>();
    var served = new ArrayList<Wish>();
    var waiting = serve(view, leavers, served, given);
    var kept = kept(view).filter(next -> leavers.wouldHaveRoomBesideTheLeast(served, next.wish()));
    if (!now.isBefore(settledFrom)) {
      kept.ifPresent(next -> help(view, leavers, served, next, given));
    }
    if (!given.isEmpty()) {
      return given;
    }
    var room = kept.map(Claimant::wish);
    var grown =
        new Growth(view, served, waiting, room).decide(job -> resizes.mayGrow(job, now), now);
    return grown.isEmpty() && waiting.isEmpty() ? new Evenness(view, resizes, now).decide() : grown;
  }

  @Override
  public void carriedOut(Decision decision, Instant now) {
    resizes.carriedOut(decision, now);
  }

  private void seen(Amounts amounts, Instant now) {
    if (offered.filter(amounts::exceeds).isPresent()) {
      settledFrom = now.plus(SETTLED);
    }
    offered = Optional.of(amounts);
  }

  /** Has jobs give back for all who wait; says for whom room is to be left alone. */
  private static List<Wish> serve(
      View view, Leavers leavers, List<Wish> served, List<Decision> given) {
    var waiting = new ArrayList<Wish>();
    for (var pods : alike(view)) {
      if (served.size() == MOST_PLANNED) {
        break;
      }
      var claimant = helpable(leavers, served, pods);
      claimant.ifPresent(pod -> {
        if (view.room().place(served, pod.wish(), List.of()).isEmpty()) {
          // All others need nobody to leave: kube-scheduler is about to find that out.
          waiting.add(pod.wish());
        }
        help(view, leavers, served, pod, given);
        served.add(pod.wish());
      });
    }
    int planned = 0;
    for (var gang : view.waiting()) {
      var wish = new Wish.OfGang(gang.gang());
      waiting.add(wish);
      if (planned < MOST_PLANNED && leavers.areThereAny(job -> job.yieldsTo(gang.priority()))) {
        var id = gang.gang().substring(gang.gang().indexOf(':') + 1);
        var claimant =
            new Claimant(wish, gang.priority(), Cause.GANG, Optional.of(gang.gang()), id);
        planned++;
        if (help(view, leavers, served, claimant, given)) {
          served.add(wish);
        }
      }
    }
    return waiting;
  }

  /**
   * Of one priority one kind of each namespace after the other: whoever makes many keeps nobody
   * else from being helped.
   */
  private static List<List<OnlinePod>> alike(View view) {
    record Kind(int priority, String namespace, String shape) {}
    record Turn(int priority, int number, List<OnlinePod> pods) {}

    var kinds =
        view.online().stream()
            .collect(
                Collectors.groupingBy(
                    pod -> new Kind(pod.priority(), pod.namespace(), pod.shape()),
                    LinkedHashMap::new,
                    Collectors.toList()));
    var numbers = new HashMap<Kind, Integer>();
    var turns = new ArrayList<Turn>();
    kinds.forEach((kind, pods) -> {
      int number = numbers.merge(new Kind(kind.priority(), kind.namespace(), ""), 1, Integer::sum);
      turns.add(new Turn(kind.priority(), number, pods));
    });
    return turns.stream()
        .sorted(Comparator.comparingInt(Turn::priority).reversed().thenComparingInt(Turn::number))
        .limit(MOST_KINDS)
        .map(turn -> turn.pods().stream().limit(MOST_ALIKE).toList())
        .toList();
  }

  /** As many of these as would have room if all left who may; empty if none would. */
  private static Optional<Claimant> helpable(
      Leavers leavers, List<Wish> served, List<OnlinePod> pods) {
    int priority = pods.getFirst().priority();
    Predicate<ResizableJob> yields = job -> job.yieldsTo(priority);
    var uids = pods.stream().map(OnlinePod::uid).toList();
    int enough = 0;
    int tooMany = uids.size() + 1;
    int tried = uids.size();
    while (tooMany - enough > 1) {
      if (leavers.couldHaveRoom(served, new Wish.Like(uids.subList(0, tried)), yields)) {
        enough = tried;
      } else {
        tooMany = tried;
      }
      tried = (enough + tooMany) / 2;
    }
    var called = enough == 1 ? "a pod without a gang" : enough + " pods without a gang";
    return enough == 0
        ? Optional.empty()
        : Optional.of(
            new Claimant(
                new Wish.Like(uids.subList(0, enough)),
                priority,
                Cause.ONLINE,
                Optional.empty(),
                called));
  }

  /** Whether it has room now, or will have once those are gone who are told to leave. */
  private static boolean help(
      View view, Leavers leavers, List<Wish> served, Claimant claimant, List<Decision> given) {
    if (leavers.hasRoom(served, claimant.wish())) {
      return true;
    }
    var chosen = leavers.take(served, claimant.wish(), claimant::isYieldedToBy);
    Map<String, Integer> priorities =
        view.jobs().stream().collect(Collectors.toMap(ResizableJob::key, ResizableJob::priority));
    Leavers.byJob(chosen)
        .forEach((job, workers) ->
            given.add(
                GiveBack.of(
                    job,
                    workers,
                    claimant.cause(),
                    claimant.gang(),
                    " for %s, %s"
                        .formatted(claimant.calledIn(job), claimant.reason(priorities.get(job))))));
    return !chosen.isEmpty();
  }

  /** The least of the youngest job whose kind keeps room. */
  private Optional<Claimant> kept(View view) {
    return view.jobs().stream()
        .filter(job -> job.isEqualAmongOthers() && job.least() > 0 && !job.workers().isEmpty())
        .filter(job -> isKeptFor(view, job))
        .max(
            Comparator.comparing((ResizableJob job) -> job.model().since())
                .thenComparing(ResizableJob::key))
        .map(job -> {
          var pods = new ArrayList<>(job.terms().companions());
          pods.addAll(Collections.nCopies(job.least(), job.model().uid()));
          return new Claimant(
              new Wish.Like(pods),
              job.priority(),
              Cause.HEAD_ROOM,
              Optional.empty(),
              "the next gang");
        });
  }

  private boolean isKeptFor(View view, ResizableJob job) {
    return switch (headRoom) {
      case NONE -> false;
      case WITHOUT_DEVICES -> view.room().asks(job.model().uid()).devices() == 0;
      case ALL -> true;
    };
  }
}
