package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/**
 * One history, told by its number: a cluster, gangs that come to it within half a minute, and a
 * good minute of all that can go wrong, several things at once; then quiet, for longer than Muster
 * holds anything against anybody.
 */
final class Adversity {

  private static final int COMING_MILLIS = 30_000;
  private static final int TROUBLED_MILLIS = 70_000;
  private static final Duration TROUBLED = Duration.ofSeconds(75);
  private static final Duration SETTLED = Duration.ofMinutes(4);

  /**
   * A node that has failed a gang again and again is forgiven after a quarter of an hour, and what
   * is tied to it given up some minutes later.
   */
  private static final Duration QUIET = Duration.ofMinutes(40);

  private static final long LIMIT = 6;

  /** Far from the numbers of histories, so that no two of a build are drawn alike. */
  private static final long PREEMPTORS = 1L << 40;

  private static final List<Integer> PRIORITIES = List.of(0, 1, 50, 200, Integer.MAX_VALUE);

  private static final Waiting WAITING =
      new Waiting(
          Duration.ofSeconds(20),
          Duration.ofSeconds(60),
          Duration.ofHours(12),
          Duration.ofSeconds(5),
          Duration.ofMinutes(10),
          true);

  private final Random random;
  private final ClusterSimulation cluster;
  private final List<AdverseGang> gangs = new ArrayList<>();
  private final Troubles troubles;

  /** Run-time limits are drawn from it, in histories that have some. */
  private final Optional<Random> limits;

  private Adversity(long history, Rules rules, boolean hasLimits) {
    limits = Optional.of(new Random(Histories.seed(~history))).filter(_ -> hasLimits);
    random = new Random(Histories.seed(history));
    cluster = new ClusterSimulation(random.nextLong(), rules);
    cluster.ownersReplace = true;
    cluster.isReplaced =
        pod -> gangs.stream().filter(gang -> gang.isOf(pod)).allMatch(gang -> gang.isReplaced);
    cluster.neverEnds = pod -> pod.wishes().grace().toDays() > 1;
    cluster.kubeletsRefuse = true;
    cluster.scheduler.triesAnyway = true;
    troubles = new Troubles(cluster, gangs, random);
  }

  /** Plays a history where kube-scheduler asks Muster, and tells what should not have been. */
  static List<String> played(long history) {
    var pins =
        Math.floorMod(Histories.seed(history), 2) == 0 ? NodePinPolicy.ALWAYS : NodePinPolicy.NEVER;
    return played(history, new Rules(PlacementMode.EXTENDER, pins, WAITING), false);
  }

  /** The same where most gangs may run only for a while. */
  static List<String> playedWithLimits(long history, PlacementMode mode) {
    return played(history, new Rules(mode, NodePinPolicy.NEVER, WAITING), true);
  }

  /** The same where pods without a gang come that kube-scheduler preempts others for. */
  static List<String> playedWithPreemption(long history, PlacementMode mode) {
    var rules = new Rules(mode, NodePinPolicy.NEVER, WAITING);
    return told(
        history,
        () -> {
          var adversity = new Adversity(history, rules, false);
          adversity.drawPreemptors(new Random(Histories.seed(history + PREEMPTORS)));
          return adversity.play();
        });
  }

  /** The same where it does not ask. */
  static List<String> playedUnasked(long history) {
    return playedUnasked(history, PlacementMode.AFFINITY);
  }

  /** The same where it does not ask, in that mode. */
  static List<String> playedUnasked(long history, PlacementMode mode) {
    return played(history, new Rules(mode, NodePinPolicy.NEVER, WAITING), false);
  }

  private static List<String> played(long history, Rules rules, boolean hasLimits) {
    return told(history, () -> new Adversity(history, rules, hasLimits).play());
  }

  private static List<String> told(long history, Supplier<List<String>> played) {
    try {
      return played.get();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("history " + history + ": " + e.getMessage(), e);
    }
  }

