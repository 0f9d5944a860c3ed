package io.muster.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.muster.extender.core.queue.Order;
import io.muster.extender.kube.convert.InvalidQueuesException;
import io.muster.simulator.edl.SimulateEdlCommand;
import io.muster.simulator.report.HtmlReport;
import io.muster.simulator.report.JsonReport;
import io.muster.simulator.report.ResultFormat;
import io.muster.simulator.report.TextTable;
import io.muster.simulator.trace.UnreadableTraceException;
import io.muster.simulator.world.Figures;
import io.muster.simulator.world.Result;
import io.muster.simulator.world.Simulation;
import io.muster.simulator.world.cluster.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code muster simulate}: replays a trace of gangs through Muster's own decisions. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    subcommands = {PhillyCommand.class, EstimatesCommand.class, SimulateEdlCommand.class},
    description = {
      "Replays a trace of gangs in virtual time, with the decisions of a running Muster: queues,"
          + " backfill reservations, preemption and placement. Needs no cluster.",
      "One row is printed for each order of the queue. What the columns mean, and the formats of"
          + " traces, is in deploy/docs/simulate.md."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:all jobs have ended, no device was held by a part of a gang, and no segment was in"
          + " several racks",
      "1:jobs were left over, devices were held by a part of a gang, or a segment was in several"
          + " racks",
      "2:wrong use, or a trace that cannot be read"
    })
public final class SimulateCommand implements Callable<Integer> {

  private CommandSpec spec = CommandSpec.create();
  @Mixin private TraceOptions traces = new TraceOptions();
  @Mixin private SettingOptions settings = new SettingOptions();

  @Option(
      names = {"-o", "--output"},
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
  private ResultFormat output = ResultFormat.text;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Write a page with table and charts there; it needs nothing but itself.")
  private Optional<Path> html = Optional.empty();

  /** A policy of {@code --elastic} may have the name of a command below this one. */
  @Spec
  void setSpec(CommandSpec given) {
    spec = given;
    given.parser().allowSubcommandsAsOptionParameters(true);
  }

  @Override
  public Integer call() throws JsonProcessingException {
    try {
      var trace = traces.read();
      var results = new ArrayList<Result>();
      for (var order : settings.orders()) {
        results.add(replay(trace, order));
      }
      print(trace, results);
      if (html.isPresent()) {
        Files.writeString(html.get(), HtmlReport.of(trace, results));
      }
      return results.stream().allMatch(SimulateCommand::isClean)
          ? CommandLine.ExitCode.OK
          : CommandLine.ExitCode.SOFTWARE;
    } catch (UnreadableTraceException | WrongUseException | InvalidQueuesException e) {
      return complain(e.getMessage());
    } catch (IOException e) {
      return complain(e.getMessage() + ": cannot be read or written");
    }
  }

  private int complain(String sentence) {
    spec.commandLine().getErr().println("muster: " + sentence);
    return CommandLine.ExitCode.USAGE;
  }

  private Result replay(Trace trace, Order order) throws IOException, InvalidQueuesException {
    var bar = new ProgressBar(order.label(), trace.jobs().size());
    var result =
        new Simulation(trace, settings.setup(order, trace), bar).run(settings.label(order));
    bar.end();
    return result;
  }

  private static boolean isClean(Result result) {
    var figures = Figures.of(result);
    return figures.unfinished() == 0
        && figures.incompleteGpuSeconds() == 0
        && figures.brokenSegments() == 0;
  }

  private void print(Trace trace, List<Result> results) throws JsonProcessingException {
    var out = spec.commandLine().getOut();
    switch (output) {
      case json -> out.println(JsonReport.of(trace, results));
      case text -> {
        out.println(HtmlReport.about(trace));
        trace.notes().forEach(out::println);
        out.print(TextTable.of(results));
      }
    }
    out.flush();
  }
}
