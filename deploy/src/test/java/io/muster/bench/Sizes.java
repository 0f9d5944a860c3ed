package io.muster.bench;

import io.muster.sandbox.Command;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.NodeRequest;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxException;
import io.muster.webhook.kube.Registration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/**
 * What Muster takes in clusters of several sizes, ten running pods on each node: heap in use after
 * a collection, resident memory at rest and at its height, time from start to ready; and whether a
 * gang starts there. Each size has a control plane of its own.
 */
final class Sizes {

  private static final int PODS_PER_NODE = 10;

  /** The rest asks for no device, and one device of each node stays free. */
  private static final int GPU_PODS = 7;

  private static final int MEMBERS = 64;
  private static final Duration READY = Duration.ofMinutes(5);
  private static final Duration GANG = Duration.ofMinutes(2);
  private static final Duration COMMAND = Duration.ofSeconds(60);
  private static final Pattern USED =
      Pattern.compile("(?:DefNew|Tenured) +total \\d+K, used (\\d+)K");
  private static final Pattern PAUSE = Pattern.compile("Pause .* (\\d+\\.\\d+)ms");

  private final Asked asked;

  /** Which sizes, and with which heap. */
  static final class Asked {
    @Option(
        names = "--sizes",
        split = ",",
        defaultValue = "100,1000",
        description = "sizes: how many nodes, each for itself (${DEFAULT-VALUE}).")
    private List<Integer> nodes = new ArrayList<>();

    @Option(
        names = "--heap",
        defaultValue = "384m",
        description = "sizes: the most heap that Muster may take (${DEFAULT-VALUE}).")
    private String heap = "384m";
  }

  /**
   * What was seen at one size.
   *
   * @param heap used after a collection, MB
   * @param resident once it rests, MB
   * @param highest resident at any time since its start, MB
   * @param ready seconds from start
   * @param paused seconds of all collections until it rested
   * @param gang seconds until a gang was bound
   */
  private record Seen(
      double heap, double resident, double highest, double ready, double paused, double gang) {}

  Sizes(Asked asked) {
    this.asked = asked;
  }

  Verdict measure() {
    var figures = new LinkedHashMap<String, Double>();
    double heap = 0;
    for (int nodes : asked.nodes) {
      var seen = at(nodes);
      heap = seen.heap();
      System.out.printf(
          "  %d nodes, %d pods, -Xmx%s: heap %.0f MB after a collection; resident %.0f MB, at most"
              + " %.0f MB; ready after %.1f s, of which %.2f s collections; a gang of %d bound"
              + " after %.1f s%n",
          nodes,
          nodes * PODS_PER_NODE,
          asked.heap,
          seen.heap(),
          seen.resident(),
          seen.highest(),
          seen.ready(),
          seen.paused(),
          MEMBERS,
          seen.gang());
      figures.put("heap" + nodes, seen.heap());
      figures.put("resident" + nodes, seen.resident());
      figures.put("highest" + nodes, seen.highest());
      figures.put("readySeconds" + nodes, seen.ready());
    }
    return new Verdict(
        "sizes",
        "MB",
        Verdict.LOWER,
        new EnumMap<>(Map.of(Side.MUSTER, heap)),
        OptionalDouble.empty(),
        "each size is served with -Xmx" + asked.heap,
        Optional.of(true),
        figures);
  }

  private Seen at(int nodes) {
    try (var arena = Arena.with(0)) {
      var collections = arena.sandbox().state().file("collections.log");
      var muster =
          arena.turnToMuster(
              MusterOptions.DEFAULT.jvm(
                  "-Xmx" + asked.heap, "-Xlog:gc:file=" + collections + "::filecount=0"));
      muster.kill();
      Registration.remove(arena.sandbox().client());
      arena.sandbox().nodes().add(NodeRequest.of(Arena.NODE_PREFIX, nodes, NodeShape.GPU8));
      arena.fill(nodes, GPU_PODS, 1);
      arena.fill(nodes, PODS_PER_NODE - GPU_PODS, 0);
      CpuTimes.awaitQuiet(arena.sandbox().state());
      return look(arena, muster, collections);
    }
  }

  private static Seen look(Arena arena, MusterProcess muster, Path collections) {
    long begun = System.nanoTime();
    muster.launch();
    muster.awaitReady(READY);
    double ready = Round.seconds(begun, System.nanoTime());
    CpuTimes.awaitQuiet(arena.sandbox().state());
    double paused = paused(collections);
    double resident = CpuTimes.residentMegabytes(muster.pid());
    double gang;
    try (var round = new Round(arena, Work.single("one", MEMBERS, 1))) {
      round.create(Manifests.DEFAULT_SCHEDULER);
      gang = round.awaitBound(GANG).bound();
    }
    double highest = CpuTimes.highestResidentMegabytes(muster.pid());
    jcmd(muster.pid(), "GC.run");
    double heap =
        USED.matcher(jcmd(muster.pid(), "GC.heap_info"))
            .results()
            .mapToLong(found -> Long.parseLong(found.group(1)))
            .sum();
    return new Seen(heap / 1024, resident, highest, ready, paused, gang);
  }

  /** Seconds. */
  private static double paused(Path log) {
    try {
      return PAUSE
              .matcher(Files.readString(log))
              .results()
              .mapToDouble(found -> Double.parseDouble(found.group(1)))
              .sum()
          / 1000;
    } catch (IOException e) {
      throw new SandboxException("The JVM's log of its collections cannot be read.", e);
    }
  }

  private static String jcmd(long pid, String command) {
    var program = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    var result = Command.run(COMMAND, List.of(program, Long.toString(pid), command));
    if (result.exitCode() != 0) {
      throw new SandboxException("jcmd " + command + " failed: " + result.output());
    }
    return result.output();
  }
}
