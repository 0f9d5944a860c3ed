package io.muster.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.bench.Killer.Outage;
import io.muster.e2e.GangWatch;
import io.muster.e2e.GangWatch.GangName;
import io.muster.sandbox.SandboxException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Option;

/**
 * Many kills of Muster, kube-scheduler and kube-apiserver under the load of {@code contend}: no
 * gang may stay in part for longer than it takes to repair it, and no pod may be lost. Confined to
 * one thread.
 */
final class Kills {

  /** How many and how large; smaller for tests. */
  static final class Sizes {

    @Option(
        names = "--kills",
        defaultValue = "200",
        description = "kills: how many (${DEFAULT-VALUE}).")
    private int kills;

    @Option(
        names = "--pause",
        defaultValue = "3",
        description = "kills: seconds between two, in the mean (${DEFAULT-VALUE}).")
    private int pause;

    @Option(
        names = "--kill-nodes",
        defaultValue = "100",
        description = "kills: nodes of 8 GPUs (${DEFAULT-VALUE}).")
    private int nodes;

    @Option(
        names = "--kill-each",
        defaultValue = "15",
        description = "kills: gangs of each size in a round (${DEFAULT-VALUE}).")
    private int ofEach;

    @Option(
        names = "--kill-sizes",
        defaultValue = "8,16,32,64",
        split = ",",
        description = "kills: members of a gang (${DEFAULT-VALUE}).")
    private List<Integer> members;

    @Option(
        names = "--settle",
        defaultValue = "600",
        description =
            "kills: seconds at most to serve what is there after them (${DEFAULT-VALUE}).")
    private int settle;
  }

  /**
   * {@code repairTimeoutSeconds}, as it is shipped, and a while for what follows to be carried out.
   */
  private static final Duration REPAIRED = Duration.ofSeconds(30 + 10);

  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Sizes sizes;
  private final InstantSource clock = InstantSource.system();
  private final List<String> faults = new ArrayList<>();

  Kills(Sizes sizes) {
    this.sizes = sizes;
  }

  /**
   * Plays it.
   *
   * @param side {@link Side#DRA} for gangs of which every second member claims its GPUs, {@link
   *     Side#MUSTER_NATIVE} for gangs in PodGroups that no extender is asked about
   */
  Verdict measure(long seed, Side side) {
    try (var arena = Arena.with(sizes.nodes, List.of(side))) {
      arena.turnTo(side);
      long mark = arena.sandbox().auditLog().mark();
      var killer =
          new Killer(
              arena.sandbox(), arena.muster().orElseThrow(), clock::instant, new Random(seed));
      try (var watch = new GangWatch(arena.sandbox().client(), clock);
          var fates = new PodFates(arena.sandbox().client(), Manifests.NAMESPACE);
          var load =
              new KillLoad(
                  arena.api(),
                  watch,
                  clock::instant,
                  seed,
                  sizes.ofEach,
                  sizes.members,
                  side == Side.DRA)) {
        load.begin();
        boolean served = killAll(killer, load);
        var writes = new Writes(arena.sandbox().auditLog().since(mark));
        return judge(new Scene(arena, killer, watch, fates, load), served, writes);
      }
    }
  }

  /** What was watched. */
  private record Scene(
      Arena arena, Killer killer, GangWatch watch, PodFates fates, KillLoad load) {}

