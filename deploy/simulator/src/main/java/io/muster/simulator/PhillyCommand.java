package io.muster.simulator;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Waiting;
import io.muster.simulator.reference.Policy;
import io.muster.simulator.reference.ReferenceRun;
import io.muster.simulator.report.ResultFormat;
import io.muster.simulator.report.TextTable;
import io.muster.simulator.trace.BundledTraces;
import io.muster.simulator.world.Figures;
import io.muster.simulator.world.PolicyNames;
import io.muster.simulator.world.Simulation;
import io.muster.simulator.world.cluster.Costs;
import io.muster.simulator.world.cluster.Trace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code muster simulate philly}: the queue orders beside published policies, and their bars. */
@Command(
    name = "philly",
    mixinStandardHelpOptions = true,
    description = {
      "Replays four traces of gangs on 64 GPUs, cut out of Philly, under each order of a queue and"
          + " under published policies, and prints the mean completion times in hours.",
      "Takes some minutes. A restart costs a minute and the work since the last checkpoint, of"
          + " which there is one every ten minutes; one setting for all traces."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:every bar is met", "1:a bar is missed", "2:wrong use"})
public final class PhillyCommand implements Callable<Integer> {

  private static final double HOUR = 3600;

  /** Mean completion in hours on traces 1 to 4, by the constants of Muri's plots. */
  private static final List<Integer> PUBLISHED_SRSF = List.of(272, 615, 51, 135);

  private static final List<Integer> PUBLISHED_TIRESIAS = List.of(925, 2055, 96, 366);

  private static final double OF_SRSF = 1.05;
  private static final double OF_TIRESIAS = 1.0;
  private static final double OF_TIRESIAS_MEAN = 0.85;

  /** Our SRSF without costs is to be as far from the published one, at most. */
  private static final double FIDELITY = 0.10;

  /** Device seconds; which ones the published figures had is not stated there. */
  private static final List<Long> TWO_THRESHOLDS = List.of(3_600L, 36_000L);

  @Spec private CommandSpec spec;

  @Option(
      names = "--traces",
      split = ",",
      defaultValue = "1,2,3,4",
      description = "Which of the four. Default: ${DEFAULT-VALUE}")
  private List<Integer> numbers = List.of(1, 2, 3, 4);

  @Option(
      names = {"-o", "--output"},
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
  private ResultFormat output = ResultFormat.text;

  /** A row of the table: one value a trace. */
  private record Line(String name, String origin, List<Double> hours) {}

  /** What is to hold, and whether it does; as JSON it says so too. */
  private record Bar(String name, double found, double most) {

    @JsonProperty
    boolean isMet() {
      return found <= most;
    }
  }

  private double incompleteGpuSeconds;

  @Override
  public Integer call() throws JsonProcessingException {
    if (numbers.stream().anyMatch(number -> number < 1 || number > BundledTraces.PHILLY)) {
      spec.commandLine().getErr().println("muster: --traces: there are 1 to 4");
      return CommandLine.ExitCode.USAGE;
    }
    var lines = lines(numbers.stream().map(BundledTraces::philly).toList());
    var bars = bars(lines);
    switch (output) {
      case text -> print(List.copyOf(lines.values()), bars);
      case json -> printJson(List.copyOf(lines.values()), bars);
    }
    return bars.stream().allMatch(Bar::isMet)
        ? CommandLine.ExitCode.OK
        : CommandLine.ExitCode.SOFTWARE;
  }

  /** The rows of the table, by origin and name. */
  private Map<String, Line> lines(List<Trace> traces) {
    var lines = new LinkedHashMap<String, Line>();
    add(lines, "SRSF", "published", published(PUBLISHED_SRSF));
    add(lines, "Tiresias-L", "published", published(PUBLISHED_TIRESIAS));
    add(
        lines,
        "SRSF, restarts free",
        "own",
        reference(traces, new Policy.ShortestService(), Costs.FREE));
    var srsf = reference(traces, new Policy.ShortestService(), Costs.DEFAULT);
    add(lines, "SRSF", "own", srsf);
    add(
        lines,
        "2D-LAS, 1 and 10 hours",
        "own",
        reference(traces, new Policy.LeastAttained(TWO_THRESHOLDS), Costs.DEFAULT));
    add(lines, "fixed FIFO", "own", reference(traces, new Policy.Fifo(), Costs.DEFAULT));
    add(lines, "priority", "Muster", muster(traces, Order.PRIORITY, false));
    add(lines, "priority, run times said", "Muster", muster(traces, Order.PRIORITY, true));
    add(lines, "shortest-gang", "Muster", muster(traces, Order.SHORTEST_GANG, true));
    add(lines, "least-attained", "Muster", muster(traces, Order.LEAST_ATTAINED, false));
    return lines;
  }

  private static void add(Map<String, Line> lines, String name, String origin, List<Double> hours) {
    lines.put(origin + " " + name, new Line(name, origin, hours));
  }

  private List<Double> published(List<Integer> hours) {
    return numbers.stream().map(number -> (double) hours.get(number - 1)).toList();
  }

  private static List<Double> reference(List<Trace> traces, Policy policy, Costs costs) {
    return traces.stream()
        .map(trace -> new ReferenceRun(trace, policy, costs).run().meanCompletionHours())
        .toList();
  }

  private List<Double> muster(List<Trace> traces, Order order, boolean hints) {
    var hours = new ArrayList<Double>();
    for (var trace : traces) {
      var ageing = order == Order.PRIORITY ? Waiting.DEFAULT.ageing() : PolicyNames.NO_AGEING;
      var setup = PolicyNames.setup(PolicyNames.oneQueue(order), ageing, Costs.DEFAULT, hints);
      var bar = new ProgressBar(trace.name() + " " + order.label(), trace.jobs().size());
      var figures = Figures.of(new Simulation(trace, setup, bar).run(order.label()));
      bar.end();
      if (figures.unfinished() > 0) {
        throw new IllegalStateException(
            "%s: %d jobs were left over".formatted(trace.name(), figures.unfinished()));
      }
      incompleteGpuSeconds += figures.incompleteGpuSeconds();
      hours.add(figures.meanCompletion() / HOUR);
    }
    return hours;
  }

  private List<Bar> bars(Map<String, Line> lines) {
    var bars = new ArrayList<Bar>();
    var srsf = lines.get("own SRSF").hours();
    var tiresias = lines.get("published Tiresias-L").hours();
    var shortest = lines.get("Muster shortest-gang").hours();
    var attained = lines.get("Muster least-attained").hours();
    var free = lines.get("own SRSF, restarts free").hours();
    var published = lines.get("published SRSF").hours();
    double product = 1;
    for (int i = 0; i < numbers.size(); i++) {
      int number = numbers.get(i);
      bars.add(
          new Bar(
              "trace %d: own SRSF is as published, off by".formatted(number),
              Math.abs(free.get(i) / published.get(i) - 1),
              FIDELITY));
      bars.add(
          new Bar(
              "trace %d: shortest-gang to own SRSF".formatted(number),
              shortest.get(i) / srsf.get(i),
              OF_SRSF));
      bars.add(
          new Bar(
              "trace %d: least-attained to Tiresias-L".formatted(number),
              attained.get(i) / tiresias.get(i),
              OF_TIRESIAS));
      product *= attained.get(i) / tiresias.get(i);
    }
    bars.add(
        new Bar(
            "least-attained to Tiresias-L, geometric mean",
            Math.pow(product, 1.0 / numbers.size()),
            OF_TIRESIAS_MEAN));
    bars.add(new Bar("GPU seconds held by parts of gangs", incompleteGpuSeconds, 0));
    return bars;
  }

  private void print(List<Line> lines, List<Bar> bars) {
    var out = spec.commandLine().getOut();
    out.println("Mean completion in hours, 64 GPUs. Published: constants of Muri's plots. Own:");
    out.println("written anew, counts devices and packs perfectly. Muster: simulated, nodes of 8.");
    out.println();
    var rows = new ArrayList<List<String>>();
    rows.add(row("policy", "from", numbers.stream().map(number -> "trace " + number).toList()));
    for (var line : lines) {
      rows.add(
          row(line.name(), line.origin(), line.hours().stream().map(TextTable::number).toList()));
    }
    out.println(TextTable.aligned(rows));
    var table = new ArrayList<List<String>>();
    table.add(List.of("must hold", "found", "at most", ""));
    for (var bar : bars) {
      table.add(
          List.of(
              bar.name(),
              rounded(bar.found()),
              rounded(bar.most()),
              bar.isMet() ? "met" : "MISSED"));
    }
    out.print(TextTable.aligned(table));
    out.flush();
  }

  private static String rounded(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }

  private static List<String> row(String name, String origin, List<String> cells) {
    var row = new ArrayList<String>();
    row.add(name);
    row.add(origin);
    row.addAll(cells);
    return row;
  }

  private void printJson(List<Line> lines, List<Bar> bars) throws JsonProcessingException {
    var document = new LinkedHashMap<String, Object>();
    document.put("version", 1);
    document.put(
        "meanCompletionHours",
        lines.stream()
            .map(line -> {
              var row = new LinkedHashMap<String, Object>();
              row.put("policy", line.name());
              row.put("from", line.origin());
              IntStream.range(0, numbers.size())
                  .forEach(i -> row.put("trace" + numbers.get(i), line.hours().get(i)));
              return row;
            })
            .toList());
    document.put("bars", bars);
    spec.commandLine().getOut().println(JsonMapper.builder().build().writeValueAsString(document));
    spec.commandLine().getOut().flush();
  }
}
