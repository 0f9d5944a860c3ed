package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * One history of two tenants, told by its number: a cluster whose devices are the quotas of their
 * queues, the gangs of one of them, which together never ask for more than its quota, and what a
 * {@link HostileTenant} does beside. It is played without him and with him.
 */
final class TenantsHistory {

  static final int ACTS = 50;

  private static final String VICTIM = "team-a";
  private static final String HOSTILE = "team-b";
  private static final int NODES = 4;
  private static final int DEVICES = 8;
  private static final long QUOTA = NODES * DEVICES / 2;

  /** What pods here have to end, and some take; whoever states more has no more once preempted. */
  static final Duration GRACE = Duration.ofSeconds(30);

  /** A gang within its quota starts so much later at most than if there was nobody else. */
  static final Duration LATER_AT_MOST =
      Waiting.DEFAULT.preemptAfter().plus(GRACE).plus(Duration.ofSeconds(30));

  private static final int HISTORY_SECONDS = 600;
  private static final int LONGEST_LIFE_SECONDS = 220;
  private static final int SHORTEST_LIFE_SECONDS = 110;

  /** A gang of the victim: it comes and ends at stated moments, whenever it has started. */
  private record Load(String name, int members, int from, int until) {
    boolean isThereAt(int second) {
      // Its pods hold their devices for their grace after they have been deleted.
      return second >= from - 5 && second <= until + GRACE.toSeconds() + 5;
    }
  }

  /** When each gang started, in seconds, and what should not have been. */
  private record Played(
      Map<String, Integer> starts, List<String> faults, List<String> acts, long mostHeld) {}

  /** How long gangs waited for more than they would have without the other, at most. */
  record Outcome(List<String> faults, List<String> acts, int longestDelay, long mostHeld) {}

  private final long number;
  private final boolean isLeftAlone;
  private final List<Load> loads = new ArrayList<>();

  private TenantsHistory(long number) {
    this.number = number;
    var random = random("load");
    isLeftAlone = random.nextBoolean();
    for (int i = 0; i < 40; i++) {
      int from = 30 + random.nextInt(HISTORY_SECONDS - SHORTEST_LIFE_SECONDS - 100);
      int life =
          SHORTEST_LIFE_SECONDS + random.nextInt(LONGEST_LIFE_SECONDS - SHORTEST_LIFE_SECONDS);
      var load = new Load("a-" + loads.size(), 1 + random.nextInt((int) QUOTA), from, from + life);
      if (isWithinQuota(load)) {
        loads.add(load);
      }
    }
  }

  private Random random(String purpose) {
    long mixed = (number ^ purpose.hashCode()) * 0x9e3779b97f4a7c15L;
    return new Random(mixed ^ (mixed >>> 32));
  }

  private boolean isWithinQuota(Load added) {
    for (int second = added.from() - 40; second <= added.until() + 40; second++) {
      int at = second;
      int members = loads.stream().filter(load -> load.isThereAt(at)).mapToInt(Load::members).sum();
      if (added.isThereAt(at) && members + added.members() > QUOTA) {
        return false;
      }
    }
    return true;
  }

  static Outcome played(long number) {
    var history = new TenantsHistory(number);
    var alone = history.play(false);
    var both = history.play(true);
    var faults = new ArrayList<>(both.faults());
    int longest = 0;
    for (var load : history.loads) {
      var usual = Optional.ofNullable(alone.starts().get(load.name()));
      if (usual.isEmpty()) {
        faults.add(load + " does not start even if there is nobody else");
        continue;
      }
      var start = Optional.ofNullable(both.starts().get(load.name()));
      int delay = start.map(at -> at - usual.get()).orElse(Integer.MAX_VALUE);
      if (delay > LATER_AT_MOST.toSeconds()) {
        faults.add("%s started at %s instead of %d".formatted(load, start.orElse(-1), usual.get()));
      }
      longest = Math.max(longest, delay);
    }
    return new Outcome(faults, both.acts(), longest, both.mostHeld());
  }

