package io.muster.bench;

import io.muster.extender.core.gang.GangKeys;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Program;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import picocli.CommandLine.Option;

/**
 * Muster where everything is slow: the work of {@code fit500} beside loops that take the
 * processors, then a large gang whose pods the job controller makes at its usual 20 a second. Every
 * gang must come to be whole, and no pod may be ended on the way. Confined to one thread.
 */
final class Overload {

  /** How large; smaller for tests. */
  static final class Sizes {

    @Option(
        names = "--busy-loops",
        defaultValue = "6",
        description = "overload: processes that only spin (${DEFAULT-VALUE}).")
    private int busyLoops;

    @Option(
        names = "--nodes",
        defaultValue = "500",
        description = "overload: nodes of 8 GPUs, at least one a member (${DEFAULT-VALUE}).")
    private int nodes;

    @Option(
        names = "--each",
        defaultValue = "20",
        description = "overload: gangs of 8, of 16 and of 32 members (${DEFAULT-VALUE}).")
    private int ofEach;

    @Option(
        names = "--gang",
        defaultValue = "512",
        description = "overload: members of the Job's gang (${DEFAULT-VALUE}).")
    private int gang;

    @Option(
        names = "--limit",
        defaultValue = "600",
        description = "overload: seconds until all must be bound (${DEFAULT-VALUE}).")
    private int limit;
  }

  /** As kube-controller-manager has it where nobody says otherwise. */
  private static final String[] USUAL_RATE = {"--kube-api-qps=20", "--kube-api-burst=30"};

  private static final String JOB = "whole";

  /** A backoff of kube-scheduler: a pod that it refuses once is asked about again by then. */
  private static final Duration BACKOFF = Duration.ofSeconds(10);

  private static final Duration STARTED = Duration.ofSeconds(60);

  private final Sizes sizes;
  private final List<String> faults = new ArrayList<>();
  private int ended;

  Overload(Sizes sizes) {
    this.sizes = sizes;
  }

  Verdict measure(Pairs.Plan plan) {
    try (var arena = Arena.with(Math.max(sizes.nodes, sizes.gang))) {
      arena.turnTo(Side.MUSTER);
      for (int i = 0; i < plan.warmUps(); i++) {
        warmUp(arena, plan.seed());
      }
      double fit = besideBusyLoops(arena, plan.seed());
      arena.clean();
      double job = ofAJob(arena);
      faults.forEach(fault -> System.out.println("  FAULT " + fault));
      return new Verdict(
          "overload",
          "s",
          Verdict.LOWER,
          new EnumMap<>(Map.of(Side.MUSTER, job)),
          OptionalDouble.empty(),
          "every gang whole, no pod ended, no gang kept by its own node affinity",
          Optional.of(faults.isEmpty()),
          Map.of("besideBusyLoops", fit, "ended", (double) ended));
    }
  }

  private Work work(long seed) {
    return Work.oneAfterTheOther(seed, sizes.ofEach, 8, 16, 32);
  }

  private void warmUp(Arena arena, long seed) {
    try (var round = new Round(arena, work(seed))) {
      round.create(Manifests.DEFAULT_SCHEDULER);
      round.awaitBound(Duration.ofSeconds(sizes.limit));
    }
    arena.clean();
  }

  /** Seconds from the first pod sent to the last bound; NaN if that never came. */
  private double besideBusyLoops(Arena arena, long seed) {
    var work = work(seed);
    try (var look = new Look(arena);
        var round = new Round(arena, work);
        var loops = BusyLoops.start(arena.sandbox(), sizes.busyLoops)) {
      round.create(Manifests.DEFAULT_SCHEDULER);
      boolean isDone = round.watch().sawBound(work.pods(), Duration.ofSeconds(sizes.limit));
      if (loops.running() != sizes.busyLoops) {
        faults.add("only %d of %d loops still spin".formatted(loops.running(), sizes.busyLoops));
      }
      double seconds = isDone ? sinceThen(round.watch(), round.begun()) : Double.NaN;
      System.out.printf(
          "  %d pods beside %d busy loops: %s; created in %.2f s%n      cpu s: %s%n",
          work.pods(),
          sizes.busyLoops,
          told(seconds),
          Round.seconds(round.begun(), round.allCreated()),
          round.cpuSince());
      look.report("beside busy loops", round.watch(), work.gangs(), work.pods());
      return seconds;
    }
  }

