package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.Example;
import net.jqwik.api.Tag;

/** Whatever comes, in whatever order gangs wait. */
@Tag("slow")
final class QueueProperties {

  private static final int TRIES = 20;
  private static final List<Order> ORDERS = List.of(Order.values());
  private static final long OFFSET = Long.getLong("muster.simulation.offset", 0);
  private static final int GANGS = 14;
  private static final int NODES = 4;

  /** Ends are noticed within five seconds, and each run is as late as its start was noticed. */
  private static final int LATE = 60;

  private static final Duration LONGEST_RUN = Duration.ofMinutes(20);
  private static final Waiting WAITING =
      new Waiting(
          Duration.ofSeconds(60),
          Duration.ofHours(8),
          Duration.ofHours(2),
          Duration.ofSeconds(15),
          Duration.ofMinutes(10),
          true);

  private static final Pattern ALL_BY = Pattern.compile("all by (\\S+Z)");

  private static Queue queue(String name, long quota, long limit, Order order) {
    return new Queue(
        name,
        1,
        Optional.of(quota),
        Optional.of(limit),
        order,
        order != Order.PRIORITY,
        Optional.empty(),
        Set.of());
  }

  /** A run of gangs with true run times in two queues, each ended when it is over. */
  private static final class Run {
    final ClusterSimulation cluster;
    final Random random;
    final Map<String, Integer> sizes = new HashMap<>();
    final Map<String, Instant> wholeAt = new HashMap<>();
    final Map<String, Duration> runs = new HashMap<>();

    /** When gangs with a backfill reservation were first said to have all of it, at the latest. */
    final Map<String, Instant> promised = new HashMap<>();

    private final boolean isPlain;

    Run(long seed, Optional<Order> order) {
      isPlain = order.isEmpty();
      random = new Random(seed);
      cluster =
          new ClusterSimulation(
              seed, new Rules(PlacementMode.EXTENDER, NodePinPolicy.NEVER, WAITING));
      cluster.ownersReplace = true;
      for (int i = 0; i < NODES; i++) {
        cluster.addNode(aNode("n" + i).gpus(8).build());
      }
      order.ifPresent(by ->
          cluster.configure(new Queues(List.of(queue("a", 16, 24, by), queue("b", 16, 32, by)))));
      for (int i = 0; i < GANGS; i++) {
        create("g" + i);
        step(random.nextInt(240));
      }
    }

    private void create(String name) {
      int gpus = 1 << random.nextInt(4);
      int members = 1 + random.nextInt(Math.max(1, 16 / gpus));
      var runTime = LONGEST_RUN.multipliedBy(1 + random.nextInt(10)).dividedBy(10);
      var named = random.nextBoolean() ? "a" : "b";
      var queue = isPlain ? Queues.DEFAULT : named;
      int priority = !isPlain && random.nextInt(4) == 0 ? 100 : 0;
      sizes.put(name, members);
      runs.put(name, runTime);
      for (int i = 0; i < members; i++) {
        cluster.create(
            aPod("ml", name + "-" + i)
                .gpus(gpus)
                .gang(name, members)
                .queue(queue)
                .running(runTime)
                .priority(priority)
                .createdAt(cluster.now())
                .build());
      }
    }

    void step(int seconds) {
      for (int i = 0; i < seconds; i += 5) {
        cluster.runUntil(cluster.sinceStart().plusSeconds(5));
        sizes.forEach(this::look);
        checkLimits();
      }
    }

    private void look(String gang, int members) {
      if (cluster.boundOf(gang) < members) {
        wholeAt.remove(gang);
        notePromise(gang);
      } else if (wholeAt.putIfAbsent(gang, cluster.now()) != null
          && !cluster.now().isBefore(wholeAt.get(gang).plus(runs.get(gang)))) {
        end(gang);
      }
    }

    private void notePromise(String gang) {
      cluster.reports.entrySet().stream()
          .filter(entry -> entry.getKey().name().equals(gang))
          .map(entry -> ALL_BY.matcher(entry.getValue().message()))
          .filter(Matcher::find)
          .findFirst()
          .ifPresent(found -> promised.putIfAbsent(gang, Instant.parse(found.group(1))));
    }

    private void end(String gang) {
      for (var pod : List.copyOf(cluster.pods.values())) {
        if (of(pod).equals(gang)) {
          cluster.complete(pod.key().uid());
        }
      }
      sizes.put(gang, Integer.MAX_VALUE);
    }

    private static String of(Pod pod) {
      return pod.membership().map(member -> member.gang().name()).orElse("");
    }

    private void checkLimits() {
      var held = new HashMap<String, Long>();
      for (var pod : cluster.pods.values()) {
        if (pod.isBound() && !pod.isTerminal() && !pod.progress().deleting()) {
          held.merge(
              pod.wishes().hints().queue().orElse(""),
              pod.demand().requests().devices(),
              Long::sum);
        }
      }
      assertThat(held.getOrDefault("a", 0L))
          .as("queue a at %s", cluster.now())
          .isLessThanOrEqualTo(24);
      assertThat(held.getOrDefault("b", 0L))
          .as("queue b at %s", cluster.now())
          .isLessThanOrEqualTo(32);
    }

    boolean allHaveRun() {
      return sizes.values().stream().allMatch(size -> size == Integer.MAX_VALUE);
    }
  }

  /** Every gang runs to its end, no queue is above its limit, nothing is bound but whole gangs. */
  @Example
  void everyGangRunsAndNoQueueTakesMoreThanItMay() {
    Histories.hold(OFFSET, TRIES, QueueProperties::everyGangRuns);
  }

  private static void everyGangRuns(long history) {
    long seed = Histories.seed(history);
    var order = ORDERS.get(Math.floorMod(history, ORDERS.size()));
    var run = new Run(seed, Optional.of(order));
    for (int i = 0; i < 60 && !run.allHaveRun(); i++) {
      run.step(300);
    }
    assertThat(run.allHaveRun()).as("%s: %s", order, run.sizes).isTrue();
    assertThat(run.cluster.faults).isEmpty();
  }

  /**
   * With true run times a gang that has a backfill reservation starts when it was first said to,
   * whoever passes it meanwhile.
   */
  @Example
  void aGangWithAClaimStartsWhenItWasSaidTo() {
    Histories.hold(OFFSET, TRIES, QueueProperties::aBackfillReservationIsKept);
  }

  private static void aBackfillReservationIsKept(long history) {
    var run = new Run(Histories.seed(history), Optional.empty());
    for (int i = 0; i < 600 && !run.allHaveRun(); i++) {
      run.step(30);
      run.promised.forEach((gang, at) -> {
        boolean isLate = run.cluster.now().isAfter(at.plusSeconds(LATE));
        boolean hasStarted =
            run.sizes.get(gang) == Integer.MAX_VALUE || run.wholeAt.containsKey(gang);
        assertThat(isLate && !hasStarted)
            .as("%s was to start by %s and has not at %s", gang, at, run.cluster.now())
            .isFalse();
      });
    }
    assertThat(run.allHaveRun()).isTrue();
    assertThat(run.cluster.faults).isEmpty();
  }
}
