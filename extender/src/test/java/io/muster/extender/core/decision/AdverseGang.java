package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.gang.Terms;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A gang of a history, drawn by chance: how many members of how many GPUs, with or without roles,
 * in a group or alone, in a queue or in none, whose owner makes lost members anew or does not, and
 * with numbers at their bounds.
 */
final class AdverseGang {

  static final String QUEUE = "q";

  private static final List<Long> SECONDS = List.of(0L, 1L, 30L, 40_000_000L, Long.MAX_VALUE);
  private static final List<Integer> PRIORITIES =
      List.of(0, 0, 0, 0, 1, 100, Integer.MIN_VALUE, Integer.MAX_VALUE);

  /** As much of anything as a pod can ask for, and as little. */
  private static final List<Long> AMOUNTS = List.of(0L, 1L, Long.MAX_VALUE >>> 16);

  final String name;
  final int min;
  final int members;

  /** Whether nobody makes its members anew. */
  final boolean isBare;

  /** Whether its owner makes members anew that are lost. */
  final boolean isReplaced;

  /** Whether it is in the queue that has a limit. */
  final boolean isLimited;

  final Terms.Usable terms;
  private final boolean hasMaster;
  private final boolean isUnusable;
  private final long gpus;
  private final int priority;
  private final Optional<Long> hugeGrace;
  private final Optional<Long> hugeCpu;
  private final Optional<Long> runTime;
  private final Optional<Instant> createdAt;

  /** How long it may run; drawn apart, so that histories without stay as they are. */
  private Optional<Duration> runTimeLimit = Optional.empty();

  AdverseGang(
      String name,
      Optional<String> partner,
      boolean isLimited,
      boolean mayHaveExtras,
      Random random) {
    this.name = name;
    this.isLimited = isLimited;
    min = 1 + random.nextInt(5);
    members = min + (isLimited && !mayHaveExtras ? 0 : random.nextInt(3));
    isBare = random.nextInt(8) == 0;
    isReplaced = !isBare && random.nextInt(4) > 0;
    hasMaster = random.nextInt(4) == 0;
    isUnusable = random.nextInt(16) == 0;
    gpus = random.nextInt(12) == 0 ? any(AMOUNTS, random) : 1 + random.nextInt(2);
    priority = any(PRIORITIES, random);
    hugeGrace = seldom(SECONDS, random);
    hugeCpu = seldom(AMOUNTS, random);
    runTime = seldom(SECONDS, random);
    createdAt =
        seldom(List.of(0L, 1L), random).map(first -> first == 0 ? Instant.MIN : Instant.MAX);
    var builder =
        terms(name, min)
            .onLoss(any(onLoss(random), random))
            .counting(any(counting(random), random));
    partner.ifPresent(builder::with);
    terms = hasMaster ? builder.role("master", 1).build() : builder.build();
  }

  private static List<Terms.OnLoss> onLoss(Random random) {
    return random.nextBoolean() ? List.of(Terms.OnLoss.REPLACE) : List.of(Terms.OnLoss.values());
  }

  private static List<Terms.MatchPolicy> counting(Random random) {
    return random.nextInt(4) > 0
        ? List.of(Terms.MatchPolicy.ONCE_SATISFIED)
        : List.of(Terms.MatchPolicy.values());
  }

  private static <T> T any(List<T> of, Random random) {
    return of.get(random.nextInt(of.size()));
  }

  private static Optional<Long> seldom(List<Long> of, Random random) {
    return random.nextInt(12) == 0 ? Optional.of(any(of, random)) : Optional.empty();
  }

  /** It may run for a time that ends within a history, or for one at its bounds. */
  void drawLimit(Random limits) {
    runTimeLimit =
        switch (limits.nextInt(8)) {
          case 0 -> Optional.of(Duration.ofNanos(1));
          case 1 -> Optional.of(Duration.ofDays(290 * 365));
          case 2 -> Optional.empty();
          default -> Optional.of(Duration.ofSeconds(1 + limits.nextInt(90)));
        };
  }

  /** How long it may run in each of its lives, if that is over within a history. */
  Optional<Duration> runTimeLimit() {
    return runTimeLimit.filter(limit -> limit.toDays() < 1);
  }

  /** The uid of its controller, by which its pods are told from others. */
  String owner() {
    return "owner-of-" + name;
  }

  boolean isOf(Pod pod) {
    return pod.membership().filter(member -> member.gang().name().equals(name)).isPresent();
  }

  /** Its members, as their owner makes them at first. */
  List<Pod> pods(Instant now) {
    var pods = new ArrayList<Pod>();
    for (int i = 0; i < members; i++) {
      var pod =
          aPod(name + "-" + i)
              .gpus(gpus)
              .cpuMillis(hugeCpu.orElse(1_000L))
              .priority(priority)
              .createdAt(createdAt.orElse(now))
              .ownedBy(owner());
      if (isUnusable) {
        pod.unusableGang(name, "min", "0", "it is below 1");
      } else {
        pod.gang(name, terms, hasMaster && i == 0 ? "master" : "worker");
      }
      if (Math.floorMod(name.hashCode(), 4) == 0) {
        pod.nvlink(new NvlinkDomain(NvlinkDomain.Word.AUTO, true));
      }
      if (isBare) {
        pod.bare();
      }
      if (isLimited) {
        pod.queue(QUEUE);
      }
      hugeGrace.ifPresent(seconds -> pod.grace(Duration.ofSeconds(seconds)));
      runTime.ifPresent(seconds -> pod.running(Duration.ofSeconds(seconds)));
      runTimeLimit.ifPresent(pod::atMost);
      pods.add(pod.build());
    }
    return pods;
  }
}
