package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.Usage;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.Tag;

/**
 * What must hold for every interleaving of pods, nodes, faults and kills. A build plays the same
 * histories each time; {@code -Dmuster.simulation.offset=N} plays others, to search for more.
 */
@Tag("slow")
final class GangSchedulerProperties {

  private static final int TRIES = 300;
  private static final long OFFSET = Long.getLong("muster.simulation.offset", 0);

  private static final String LATER = "-later";
  private static final Duration QUIET = Duration.ofMinutes(4);

  /** What a run is troubled by. */
  private record Trouble(
      int kills, int writeFailures, boolean nodesComeAndGo, boolean replaced, boolean deferred) {

    Trouble(int kills, int writeFailures, boolean nodesComeAndGo, boolean replaced) {
      this(kills, writeFailures, nodesComeAndGo, replaced, false);
    }
  }

  @Example
  void everyGangEndsWholeOrWaitsWhole() {
    hold(new Trouble(0, 0, false, false));
  }

  @Example
  void everyGangEndsWholeOrWaitsWholeUnderKills() {
    hold(new Trouble(4, 0, false, false));
  }

  @Example
  void everyGangEndsWholeOrWaitsWholeUnderKillsAndFailedWrites() {
    hold(new Trouble(3, 20, false, false));
  }

  @Example
  void everyGangEndsWholeOrWaitsWholeWhileNodesComeAndGo() {
    hold(new Trouble(0, 0, true, true));
  }

  @Example
  void everyGangEndsWholeOrWaitsWholeUnderEverythingAtOnce() {
    hold(new Trouble(3, 15, true, true));
  }

  @Example
  void everyGangEndsWholeOrWaitsWholeWhereKubeSchedulerDoesNotAsk() {
    holdUnasked(new Trouble(0, 0, false, true));
  }

  @Example
  void everyGangEndsWholeOrWaitsWholeUnderEverythingWhereKubeSchedulerDoesNotAsk() {
    holdUnasked(new Trouble(3, 15, true, true));
  }

  @Example
  void everyGangWithAPodThatComesLaterEndsWholeOrWaitsWholeUnderKills() {
    hold(new Trouble(4, 0, false, false, true));
  }

  @Example
  void everyGangWithAPodThatComesLaterEndsWholeOrWaitsWholeUnderEverything() {
    hold(new Trouble(3, 15, true, true, true));
  }

  @Example
  void everyGangWithAPodThatComesLaterEndsWholeWhereKubeSchedulerDoesNotAsk() {
    holdUnasked(new Trouble(3, 15, false, true, true));
  }

  /** Histories in which room stayed taken by members that nobody had sent there. */
  @Example
  void noRoomIsKeptForReplacementsThatGoWhereTheyLike() {
    for (long history : new long[] {-2649350752256119517L, 8098150545847134714L}) {
      var cluster = new ClusterSimulation(history, Rules.affinity());
      play(cluster, history, new Trouble(0, 0, false, true));
    }
  }

  private static void hold(Trouble trouble) {
    Histories.hold(
        OFFSET,
        TRIES,
        history -> {
          long seed = Histories.seed(history);
          play(new ClusterSimulation(seed), seed, trouble);
        });
  }

  private static void holdUnasked(Trouble trouble) {
    Histories.hold(
        OFFSET,
        TRIES,
        history -> {
          long seed = Histories.seed(history);
          play(new ClusterSimulation(seed, Rules.affinity()), seed, trouble);
        });
  }

