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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** What is replayed, and on which nodes. */
final class TraceOptions {

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
      defaultValue = "8x8",
      description = "The nodes, all alike. Default: ${DEFAULT-VALUE}")
  private String nodes = "8x8";

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
    if (scale.isPresent()) {
      var read = SCALE.matcher(scale.get());
      if (!read.matches() || Stream.of(1, 2, 3).anyMatch(i -> number(read, i) == 0)) {
        throw new WrongUseException(
            "--scale: must be how many times the GPUs, how many copies and how much faster, like"
                + " 16x10x24, not "
                + scale.get());
      }
      trace = trace.on(machines()).scaled(number(read, 1), number(read, 2), number(read, 3));
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
    var read = NODES.matcher(nodes);
    if (!read.matches() || Integer.parseInt(read.group(1)) == 0) {
      throw new WrongUseException(
          "--nodes: must be how many with how many GPUs, like 8x8, not " + nodes);
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
            (int) number(said, "jobs", "1000", MOST_JOBS),
            (int) number(said, "gpus", "64", MOST_GPUS),
            number(said, "load", "0.9", 100),
            (long) number(said, "seed", "1", Long.MAX_VALUE),
            said.containsKey("elastic") ? number(said, "elastic", "0", 1) : 0)
        .trace();
  }

  private static double number(
      Map<String, String> said, String key, String otherwise, double most) {
    var written = said.getOrDefault(key, otherwise);
    try {
      double value = Double.parseDouble(written);
      if (value > 0 && value <= most) {
        return value;
      }
    } catch (NumberFormatException _) {
      // Told below.
    }
    throw new WrongUseException(
        "--synthetic: %s must be a number above 0, at most %.0f, not %s"
            .formatted(key, most, written));
  }
}
