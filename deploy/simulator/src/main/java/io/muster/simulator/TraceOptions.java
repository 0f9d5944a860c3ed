package io.muster.simulator;

import io.muster.simulator.trace.BundledTraces;
import io.muster.simulator.trace.OpenbLoader;
import io.muster.simulator.trace.TraceFormat;
import io.muster.simulator.world.cluster.Fabric;
import io.muster.simulator.world.cluster.Machine;
import io.muster.simulator.world.cluster.Synthetic;
import io.muster.simulator.world.cluster.Trace;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoublePredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** What is replayed, and on which nodes. */
final class TraceOptions {

  private static final String DEFAULT_NODES = "8x8";
  private static final Pattern NODES = Pattern.compile("(\\d{1,6})x(\\d{1,3})");
  private static final Pattern SCALE = Pattern.compile("(\\d{1,3})x(\\d{1,4})x(\\d{1,4})");
  private static final Pattern FABRIC = Pattern.compile("(?:(\\d{1,4})x)?(\\d{1,4})x(\\d{1,4})");
  private static final Set<String> OF_SYNTHETIC = Set.of("jobs", "gpus", "load", "seed", "elastic");
  private static final int MOST_JOBS = 10_000_000;
  private static final int MOST_GPUS = 1_000_000;

  @Option(names = "--trace", paramLabel = "FILE", description = "The trace.")
  private Optional<Path> file = Optional.empty();

  @Option(
      names = "--format",
      defaultValue = "replay",
      description =
          "Of the trace: replay (Muster's own), philly-muri, philly, openb, pai, helios or acme."
              + " Default: ${DEFAULT-VALUE}")
  private String format = "replay";

  @Option(
      names = "--philly",
      paramLabel = "1..4",
      description = "In place of a file: a trace that Muster brings along.")
  private Optional<Integer> philly = Optional.empty();

  @Option(
      names = "--synthetic",
      paramLabel = "jobs=N,gpus=N,load=SHARE[,seed=N][,elastic=SHARE]",
      description = "In place of a file: a trace that is made up.")
  private Optional<String> synthetic = Optional.empty();

  @Option(
      names = "--nodes",
      paramLabel = "COUNTxGPUS",
      description =
          "The nodes, all alike. Default: 8x8; with --philly and --synthetic, unless there is a"
              + " --scale, those that the trace is made for.")
  private Optional<String> nodes = Optional.empty();

  @Option(
      names = "--fabric",
      paramLabel = "[BLOCKSx]RACKSxNODES",
      description =
          "How the nodes stand, in their order: 278x18 are 278 racks of 18, 4x8x18 are 4 blocks of"
              + " 8 racks of 18. The last one may have fewer.")
  private Optional<String> fabric = Optional.empty();

  @Option(
      names = "--scale",
      paramLabel = "TIMESxCOPIESxFASTER",
      description =
          "Each job has TIMES the GPUs, in pods that fit the nodes of --nodes, there are COPIES of"
              + " it, submitted at other times, and all times are divided by FASTER.")
  private Optional<String> scale = Optional.empty();

  @Option(
      names = "--node-file",
      paramLabel = "FILE",
      description = "The nodes, in the columns of openb: sn,cpu_milli,memory_mib,gpu,model.")
  private Optional<Path> nodeFile = Optional.empty();

  Trace read() {
    var trace = readAsItIs();
    if (nodes.isPresent() || nodeFile.isPresent() || scale.isPresent()) {
      trace = trace.on(machines());
    }
    if (scale.isPresent()) {
      var read = SCALE.matcher(scale.get());
      if (!read.matches() || Stream.of(1, 2, 3).anyMatch(i -> number(read, i) == 0)) {
        throw new WrongUseException(
            "--scale: must be how many times the GPUs, how many copies and how much faster, like"
                + " 16x10x24, not "
                + scale.get());
      }
      trace = trace.scaled(number(read, 1), number(read, 2), number(read, 3));
    }
    return fabric.isPresent() ? trace.on(standing(trace.machines(), fabric.get())) : trace;
  }