  /** Thirty seconds of trouble, then quiet: gangs that fit must have started, none in part. */
  private static void play(ClusterSimulation cluster, long history, Trouble trouble) {
    var random = new Random(history);
    cluster.writeFailures = trouble.writeFailures();
    cluster.ownersReplace = trouble.replaced();
    int nodeCount = 2 + random.nextInt(6);
    for (int i = 0; i < nodeCount; i++) {
      cluster.addNode(aNode("n" + i).gpus(1 + random.nextInt(4)).build());
    }
    var gangs = new HashSet<String>();
    var robbed = new HashSet<String>();
    int gangCount = 1 + random.nextInt(4);
    for (int g = 0; g < gangCount; g++) {
      var name = "g" + g;
      gangs.add(name);
      int min = 1 + random.nextInt(6);
      int members = min + random.nextInt(3);
      long start = 500L + random.nextInt(20_000);
      var deferred = aPod(name + LATER).gpus(g % 2).gang(name, min);
      if (trouble.deferred()) {
        var at = Duration.ofMillis(start + 1_000 + Math.floorMod(history, 15_000));
        cluster.at(at, () -> cluster.create(deferred.createdAt(cluster.now()).build()));
      }
      for (int m = 0; m < members; m++) {
        var pod = aPod(name + "-" + m).gpus(1 + (g % 2)).gang(name, min);
        if (trouble.deferred()) {
          pod.beforeOne(deferred.build());
        }
        var at = Duration.ofMillis(start + random.nextInt(3_000));
        // Where nobody asks, the webhook alone stands before a start of its own.
        boolean isAsked = cluster.rules.placement() == PlacementMode.EXTENDER;
        boolean unseen = random.nextInt(5) == 0 && isAsked;
        cluster.at(
            at,
            () -> {
              var built = pod.createdAt(cluster.now()).build();
              if (unseen) {
                cluster.createUnseen(built);
              } else {
                cluster.create(built);
              }
            });
      }
      if (random.nextInt(4) == 0) {
        robbed.add(name);
        var victim = "uid-" + name + "-" + random.nextInt(members);
        cluster.at(Duration.ofMillis(start + random.nextInt(8_000)), () -> cluster.delete(victim));
      }
    }
    for (int s = 0; s < random.nextInt(4); s++) {
      var single = aPod("single-" + s).gpus(1).build();
      cluster.at(Duration.ofMillis(500 + random.nextInt(25_000)), () -> cluster.create(single));
    }
    for (int k = 0; k < trouble.kills(); k++) {
      var at = Duration.ofMillis(1_000 + k * 7_000L + random.nextInt(6_000));
      var down = Duration.ofMillis(random.nextInt(900));
      cluster.at(at, () -> cluster.restartAfter(down));
      cluster.at(at.plusMillis(random.nextInt(4_000)), cluster.scheduler::restart);
    }
    if (trouble.nodesComeAndGo()) {
      for (int n = 0; n < 4; n++) {
        var name = "n" + random.nextInt(nodeCount);
        var late = aNode("late" + n).gpus(1 + random.nextInt(4)).build();
        cluster.at(
            Duration.ofMillis(1_000 + random.nextInt(28_000)), () -> cluster.removeNode(name));
        cluster.at(Duration.ofMillis(1_000 + random.nextInt(28_000)), () -> cluster.addNode(late));
      }
    }
    cluster.at(Duration.ofSeconds(40), () -> cluster.writeFailures = 0);
    cluster.runUntil(QUIET);
    assertThat(cluster.faults).isEmpty();
    assertWhole(cluster, gangs, robbed, trouble.nodesComeAndGo());
    assertNoneWaitsInVain(cluster, gangs);
    assertThat(cluster.muster().usage(cluster.now()).reserved().get(Usage.Holder.CLAIM))
        .as("devices kept for pods that have come, or whose time is over")
        .isZero();
  }

  private static void assertWhole(
      ClusterSimulation cluster, Set<String> gangs, Set<String> robbed, boolean nodesGo) {
    for (var gang : gangs) {
      int min = minOf(cluster, gang);
      long created = cluster.pods.values().stream().filter(p -> isMember(p, gang)).count();
      // A gang that its user robbed of a member after its start may be below its minimum.
      boolean belowByItsUser =
          (robbed.contains(gang) || nodesGo)
              && cluster.records.values().stream()
                  .anyMatch(r -> r.gang().name().equals(gang) && r.satisfied());
      if (created >= min && !belowByItsUser) {
        assertThat(
                cluster.pods.values().stream().filter(p -> isMember(p, gang) && isBound(p)).count())
            .as("%s, min %d", gang, min)
            .satisfiesAnyOf(
                bound -> assertThat(bound).isZero(),
                bound -> assertThat(bound).isGreaterThanOrEqualTo(min));
      }
    }
  }

  private static void assertNoneWaitsInVain(ClusterSimulation cluster, Set<String> gangs) {
    long free =
        cluster.nodes.values().stream().mapToLong(n -> n.allocatable().of("nvidia.com/gpu")).sum()
            - cluster.pods.values().stream()
                .filter(p -> p.isBound() && !p.isTerminal())
                .mapToLong(p -> p.demand().requests().of("nvidia.com/gpu"))
                .sum();
    for (var gang : gangs) {
      var members = cluster.pods.values().stream().filter(p -> isMember(p, gang)).toList();
      long deferred =
          members.stream()
              .findFirst()
              .flatMap(Pod::later)
              .map(d -> d.requests().devices())
              .orElse(0L);
      int min = minOf(cluster, gang);
      if (members.size() >= min
          && cluster.boundOf(gang) == 0
          && members.getFirst().demand().requests().of("nvidia.com/gpu") == 1) {
        assertThat(free)
            .as("%s waits for %d single GPUs, so they cannot be free", gang, min)
            .isLessThan(min + deferred);
      }
      if (cluster.boundOf(gang) > 0) {
        cluster.pods.values().stream()
            .filter(p -> isOf(p, gang) && !isMember(p, gang) && !p.isBound())
            .forEach(p ->
                assertThat(free)
                    .as("%s waits", p.key())
                    .isLessThan(p.demand().requests().devices()));
      }
    }
  }

  /** Not the pod that comes later. */
  private static boolean isMember(Pod pod, String gang) {
    return isOf(pod, gang) && !pod.key().name().endsWith(LATER);
  }

  private static boolean isBound(Pod pod) {
    return pod.isBound() && !pod.progress().deleting();
  }

  private static boolean isOf(Pod pod, String gang) {
    return pod.membership().filter(m -> m.gang().name().equals(gang)).isPresent();
  }

  private static int minOf(ClusterSimulation cluster, String gang) {
    return cluster.pods.values().stream()
        .filter(p -> isOf(p, gang))
        .findFirst()
        .flatMap(p -> p.membership())
        .map(m -> ((Terms.Usable) m.terms()).minAvailable())
        .orElse(Integer.MAX_VALUE);
  }
}
