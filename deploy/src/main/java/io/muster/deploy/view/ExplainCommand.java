package io.muster.deploy.view;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.console.OutputOptions;
import io.muster.deploy.serve.ClusterAccess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

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
public final class ExplainCommand extends ConsoleCommand {

  private static final Set<String> GANGS_AND_PODS = Set.of("gang", "gangs", "pod", "pods");

  @Mixin private ViewOptions options = new ViewOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Parameters(
      paramLabel = "KIND/NAME",
      description =
          "gang/NAME, pod/NAME or job/NAME. A gang is called as it is or like its object; a job is"
              + " of any kind that Muster knows;"
              + " trainingjob/NAME, dijobs/NAME and the like ask for that kind.")
  private String subject = "";

  @Override
  protected int run() throws NoAnswerException, InterruptedException, IOException {
    int slash = subject.indexOf('/');
    if (slash < 1 || slash == subject.length() - 1) {
      return complain("%s names nothing: say gang/NAME, pod/NAME or job/NAME".formatted(subject));
    }
    var kind = subject.substring(0, slash).toLowerCase(Locale.ROOT);
    var name = subject.substring(slash + 1);
    if (!GANGS_AND_PODS.contains(kind) && !isJob(kind)) {
      return complain(
          "%s is no kind that is explained: say gang/NAME, pod/NAME, or job/NAME of a Job, TrainingJob, ElasticJob or DIJob"
              .formatted(kind));
    }
    var settings = options.settings();
    var namespace = options.namespace(settings);
    if (options.isOfFile()) {
      return isJob(kind)
          ? complain("jobs are not in a snapshot: ask about gang/NAME or pod/NAME")
          : answer(new Explaining(new FileSight(options.view(settings))), kind, namespace, name);
    }
    try (var client = ClusterAccess.forReading(settings)) {
      var sight = new LiveSight(client, settings);
      int code = answer(new Explaining(sight), kind, namespace, name);
      sight.blindness().ifPresent(why -> warn("not all can be told: " + why));
      return code;
    }
  }

  /** A kind or a plural as kubectl takes it, with its group or without. */
  private static boolean isJob(String kind) {
    var word = kind.replaceFirst("\\..*", "");
    return word.endsWith("job") || word.endsWith("jobs");
  }

  private int answer(Explaining explaining, String kind, String namespace, String name)
      throws JsonProcessingException {
    Optional<Explanation> found =
        switch (kind) {
          case "gang", "gangs" -> explaining.gang(namespace, name);
          case "pod", "pods" -> explaining.pod(namespace, name);
          default -> explaining.job(namespace, kind, name);
        };
    if (found.isEmpty()) {
      return complain(
          "there is no %s in namespace %s that could be explained".formatted(subject, namespace));
    }
    print(found.get());
    return found.get().isWell() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private void print(Explanation explanation) throws JsonProcessingException {
    var lines = new ArrayList<String>();
    lines.add(explanation.subject() + ": " + explanation.sentence());
    explanation.evidence().forEach(line -> lines.add("  " + line));
    if (!explanation.remedy().isEmpty()) {
      lines.add("  -> " + explanation.remedy());
    }
    var document = new LinkedHashMap<String, Object>();
    document.put("version", 1);
    document.put("subject", explanation.subject());
    document.put("sentence", explanation.sentence());
    document.put("evidence", explanation.evidence());
    document.put("remedy", explanation.remedy());
    document.put("well", explanation.isWell());
    output.print(out(), lines, document);
  }
}
