package io.muster.deploy.view;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.muster.deploy.config.OutputOptions;
import io.muster.deploy.serve.ClusterAccess;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code muster explain}: one sentence why something does not run, and what it rests on. */
@Command(
    name = "explain",
    mixinStandardHelpOptions = true,
    description = {
      "Says in one sentence why a gang, a pod or a job is where it is, what that rests on, and what"
          + " would change it.",
      "What a running Muster says is in the namespace; more is told to those who may read all nodes"
          + " and pods."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:it runs, or has ended",
      "1:it waits, or something is wrong with it",
      "2:wrong use, or it does not exist or cannot be read"
    })
public final class ExplainCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private ViewOptions options = new ViewOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Parameters(
      paramLabel = "KIND/NAME",
      description = "gang/NAME, pod/NAME or job/NAME; a job is of any kind that Muster knows.")
  private String subject = "";

  @Override
  public Integer call() throws InterruptedException, JsonProcessingException {
    int slash = subject.indexOf('/');
    if (slash < 1 || slash == subject.length() - 1) {
      return complain("%s names nothing: say gang/NAME, pod/NAME or job/NAME".formatted(subject));
    }
    var kind = subject.substring(0, slash).toLowerCase(Locale.ROOT);
    var name = subject.substring(slash + 1);
    var settings = options.settings();
    var namespace = options.namespace(settings);
    try {
      if (options.isOfFile()) {
        return kind.endsWith("job") || kind.endsWith("jobs")
            ? complain("jobs are not in a snapshot: ask about gang/NAME or pod/NAME")
            : answer(new Explaining(new FileSight(options.view(settings))), kind, namespace, name);
      }
      try (var client = ClusterAccess.forReading(settings)) {
        var sight = new LiveSight(client, settings);
        int code = answer(new Explaining(sight), kind, namespace, name);
        sight
            .blindness()
            .ifPresent(
                why -> spec.commandLine().getErr().println("muster: not all can be told: " + why));
        return code;
      }
    } catch (ClusterSight.NoSightException e) {
      return complain(e.getMessage());
    }
  }

  private int answer(Explaining explaining, String kind, String namespace, String name)
      throws JsonProcessingException {
    Optional<Explanation> found =
        switch (kind) {
          case "gang", "gangs" -> explaining.gang(namespace, name);
          case "pod", "pods" -> explaining.pod(namespace, name);
          case "job", "jobs", "trainingjob", "elasticjob", "dijob" ->
              explaining.job(namespace, name);
          default -> Optional.empty();
        };
    if (found.isEmpty()) {
      return complain(
          "there is no %s in namespace %s that could be explained".formatted(subject, namespace));
    }
    print(found.get());
    return found.get().isWell() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private int complain(String sentence) {
    spec.commandLine().getErr().println("muster: " + sentence);
    return CommandLine.ExitCode.USAGE;
  }

  private void print(Explanation explanation) throws JsonProcessingException {
    var out = spec.commandLine().getOut();
    switch (output.format()) {
      case text -> {
        out.printf("%s: %s%n", explanation.subject(), explanation.sentence());
        explanation.evidence().forEach(line -> out.println("  " + line));
        if (!explanation.remedy().isEmpty()) {
          out.println("  -> " + explanation.remedy());
        }
      }
      case json -> {
        var document = new LinkedHashMap<String, Object>();
        document.put("version", 1);
        document.put("subject", explanation.subject());
        document.put("sentence", explanation.sentence());
        document.put("evidence", explanation.evidence());
        document.put("remedy", explanation.remedy());
        document.put("well", explanation.isWell());
        OutputOptions.printJson(document, out);
      }
    }
    out.flush();
  }
}