  /** Whether all gangs that were there at the last kill were served afterwards. */
  private boolean killAll(Killer killer, KillLoad load) {
    try {
      for (int i = 1; i <= sizes.kills; i++) {
        killer.killNext(Duration.ofSeconds(sizes.pause));
        if (i % 10 == 0 || i == sizes.kills) {
          System.out.printf("  %d kills, %s%n", i, load.counts());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("The kills were interrupted.", e);
    }
    long end = System.nanoTime() + Duration.ofSeconds(sizes.settle).toNanos();
    boolean served = false;
    while (!served && System.nanoTime() < end) {
      killer.revive();
      served = load.finish(LOOK);
    }
    // What was left in part at the very end is repaired by then, or never.
    for (var waited = LOOK; waited.compareTo(REPAIRED) < 0; waited = waited.plus(LOOK)) {
      LockSupport.parkNanos(LOOK.toNanos());
      killer.revive();
    }
    return served;
  }

  private Verdict judge(Scene scene, boolean served, Writes writes) {
    // Muster may end what is left of a gang that the driver is deleting.
    var byMuster =
        writes.ended().stream()
            .filter(name -> scene.load().endedAt(Gang.of(name)).isEmpty())
            .toList();
    var stored = new HashMap<String, JsonNode>();
    scene
        .arena()
        .api()
        .get(Manifests.PODS)
        .path("items")
        .forEach(pod -> stored.put(pod.path("metadata").path("name").asText(), pod));
    int inPart = inPartNow(scene.load(), stored);
    var longest = longestInPart(scene);
    var lost = lost(scene, stored);
    var kills = scene.killer().kills();
    System.out.printf(
        "%n  kills %s; ended by themselves %s%n  %s; all served: %b%n"
            + "  in part at the end: %d; longest in part with nothing away: %.1f s (%s)%n"
            + "  pods lost: %d; ended by Muster: %d, by reason %s%n",
        kills,
        scene.killer().endedAlone(),
        scene.load().counts(),
        served,
        inPart,
        longest.time().toMillis() / 1000.0,
        longest.gang(),
        lost.size(),
        byMuster.size(),
        scene.fates().disrupted());
    fault(inPart > 0, inPart + " gangs are there in part at the end");
    fault(
        longest.time().compareTo(REPAIRED) > 0,
        longest.gang() + " was there in part for " + longest.time() + " with nothing away");
    fault(!lost.isEmpty(), "pods are lost: " + lost);
    fault(!byMuster.isEmpty(), "Muster ended pods: " + byMuster);
    var orphans = scene.arena().dra().map(dra -> dra.orphans(stored.keySet())).orElse(List.of());
    fault(!orphans.isEmpty(), "claims of pods that are gone are left: " + orphans);
    faults.forEach(fault -> System.out.println("  FAULT " + fault));
    var more = new LinkedHashMap<String, Double>();
    more.put("kills", (double) scene.killer().outages().size());
    more.put("longestInPart", longest.time().toMillis() / 1000.0);
    more.put("lost", (double) lost.size());
    more.put("endedByMuster", (double) byMuster.size());
    more.put("gangs", (double) scene.load().gangs().size());
    more.put("unserved", (double) unserved(scene.load()));
    return new Verdict(
        "kills",
        "gangs in part",
        Verdict.LOWER,
        new EnumMap<>(Map.of(Side.MUSTER, (double) inPart)),
        OptionalDouble.empty(),
        "none in part for more than %d s, no pod lost".formatted(REPAIRED.toSeconds()),
        Optional.of(faults.isEmpty()),
        more);
  }

  private void fault(boolean is, String what) {
    if (is) {
      faults.add(what);
    }
  }

  private static long unserved(KillLoad load) {
    return load.gangs().stream().filter(gang -> load.endedAt(gang.name()).isEmpty()).count();
  }

  /** Gangs that the driver leaves alone with some but not all members on nodes, as stored now. */
  private static int inPartNow(KillLoad load, Map<String, JsonNode> stored) {
    int inPart = 0;
    for (var gang : load.gangs()) {
      if (load.endedAt(gang.name()).isPresent()) {
        continue;
      }
      long bound =
          gang.all().stream()
              .filter(member -> stored.containsKey(member.name()))
              .filter(member -> isLive(stored.get(member.name())))
              .count();
      if (bound > 0 && bound < gang.members()) {
        inPart++;
      }
    }
    return inPart;
  }

  private static boolean isLive(JsonNode pod) {
    return pod.path("spec").hasNonNull("nodeName")
        && !pod.path("metadata").hasNonNull("deletionTimestamp");
  }

  private record InPart(String gang, Duration time) {}

  /** Of all gangs, until they were deleted, and only while nothing was away. */
  private InPart longestInPart(Scene scene) {
    var longest = new InPart("none", Duration.ZERO);
    var outages = scene.killer().outages();
    for (var gang : scene.load().gangs()) {
      var until = scene.load().endedAt(gang.name()).orElseGet(clock::instant);
      var time = longestInPart(scene.watch(), gang, until, outages);
      if (time.compareTo(longest.time()) > 0) {
        longest = new InPart(gang.name(), time);
      }
    }
    return longest;
  }

  private static Duration longestInPart(
      GangWatch watch, Gang gang, Instant until, List<Outage> outages) {
    var longest = Duration.ZERO;
    Optional<Instant> since = Optional.empty();
    var levels = watch.levels(new GangName(Manifests.NAMESPACE, gang.name()));
    for (var level : levels) {
      boolean inPart = level.started() > 0 && level.started() < gang.members();
      if (inPart && since.isEmpty() && level.at().isBefore(until)) {
        since = Optional.of(level.at());
      } else if (!inPart && since.isPresent()) {
        longest = longer(longest, undisturbed(outages, since.get(), level.at(), until));
        since = Optional.empty();
      }
    }
    return since.isPresent()
        ? longer(longest, undisturbed(outages, since.get(), until, until))
        : longest;
  }

  private static Duration undisturbed(
      List<Outage> outages, Instant from, Instant to, Instant until) {
    return Killer.undisturbed(outages, from, to.isBefore(until) ? to : until);
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  /** Pods that were stored and went before the driver deleted their gang, or without it. */
  private static List<String> lost(Scene scene, Map<String, JsonNode> stored) {
    var left = scene.fates().left();
    return scene.load().created().stream()
        .filter(name -> {
          var ended = scene.load().endedAt(Gang.of(name));
          boolean isKept =
              stored.containsKey(name)
                  && !stored.get(name).path("metadata").hasNonNull("deletionTimestamp");
          return ended.isEmpty()
              ? !isKept
              : left.containsKey(name) && left.get(name).isBefore(ended.get());
        })
        .sorted()
        .toList();
  }
}
