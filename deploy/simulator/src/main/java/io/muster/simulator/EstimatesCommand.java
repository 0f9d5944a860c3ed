package io.muster.simulator;

import io.muster.extender.kube.convert.InvalidQueuesException;
import io.muster.simulator.trace.UnreadableTraceException;
import io.muster.simulator.world.EstimateAccuracy;
import io.muster.simulator.world.Simulation;
import io.muster.simulator.world.cluster.Trace;
import io.muster.simulator.world.cluster.TraceJob;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code muster simulate estimates}: how far expected starts are from what happens. */
@Command(
    name = "estimates",
    mixinStandardHelpOptions = true,
    description = {
      "Replays a trace, estimates now and then when the gangs that wait will start, and compares"
          + " that with what happens: for each gang its first estimate.",
      "Traces do not say which jobs are runs of the same one. With --no-hints, --alike says which"
          + " are taken to be."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:printed", "2:wrong use, or a trace that cannot be read"})
public final class EstimatesCommand implements Callable<Integer> {

  private static final double PERCENT = 100;
  private static final double SECONDS_AN_HOUR = 3600;

  @Spec private CommandSpec spec;
  @Mixin private TraceOptions traces = new TraceOptions();
  @Mixin private SettingOptions settings = new SettingOptions();

  @Option(
      names = "--every",
      paramLabel = "N",
      defaultValue = "20",
      description = "Estimate after each N submissions. Default: ${DEFAULT-VALUE}")
  private int every = 20;

  @Option(
      names = "--alike",
      paramLabel = "FACTOR",
      description =
          "Jobs with as many GPUs, whose durations are within that factor, have the names of runs"
              + " of one job: 2, for example.")
  private Optional<Double> factor = Optional.empty();

  @Override
  public Integer call() {
    try {
      if (every < 1 || factor.orElse(2.0) <= 1) {
        throw new WrongUseException("--every must be at least 1, and --alike above 1");
      }
      var orders = settings.orders();
      if (orders.size() > 1) {
        throw new WrongUseException("--order: estimates are compared under one order");
      }
      var read = traces.read();
      var trace = factor.isPresent() ? named(read, factor.get()) : read;
      var accuracy = new EstimateAccuracy(every);
      var bar = new ProgressBar("estimates", trace.jobs().size());
      var replay = new Simulation(trace, settings.setup(orders.getFirst(), trace), bar);
      replay.compare(accuracy);
      replay.run("estimates");
      bar.end();
      print(accuracy.summary());
      return CommandLine.ExitCode.OK;
    } catch (UnreadableTraceException | WrongUseException | InvalidQueuesException e) {
      return complain(e.getMessage());
    } catch (IOException e) {
      return complain(e.getMessage() + ": cannot be read or written");
    }
  }

  /** The same jobs, with names by which runs of one job are recognised. */
  private static Trace named(Trace trace, double factor) {
    var jobs = new ArrayList<TraceJob>();
    for (var job : trace.jobs()) {
      long seconds = Math.max(1, job.duration().toSeconds());
      long step = (long) (Math.log((double) seconds) / Math.log(factor));
      jobs.add(
          new TraceJob(
              "gpus%d.step%d-%d".formatted(job.gpus(), step, jobs.size()),
              job.tenant(),
              job.queue(),
              job.priority(),
              job.submit(),
              job.duration(),
              job.parts(),
              job.elastic()));
    }
    return new Trace(trace.name(), trace.machines(), jobs, trace.notes());
  }

  private void print(EstimateAccuracy.Summary summary) {
    count("gangs with an estimate before their start", summary.estimated());
    count("gangs that waited, and had none", summary.unknown());
    line("their mean wait after it, hours", summary.meanWait() / SECONDS_AN_HOUR);
    line("median error, % of the wait", summary.medianError() * PERCENT);
    count("gangs with a 90th percentile", summary.judged());
    line("of these started by then, %", summary.covered() * PERCENT);
    spec.commandLine().getOut().flush();
  }

  private void count(String what, int gangs) {
    spec.commandLine().getOut().println("%-45s %8d".formatted(what, gangs));
  }

  private void line(String what, double value) {
    spec.commandLine().getOut().println(String.format(Locale.ROOT, "%-45s %8.1f", what, value));
  }

  private int complain(String sentence) {
    spec.commandLine().getErr().println("muster: " + sentence);
    return CommandLine.ExitCode.USAGE;
  }
}
