package io.muster.deploy.view;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.console.OutputOptions;
import io.muster.deploy.mutate.Manifests;
import io.muster.extender.core.protocol.query.Forecast;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster fit}: asks the planner about pods that nobody has made. */
@Command(
    name = "fit",
    mixinStandardHelpOptions = true,
    description = {
      "Says of manifests whether their pods would start now, after which gangs end, or never."
          + " Nothing is created.",
      "All documents are taken together. The planner that places gangs answers, with the default"
          + " profiles; what other webhooks add is not known, nor are claims and preemption."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:they would start now",
      "1:they would start later or never, or be refused",
      "2:wrong use, or the cluster cannot be read"
    })
public final class FitCommand extends ConsoleCommand {

  @Mixin private ViewOptions options = new ViewOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Option(
      names = {"-f", "--filename"},
      required = true,
      paramLabel = "FILE",
      description = "Manifests of pods, workloads or lists of them; - for standard input.")
  private String file = "";

  @Override
  protected int run() throws NoAnswerException, InterruptedException {
    var settings = options.settings();
    try {
      var manifests = Manifests.text(file);
      return switch (new Fitting(settings).read(manifests, options.namespace(settings))) {
        case Fitting.Asked.Nothing(var why) -> complain(file + ": " + why);
        case Fitting.Asked.Refused(var sentence) -> {
          warn(sentence);
          yield CommandLine.ExitCode.SOFTWARE;
        }
        case Fitting.Asked.Pods pods -> {
          var view = options.view(settings);
          if (!options.isOfFile()) {
            ClusterSight.mistakenQueues(settings).ifPresent(this::warn);
          }
          yield print(Fitting.fit(pods, view));
        }
      };
    } catch (IOException e) {
      return complain(e.getMessage() + ": cannot be read");
    }
  }

  private int print(Fitting.Fit fit) throws JsonProcessingException {
    var document = new LinkedHashMap<String, Object>();
    document.put("version", 1);
    document.put("starts", fit.word());
    document.put("after", fit.after().stream().map(one -> one.gang().toString()).toList());
    document.put("why", fit.forecast().sentence());
    output.print(out(), List.of(fit.sentence()), document);
    return fit.forecast() instanceof Forecast.Now
        ? CommandLine.ExitCode.OK
        : CommandLine.ExitCode.SOFTWARE;
  }
}