  /** The same for one gang that a Job makes. */
  private double ofAJob(Arena arena) {
    arena.sandbox().restart(Program.CONTROLLER_MANAGER, USUAL_RATE);
    awaitJobController(arena);
    try (var look = new Look(arena);
        var watch = new PodWatch(arena.api(), Manifests.NAMESPACE)) {
      long begun = System.nanoTime();
      arena.api().post(Manifests.JOBS, job(sizes.gang)).orFail("the Job");
      boolean isDone = watch.sawBound(sizes.gang, Duration.ofSeconds(sizes.limit));
      double seconds = isDone ? sinceThen(watch, begun) : Double.NaN;
      System.out.printf("  a gang of %d made by a Job: %s%n", sizes.gang, told(seconds));
      look.report("made by a Job", watch, List.of(new Gang(JOB, sizes.gang, 0)), sizes.gang);
      return seconds;
    }
  }

  /** It makes a first pod once it works. */
  private static void awaitJobController(Arena arena) {
    arena
        .api()
        .post(
            Manifests.JOBS,
            """
            {"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"first"},"spec":{"template":{
             "spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"any"}]}}}}\
            """)
        .orFail("a Job");
    Await.until(
        "the job controller to make a pod",
        STARTED,
        () -> !arena.api().get(Manifests.PODS + "?limit=1").path("items").isEmpty());
    arena
        .api()
        .delete(Manifests.JOBS + "/first", "{\"propagationPolicy\":\"Background\"}")
        .orFail("the deletion of a Job");
    arena.awaitEmpty(Manifests.PODS);
  }

  private static double sinceThen(PodWatch watch, long begun) {
    return Round.seconds(
        begun, watch.bound().values().stream().mapToLong(Long::longValue).max().orElseThrow());
  }

  private static String told(double seconds) {
    return Double.isNaN(seconds) ? "never all bound" : "all bound after %.2f s".formatted(seconds);
  }

  private static String job(int members) {
    return """
    {"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"%s"},"spec":{
     "parallelism":%d,"completions":%d,"template":{
      "metadata":{"annotations":{"%s":"%s","%s":"%d"}},
      "spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"any",
       "resources":{"requests":{"cpu":"100m"},"limits":{"nvidia.com/gpu":"%d"}}}]}}}}\
    """
        .formatted(
            JOB,
            members,
            members,
            GangKeys.NAME,
            JOB,
            GangKeys.MIN,
            members,
            NodeShape.GPU8.gpus());
  }

  /** All that must not happen while gangs start. */
  private final class Look implements AutoCloseable {

    private final Arena arena;
    private final long mark;
    private final PodFates fates;
    private final GangWords words;

    Look(Arena arena) {
      this.arena = arena;
      this.mark = arena.sandbox().auditLog().mark();
      this.fates = new PodFates(arena.sandbox().client(), Manifests.NAMESPACE);
      this.words = new GangWords(arena.api());
    }

    /** Says what was seen of these gangs, and notes what is wrong about it. */
    void report(String when, PodWatch watch, List<Gang> gangs, int pods) {
      long whole =
          gangs.stream().filter(gang -> watch.boundOf(gang.name()) == gang.members()).count();
      long byMuster = new Writes(arena.sandbox().auditLog().since(mark)).ended().size();
      var left = fates.left();
      var disrupted = fates.disrupted();
      ended += Math.max(left.size(), (int) byMuster);
      var kept = fates.longestKeptByAffinity();
      System.out.printf(
          "      %d of %d gangs whole, %d pods made, %d ended by Muster, %d gone or going, by reason"
              + " %s; kept by their own node affinity: %d gangs said so, a pod %.1f s at most%n",
          whole,
          gangs.size(),
          fates.seen(),
          byMuster,
          left.size(),
          disrupted,
          words.ofAffinity().size(),
          kept.toMillis() / 1000.0);
      fault(whole < gangs.size(), when, gangs.size() - whole + " gangs are not whole");
      fault(byMuster > 0, when, "Muster ended pods: " + byMuster);
      fault(!left.isEmpty(), when, "pods have gone or are going: " + left.keySet());
      fault(!disrupted.isEmpty(), when, "pods were told that they end: " + disrupted);
      fault(fates.seen() != pods, when, "pods made: " + fates.seen());
      fault(!words.ofAffinity().isEmpty(), when, "gangs waited so: " + words.ofAffinity());
      fault(kept.compareTo(BACKOFF) > 0, when, "a pod's own node affinity kept it for " + kept);
    }

    private void fault(boolean is, String when, String what) {
      if (is) {
        faults.add(when + ": " + what);
      }
    }

    @Override
    public void close() {
      words.close();
      fates.close();
    }
  }
}
