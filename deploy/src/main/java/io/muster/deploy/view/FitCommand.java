package io.muster.deploy.view;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.OutputOptions;
import io.muster.deploy.config.Setting;
import io.muster.deploy.mutate.Manifests;
import io.muster.deploy.mutate.PodTemplate;
import io.muster.deploy.serve.Preview;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.query.Forecast;
import io.muster.extender.core.protocol.query.Forecast.Running;
import io.muster.extender.core.protocol.query.Prospect;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.rendezvous.KnownKinds;
import io.muster.webhook.json.ProfilesReading;
import io.muster.webhook.port.NamespaceLabels;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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
public final class FitCommand implements Callable<Integer> {

  private static final int NAMED = 10;

  /** More than any gang may have, and few enough to be planned while somebody waits. */
  private static final int MOST_PODS = 20_000;

  @Spec private CommandSpec spec;
  @Mixin private ViewOptions options = new ViewOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Option(
      names = {"-f", "--filename"},
      required = true,
      paramLabel = "FILE",
      description = "Manifests of pods, workloads or lists of them; - for standard input.")
  private String file = "";

  @Override
  public Integer call() throws InterruptedException, JsonProcessingException {
    var settings = options.settings();
    try {
      var templates = Manifests.read(text(), options.namespace(settings));
      long pods = templates.stream().mapToLong(PodTemplate::count).sum();
      if (pods == 0) {
        return complain(file + ": no pod and no template of one is in it");
      }
      if (pods > MOST_PODS) {
        return complain("%s: asks for %d pods, more than %d".formatted(file, pods, MOST_PODS));
      }
      var lots = lots(templates, settings);
      if (lots.isEmpty()) {
        return CommandLine.ExitCode.SOFTWARE;
      }
      var view = options.view(settings);
      var forecast = new Replay(view).forecast(lots);
      print(forecast, view.takenAt());
      return forecast instanceof Forecast.Now
          ? CommandLine.ExitCode.OK
          : CommandLine.ExitCode.SOFTWARE;
    } catch (Manifests.UnreadableException e) {
      return complain(file + ": " + e.getMessage());
    } catch (IOException e) {
      return complain(e.getMessage() + ": cannot be read");
    } catch (ClusterSight.NoSightException e) {
      return complain(e.getMessage());
    }
  }

  private int complain(String sentence) {
    spec.commandLine().getErr().println("muster: " + sentence);
    return CommandLine.ExitCode.USAGE;
  }

  private String text() throws IOException {
    return file.equals("-")
        ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
        : Files.readString(Path.of(file));
  }

  /** The pods as they would be stored; none if one would be refused, which is said. */
  private List<Prospect.Lot> lots(List<PodTemplate> templates, Config settings) {
    var preview = preview(settings);
    var lots = new ArrayList<Prospect.Lot>();
    for (var template : templates) {
      var namespace = template.pod().at("/metadata/namespace").asText();
      switch (preview.of(template.pod(), namespace)) {
        case Preview.Seen.Refused(var sentence) -> {
          complain(template.origin() + " would be refused: " + sentence);
          return List.of();
        }
        case Preview.Seen.Stored(var pod) -> lots.add(new Prospect.Lot(pod, template.count()));
      }
    }
    return lots;
  }

  private static Preview preview(Config settings) {
    var rules = new ProfilesReading(settings.admittedSchedulers()).defaults();
    var sources =
        new PodAdmission.Sources(
            () -> rules,
            KnownKinds.ALL,
            NamespaceLabels.UNKNOWN,
            settings.rules().placement() == PlacementMode.EXTENDER,
            settings.isOn(Setting.KEEP_MANAGED_FIELDS),
            () -> Queues.NONE,
            settings.assignedScheduler());
    return new Preview(
        new PodConverter(new DialectDetector(), settings.admittedSchedulers()),
        sources,
        InstantSource.fixed(Instant.EPOCH));
  }

  private void print(Forecast forecast, Instant now) throws JsonProcessingException {
    var out = spec.commandLine().getOut();
    switch (output.format()) {
      case text -> out.println(sentence(forecast, now));
      case json -> {
        var document = new LinkedHashMap<String, Object>();
        document.put("version", 1);
        document.put("starts", word(forecast));
        document.put("after", gangs(forecast).stream().map(one -> one.gang().toString()).toList());
        document.put("why", forecast.sentence());
        OutputOptions.printJson(document, out);
      }
    }
    out.flush();
  }

  private static String word(Forecast forecast) {
    return switch (forecast) {
      case Forecast.Now _ -> "now";
      case Forecast.AfterGangs _ -> "after-gangs";
      case Forecast.AfterOthers _ -> "after-other-pods";
      case Forecast.Withheld _ -> "after-queue";
      case Forecast.Never _ -> "never";
    };
  }

  private static List<Running> gangs(Forecast forecast) {
    return forecast instanceof Forecast.AfterGangs(var gangs, _) ? gangs : List.of();
  }

  static String sentence(Forecast forecast, Instant now) {
    return switch (forecast) {
      case Forecast.Now(var why) -> "would start now: " + why;
      case Forecast.AfterGangs(var gangs, var why) ->
          "would start once %s ended; now: %s".formatted(ended(gangs, now), why);
      case Forecast.AfterOthers(var why) ->
          "would start once pods that belong to no gang have ended too; now: " + why;
      case Forecast.Withheld(var why) -> "would wait for its queue: " + why;
      case Forecast.Never(var why) -> "would never start: " + why;
    };
  }

  private static String ended(List<Running> gangs, Instant now) {
    var named =
        gangs.stream()
            .limit(NAMED)
            .map(one -> "%s (for %s here)".formatted(one.gang(), age(one.since(), now)))
            .collect(Collectors.joining(", "));
    var more = gangs.size() > NAMED ? " and %d more".formatted(gangs.size() - NAMED) : "";
    return gangs.size() == 1
        ? "gang %s has".formatted(named)
        : "%d gangs, %s%s, have".formatted(gangs.size(), named, more);
  }

  /** As kubectl shows ages. */
  static String age(Instant since, Instant now) {
    var age = Duration.between(since, now);
    if (age.isNegative()) {
      return "0s";
    }
    if (age.toHours() >= 48) {
      return age.toDays() + "d";
    }
    if (age.toMinutes() >= 120) {
      return age.toHours() + "h";
    }
    return age.toSeconds() >= 120 ? age.toMinutes() + "m" : age.toSeconds() + "s";
  }
}
