package io.muster.bench;

import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/**
 * More gangs than there is room for, created all mixed up; each is deleted 5 s after it was seen
 * whole. Beside the sides an oracle: the driver deals whole gangs itself, oldest first where it
 * fits, without any scheduler.
 */
final class Contention {

  static final int NODES = 100;

  private static final double BAR_SECONDS = 21.5;
  private static final double WAIT_BAR = 2.0;
  private static final double NATIVE_BAR = 1.15;
  private static final double MUSTER_NATIVE_BAR = 1.0;
  private static final double DRA_BAR = 1.05;

  /** What viewers of the board may take. */
  private static final double WATCHED_BAR = 1.02;

  private static final long LIFE_SECONDS = 5;
  private static final Duration BURST_LIMIT = Duration.ofSeconds(5);
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration DEADLOCK_LIMIT = Duration.ofMinutes(1);

  private final boolean isOfWholeNodes;
  private final Map<Side, List<Double>> makespans = new EnumMap<>(Side.class);
  private final List<Double> oracles = new ArrayList<>();
  private int halfGangs;
  private double worstWait;

  Contention(boolean isOfWholeNodes) {
    this.isOfWholeNodes = isOfWholeNodes;
  }

  Verdict measure(Pairs.Plan plan) {
    try (var arena = Arena.with(NODES, plan.sides())) {
      for (int i = 0; i < plan.pairs(); i++) {
        var work = Work.contention(plan.seed() + i, isOfWholeNodes);
        System.out.printf(
            "  seed %d: %d pods, %.2f s of GPU work%n",
            plan.seed() + i,
            work.pods(),
            (double) work.gpus() * LIFE_SECONDS / (NODES * NodeShape.GPU8.gpus()));
        arena.turnTo(Side.BARE);
        var oracle = play(arena, work, Optional.of(new Oracle(arena, work)), LIMIT);
        oracles.add(oracle.makespan());
        tell("oracle", oracle);
        for (var side : plan.sides()) {
          if (!side.isProbe()) {
            playSide(arena, plan, side, work, oracle);
          }
        }
      }
    }
    return verdict();
  }

  private void playSide(Arena arena, Pairs.Plan plan, Side side, Work work, Story oracle) {
    arena.turnTo(side);
    for (int i = 0; side.isMuster() && i < plan.warmUps(); i++) {
      play(arena, work, Optional.empty(), LIMIT);
    }
    var story = play(arena, work, Optional.empty(), side == Side.BARE ? DEADLOCK_LIMIT : LIMIT);
    tell(side.label(), story);
    makespans.computeIfAbsent(side, _ -> new ArrayList<>()).add(story.makespan());
    if (side.isMuster()) {
      halfGangs += story.halfGangs();
      double worst = story.worstWaitAgainst(oracle);
      System.out.printf("      longest wait against the oracle's: %.2f times%n", worst);
      worstWait = Math.max(worstWait, worst);
    }
  }