  private List<String> play() {
    cluster.configure(
        new Queues(
            List.of(
                new Queue(
                    AdverseGang.QUEUE,
                    1,
                    Optional.empty(),
                    Optional.of(LIMIT),
                    Order.PRIORITY,
                    false,
                    Optional.empty(),
                    Set.of()))));
    int nodes = 2 + random.nextInt(5);
    for (int i = 0; i < nodes; i++) {
      troubles.make(aNode("n" + i).gpus(1L + random.nextInt(4)).build());
    }
    cluster.longestGangWriteMillis = any(20, 500, 5_000);
    cluster.longestPodWriteMillis = any(30, 1_000, 5_000);
    drawGangs();
    for (int i = 0; i < random.nextInt(3); i++) {
      var single = aPod("single-" + i).gpus(1).build();
      cluster.at(anyTime(COMING_MILLIS), () -> cluster.create(single));
    }
    limits.ifPresent(this::setClocks);
    int number = 2 + random.nextInt(9);
    for (int i = 0; i < number; i++) {
      cluster.at(anyTime(TROUBLED_MILLIS), troubles::any);
    }
    cluster.runUntil(TROUBLED);
    troubles.calmDown();
    cluster.muster.tickMillis = 1_000;
    cluster.runUntil(SETTLED);
    cluster.muster.tickMillis = 5_000;
    cluster.scheduler.preemption.isQuiet = true;
    cluster.runUntil(QUIET);
    var faults = new ArrayList<>(cluster.faults);
    faults.addAll(new Aftermath(cluster, gangs, LIMIT).faults());
    return faults;
  }

  /**
   * The clock of Muster's machine is set up to two hours forth or back, which ends nobody early.
   */
  private void setClocks(Random set) {
    for (int i = set.nextInt(4); i > 0; i--) {
      var ahead = Duration.ofSeconds(set.nextInt(14_401) - 7_200L);
      cluster.at(
          Duration.ofMillis(500L + set.nextInt(TROUBLED_MILLIS)),
          () -> cluster.muster.deliver(new Event.ClockSet(ahead)));
    }
  }

  /** Pods without a gang, some of which come before most gangs; about half end after a while. */
  private void drawPreemptors(Random drawn) {
    cluster.scheduler.preemption.isOn = true;
    for (int i = drawn.nextInt(4); i >= 0; i--) {
      var builder =
          aPod("first-" + i)
              .gpus(1L + drawn.nextInt(2))
              .priority(PRIORITIES.get(drawn.nextInt(PRIORITIES.size())));
      var pod = (drawn.nextInt(4) == 0 ? builder.queue(AdverseGang.QUEUE) : builder).build();
      var at = Duration.ofMillis(500L + drawn.nextInt(TROUBLED_MILLIS));
      cluster.at(at, () -> cluster.create(pod));
      if (drawn.nextBoolean()) {
        var end = at.plusMillis(5_000L + drawn.nextInt(60_000));
        cluster.at(end, () -> cluster.delete(pod.key().uid()));
      }
    }
  }

  private int any(int... of) {
    return of[random.nextInt(of.length)];
  }

  private Duration anyTime(int millis) {
    return Duration.ofMillis(500L + random.nextInt(millis));
  }

  private void drawGangs() {
    int count = 1 + random.nextInt(4);
    boolean isAsked = cluster.rules.placement() == PlacementMode.EXTENDER;
    for (int g = 0; g < count; g++) {
      var name = "g" + g;
      boolean isPair = g + 1 < count && random.nextInt(6) == 0;
      boolean isLimited = random.nextInt(4) == 0;
      come(new AdverseGang(name, partner(isPair, g + 1), isLimited, isAsked, random));
      if (isPair) {
        g++;
        come(new AdverseGang("g" + g, Optional.of(name), isLimited, isAsked, random));
      }
    }
  }

  private static Optional<String> partner(boolean isPair, int number) {
    return isPair ? Optional.of("g" + number) : Optional.empty();
  }

  private void come(AdverseGang gang) {
    gangs.add(gang);
    limits.ifPresent(gang::drawLimit);
    var start = anyTime(COMING_MILLIS);
    boolean isSlow = random.nextInt(8) == 0;
    for (var pod : gang.pods(Instant.EPOCH.plus(start))) {
      var at = start.plusMillis(random.nextInt(isSlow ? 20_000 : 2_000));
      // Where nobody asks, the webhook alone stands before a start of its own.
      boolean isUnseen =
          cluster.rules.placement() == PlacementMode.EXTENDER && random.nextInt(6) == 0;
      cluster.at(at, () -> create(pod, isUnseen));
    }
  }

  private void create(Pod pod, boolean isUnseen) {
    if (isUnseen) {
      cluster.createUnseen(pod);
    } else {
      cluster.create(pod);
    }
  }
}