  private static int number(Matcher read, int group) {
    return Integer.parseInt(read.group(group));
  }

  private static List<Machine> standing(List<Machine> machines, String written) {
    var read = FABRIC.matcher(written);
    if (!read.matches() || Stream.of(2, 3).anyMatch(i -> number(read, i) == 0)) {
      throw new WrongUseException(
          "--fabric: must be how many racks of how many nodes, like 278x18, not " + written);
    }
    int blocks = read.group(1) == null ? 1 : number(read, 1);
    try {
      return new Fabric(blocks, number(read, 2), number(read, 3)).of(machines);
    } catch (IllegalArgumentException e) {
      throw new WrongUseException("--fabric: " + e.getMessage());
    }
  }

  private Trace readAsItIs() {
    long sources = List.of(file, philly, synthetic).stream().filter(Optional::isPresent).count();
    if (sources != 1) {
      throw new WrongUseException("give one of --trace, --philly and --synthetic");
    }
    if (synthetic.isPresent()) {
      return madeUp(synthetic.get());
    }
    if (philly.isPresent()) {
      return bundled(philly.get());
    }
    var known =
        TraceFormat.of(format)
            .orElseThrow(
                () -> new WrongUseException("--format: " + format + " is none of " + formats()));
    return known.read(file.orElseThrow(), machines());
  }

  private static String formats() {
    return Arrays.stream(TraceFormat.values())
        .map(TraceFormat::label)
        .collect(Collectors.joining(", "));
  }

  private static Trace bundled(int number) {
    if (number < 1 || number > BundledTraces.PHILLY) {
      throw new WrongUseException("--philly: must be 1 to 4, not " + number);
    }
    return BundledTraces.philly(number);
  }

  private List<Machine> machines() {
    if (nodeFile.isPresent()) {
      return OpenbLoader.machines(nodeFile.get());
    }
    var written = nodes.orElse(DEFAULT_NODES);
    var read = NODES.matcher(written);
    if (!read.matches() || Integer.parseInt(read.group(1)) == 0) {
      throw new WrongUseException(
          "--nodes: must be how many with how many GPUs, like 8x8, not " + written);
    }
    return Machine.alike(Integer.parseInt(read.group(1)), Integer.parseInt(read.group(2)));
  }

  private static Trace madeUp(String written) {
    Map<String, String> said = new HashMap<>();
    for (var pair : written.split(",", -1)) {
      var parts = pair.split("=", 2);
      if (parts.length != 2 || !OF_SYNTHETIC.contains(parts[0].strip())) {
        throw new WrongUseException(
            "--synthetic: must be like jobs=1000,gpus=64,load=0.9,seed=1, not " + written);
      }
      said.put(parts[0].strip(), parts[1].strip());
    }
    return new Synthetic(
            (int) whole(said, "jobs", "1000", MOST_JOBS),
            (int) whole(said, "gpus", "64", MOST_GPUS),
            number(
                said,
                "load",
                "0.9",
                load -> load > 0 && load <= 100,
                "a number above 0, at most 100"),
            whole(said, "seed", "1", Long.MAX_VALUE),
            number(said, "elastic", "0", share -> share >= 0 && share <= 1, "a number from 0 to 1"))
        .trace();
  }

  private static long whole(Map<String, String> said, String key, String otherwise, long most) {
    return (long)
        number(
            said,
            key,
            otherwise,
            value -> value >= 1 && value <= most && value == Math.rint(value),
            "a whole number from 1 to %d".formatted(most));
  }

  private static double number(
      Map<String, String> said,
      String key,
      String otherwise,
      DoublePredicate isRight,
      String range) {
    var written = said.getOrDefault(key, otherwise);
    try {
      double value = Double.parseDouble(written);
      if (isRight.test(value)) {
        return value;
      }
    } catch (NumberFormatException _) {
      // Told below.
    }
    throw new WrongUseException(
        "--synthetic: %s must be %s, not %s".formatted(key, range, written));
  }
}