  private Verdict verdict() {
    var values = new EnumMap<Side, Double>(Side.class);
    makespans.forEach((side, all) -> values.put(side, mean(all)));
    // A deadlock has no end.
    values.values().removeIf(value -> value.isNaN());
    var muster = Optional.ofNullable(values.get(Side.MUSTER));
    double oracle = mean(oracles);
    boolean measured = makespans.containsKey(Side.MUSTER);
    System.out.printf("%n  %-13s %10s%n  %-13s %10.2f%n", "side", "makespan", "oracle", oracle);
    makespans.forEach(
        (side, all) -> System.out.printf("  %-13s %10.2f  %s%n", side.label(), mean(all), all));
    var besideNative = ratio(Side.MUSTER, Side.NATIVE);
    besideNative.ifPresent(ratio -> System.out.printf("  muster / native %.2f%n", ratio));
    var ofNative = ratio(Side.MUSTER_NATIVE, Side.NATIVE);
    ofNative.ifPresent(ratio -> System.out.printf("  muster_native / native %.2f%n", ratio));
    var ofDra = ratio(Side.DRA, Side.MUSTER);
    ofDra.ifPresent(ratio -> System.out.printf("  dra / muster %.2f%n", ratio));
    var watched = ratio(Side.WATCHED, Side.MUSTER);
    watched.ifPresent(ratio -> System.out.printf("  watched / muster %.2f%n", ratio));
    ratio(Side.NATIVE_DRA, Side.NATIVE)
        .ifPresent(ratio -> System.out.printf("  native_dra / native %.2f%n", ratio));
    return new Verdict(
        "contend",
        "s",
        Verdict.LOWER,
        values,
        muster.isPresent() ? OptionalDouble.of(muster.get() / oracle) : OptionalDouble.empty(),
        ("muster <= %s, halfGangs = 0, longestWaitRatio <= %s, nativeRatio <= %s, draRatio <= %s,"
                + " watchedRatio <= %s; without muster musterNativeRatio <= %s, halfGangs = 0")
            .formatted(BAR_SECONDS, WAIT_BAR, NATIVE_BAR, DRA_BAR, WATCHED_BAR, MUSTER_NATIVE_BAR),
        measured
            ? Optional.of(
                muster.isPresent()
                    && muster.get() <= BAR_SECONDS
                    && halfGangs == 0
                    && worstWait <= WAIT_BAR
                    && besideNative.orElse(0) <= NATIVE_BAR
                    && ofDra.orElse(0) <= DRA_BAR
                    && watched.orElse(0) <= WATCHED_BAR)
            : ofNative.stream()
                .mapToObj(ratio -> ratio <= MUSTER_NATIVE_BAR && halfGangs == 0)
                .findFirst(),
        more(
            oracle,
            Map.of(
                "nativeRatio", besideNative,
                "musterNativeRatio", ofNative,
                "draRatio", ofDra,
                "watchedRatio", watched)));
  }

  private Map<String, Double> more(double oracle, Map<String, OptionalDouble> ratios) {
    var more = new LinkedHashMap<String, Double>();
    more.put("oracle", oracle);
    if (makespans.keySet().stream().anyMatch(Side::isMuster)) {
      more.put("halfGangs", (double) halfGangs);
      more.put("longestWaitRatio", worstWait);
    }
    new TreeMap<>(ratios).forEach((name, ratio) -> ratio.ifPresent(value -> more.put(name, value)));
    return more;
  }

  /** The median over the seeds; a round that never ended has no ratio. */
  private OptionalDouble ratio(Side side, Side base) {
    var some = makespans.getOrDefault(side, List.of());
    var others = makespans.getOrDefault(base, List.of());
    var ratios =
        IntStream.range(0, Math.min(some.size(), others.size()))
            .mapToObj(i -> some.get(i) / others.get(i))
            .filter(ratio -> !ratio.isNaN())
            .toList();
    return ratios.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(Verdict.median(ratios));
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
  }

  private static void tell(String who, Story story) {
    System.out.printf(
        "    %-13s %s, %d half gangs left, longest in part %.2f s, mean wait %.2f s, longest wait"
            + " %.2f s%n"
            + "      all created after %.2f s; %% of the GPUs held, second by second: %s%n      cpu s: %s%n",
        who,
        Double.isNaN(story.makespan()) ? "never ended" : "%.2f s".formatted(story.makespan()),
        story.halfGangs(),
        story.longestInPart(),
        mean(List.copyOf(story.waits().values())),
        story.waits().values().stream().mapToDouble(each -> each).max().orElse(Double.NaN),
        story.created(),
        story.held(),
        story.cpu());
  }

  /**
   * How a round went, in seconds.
   *
   * @param makespan from the first pod sent to the last gone; NaN if that never came
   * @param halfGangs gangs with some but not all members bound when it ended
   * @param waits of each gang, from its first member sent to its last seen bound
   * @param created from the first pod sent to the last answered
   * @param held share of all GPUs that pods held in the middle of each second, in %
   */
  private record Story(
      double makespan,
      int halfGangs,
      double longestInPart,
      Map<String, Double> waits,
      double created,
      List<Integer> held,
      CpuTimes cpu) {

    double worstWaitAgainst(Story oracle) {
      return oracle.waits().entrySet().stream()
          .filter(entry -> entry.getValue() > 0)
          .mapToDouble(entry ->
              waits.getOrDefault(entry.getKey(), Double.POSITIVE_INFINITY) / entry.getValue())
          .max()
          .orElse(Double.POSITIVE_INFINITY);
    }
  }