  private Played play(boolean isBeset) {
    var acts = random("acts");
    var waiting = Waiting.DEFAULT.endingWithin(GRACE);
    var cluster = new ClusterSimulation(number, new Rules(PlacementMode.EXTENDER, pins(), waiting));
    // Priorities of other tenants are higher only where a gang says that it is to be left alone.
    var priorities = isLeftAlone ? List.of(-100, 0, 100, 2_000_001_000) : List.of(-100, 0);
    var hostile =
        new HostileTenant(
            cluster,
            HOSTILE,
            QUOTA,
            priorities,
            () ->
                cluster.pods.values().stream()
                    .filter(pod -> pod.key().namespace().equals(VICTIM))
                    .anyMatch(pod -> !pod.isBound()),
            acts);
    cluster.ownersReplace = true;
    cluster.isReplaced =
        pod -> hostile.isOwn(pod) ? hostile.replaces(pod) : now(cluster) < untilOf(pod);
    cluster.kubeletsRefuse = true;
    cluster.longestEndingMillis = (int) GRACE.toMillis();
    cluster.gracesAreUsedUp = true;
    cluster.muster.tickMillis = 1_000;
    cluster.scheduler.triesAnyway = true;
    for (int i = 0; i < NODES; i++) {
      var name = "n" + i;
      cluster.addNode(
          aNode(name)
              .gpus(DEVICES)
              .label("kubernetes.io/hostname", name)
              .label("rack", "r" + i / 2)
              .build());
    }
    cluster.configure(new Queues(List.of(queue("speech", VICTIM), queue("research", HOSTILE))));
    loads.forEach(load -> come(cluster, load));
    for (int i = 0; isBeset && i < ACTS; i++) {
      cluster.at(Duration.ofMillis(500 + acts.nextInt(1_000 * HISTORY_SECONDS)), hostile::act);
    }
    try {
      return watched(cluster, hostile);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(
          "history %d: %s%n%s".formatted(number, e.getMessage(), String.join("\n", hostile.acts)),
          e);
    }
  }

  private NodePinPolicy pins() {
    return number % 2 == 0 ? NodePinPolicy.ALWAYS : NodePinPolicy.NEVER;
  }

  private static Queue queue(String name, String namespace) {
    return new Queue(
        name,
        1,
        Optional.of(QUOTA),
        Optional.empty(),
        Order.PRIORITY,
        false,
        Optional.empty(),
        Set.of(namespace));
  }

  private static int now(ClusterSimulation cluster) {
    return (int) cluster.sinceStart().toSeconds();
  }

  private int untilOf(Pod pod) {
    var name = pod.key().name();
    return loads.stream()
        .filter(load -> name.startsWith(load.name() + "-"))
        .mapToInt(Load::until)
        .findFirst()
        .orElseThrow();
  }

  private void come(ClusterSimulation cluster, Load load) {
    cluster.at(
        Duration.ofSeconds(load.from()),
        () -> {
          for (int i = 0; i < load.members(); i++) {
            var pod =
                aPod(VICTIM, load.name() + "-" + i)
                    .gpus(1)
                    .gang(load.name(), load.members())
                    .ownedBy("owner-of-" + load.name())
                    .createdAt(cluster.now());
            cluster.create((isLeftAlone ? pod.toBeLeftAlone() : pod).build());
          }
        });
    cluster.at(
        Duration.ofSeconds(load.until()),
        () -> of(cluster, load).stream().toList().forEach(pod -> cluster.delete(pod.key().uid())));
  }

  private static List<Pod> of(ClusterSimulation cluster, Load load) {
    return cluster.pods.values().stream()
        .filter(pod -> pod.key().namespace().equals(VICTIM))
        .filter(pod -> pod.key().name().startsWith(load.name() + "-"))
        .toList();
  }

  private Played watched(ClusterSimulation cluster, HostileTenant hostile) {
    var starts = new TreeMap<String, Integer>();
    var faults = new ArrayList<String>();
    long mostHeld = 0;
    for (int second = 1; second <= HISTORY_SECONDS + LONGEST_LIFE_SECONDS; second++) {
      cluster.runUntil(Duration.ofSeconds(second));
      for (var load : loads) {
        if (second <= load.from() || second >= load.until()) {
          continue;
        }
        boolean isWhole =
            of(cluster, load).stream()
                    .filter(pod -> pod.isBound() && !pod.isTerminal())
                    .filter(pod -> !pod.progress().deleting())
                    .count()
                == load.members();
        if (isWhole) {
          starts.putIfAbsent(load.name(), second);
        } else if (starts.containsKey(load.name())) {
          faults.add("%ds %s is not whole any more".formatted(second, load));
          return new Played(starts, faults, hostile.acts, mostHeld);
        }
      }
      mostHeld = Math.max(mostHeld, hostile.held());
    }
    // What he does to himself is another question.
    cluster.faults.stream().filter(fault -> !fault.contains(HOSTILE + "/")).forEach(faults::add);
    return new Played(starts, faults, hostile.acts, mostHeld);
  }
}