  private static Story play(Arena arena, Work work, Optional<Oracle> oracle, Duration limit) {
    var sizes = new HashMap<String, Gang>();
    work.gangs().forEach(gang -> sizes.put(gang.name(), gang));
    Story story;
    var over = new AtomicBoolean();
    long mark = arena.sandbox().auditLog().mark();
    try (var round = new Round(arena, work);
        var workers = Executors.newVirtualThreadPerTaskExecutor()) {
      var afterItsLife = CompletableFuture.delayedExecutor(LIFE_SECONDS, TimeUnit.SECONDS, workers);
      round
          .watch()
          .onBound(pod -> {
            var gang = sizes.get(Gang.of(pod));
            if (round.watch().boundOf(gang.name()) == gang.members()) {
              afterItsLife.execute(() -> end(arena, gang, oracle, over));
            }
          });
      oracle.ifPresent(dealer -> round.onCreated(dealer::created));
      round.create(oracle.isPresent() ? Manifests.NO_SCHEDULER : Manifests.DEFAULT_SCHEDULER);
      boolean ended = Await.within(limit, () -> round.watch().goneCount() >= work.pods());
      over.set(true);
      // Bindings that are under way when time is up make no half gang.
      Await.within(BURST_LIMIT, () -> ended || halfGangs(round, work) == 0);
      story = told(round, work, ended);
      oracle.ifPresent(Oracle::end);
    }
    var writes = new Writes(arena.sandbox().auditLog().since(mark));
    if (!writes.all().isEmpty()) {
      System.out.println("      " + writes.words(work));
    }
    arena.viewers().map(Viewers::words).ifPresent(words -> System.out.println("      " + words));
    arena.clean();
    return story;
  }

  private static void end(Arena arena, Gang gang, Optional<Oracle> oracle, AtomicBoolean over) {
    if (over.get()) {
      return;
    }
    Crowd.each(
        gang.all(),
        member ->
            arena.api().delete(Manifests.PODS + "/" + member.name(), "{\"gracePeriodSeconds\":0}"));
    oracle.ifPresent(dealer -> dealer.ended(gang));
  }

  private static int halfGangs(Round round, Work work) {
    int half = 0;
    for (var gang : work.gangs()) {
      int bound = round.watch().boundOf(gang.name());
      if (bound > 0 && bound < gang.members()) {
        half++;
      }
    }
    return half;
  }

  private static Story told(Round round, Work work, boolean ended) {
    var bound = round.watch().bound();
    var firstCreated = round.firstCreated();
    var first = new HashMap<String, Long>();
    var last = new HashMap<String, Long>();
    bound.forEach((pod, at) -> {
      first.merge(Gang.of(pod), at, Math::min);
      last.merge(Gang.of(pod), at, Math::max);
    });
    var waits = new HashMap<String, Double>();
    double inPart = 0;
    for (var gang : work.gangs()) {
      int members = round.watch().boundOf(gang.name());
      if (members == gang.members()) {
        waits.put(gang.name(), Round.seconds(firstCreated.get(gang.name()), last.get(gang.name())));
        inPart = Math.max(inPart, Round.seconds(first.get(gang.name()), last.get(gang.name())));
      }
    }
    double makespan =
        ended
            ? Round.seconds(
                round.begun(),
                round.watch().gone().values().stream()
                    .mapToLong(Long::longValue)
                    .max()
                    .orElseThrow())
            : Double.NaN;
    return new Story(
        makespan,
        halfGangs(round, work),
        inPart,
        waits,
        Round.seconds(round.begun(), round.allCreated()),
        held(round, work, (int) makespan),
        round.cpuSince());
  }

  private static List<Integer> held(Round round, Work work, int seconds) {
    var bound = round.watch().bound();
    var gone = round.watch().gone();
    var held = new ArrayList<Integer>();
    for (int second = 0; second <= seconds; second++) {
      long at = round.begun() + second * 1_000_000_000L + 500_000_000L;
      int gpus =
          work.order().stream()
              .filter(pod -> bound.getOrDefault(pod.name(), Long.MAX_VALUE) - at <= 0)
              .filter(pod -> gone.getOrDefault(pod.name(), Long.MAX_VALUE) - at > 0)
              .mapToInt(pod -> pod.gang().gpus())
              .sum();
      held.add(100 * gpus / (NODES * NodeShape.GPU8.gpus()));
    }
    return held;
  }
}
