package io.muster.deploy.mutate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.zjsonpatch.JsonPatch;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.yaml.MalformedYamlException;
import io.muster.extender.yaml.YamlReading;
import io.muster.webhook.core.Admission;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.profile.Rulebook;
import io.muster.webhook.core.rendezvous.KnownKinds;
import io.muster.webhook.json.InvalidProfilesException;
import io.muster.webhook.json.MalformedPodException;
import io.muster.webhook.json.PatchJson;
import io.muster.webhook.json.PodReading;
import io.muster.webhook.json.ProfilesReading;
import io.muster.webhook.port.NamespaceLabels;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code muster mutate}: shows what pods would get before they are stored, by the rules of the
 * webhook. Needs no cluster. Places, gates and what namespaces forbid are not known here.
 */
@Command(
    name = "mutate",
    mixinStandardHelpOptions = true,
    description = "Prints pods as they would be stored, and why. Needs no cluster.",
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:all pods may be stored", "1:a pod would be refused", "2:bad input"})
public final class MutateCommand extends ConsoleCommand {

  /** Every text in quotes: what looks like a number to one reader of YAML does not to another. */
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .build();

  /** What to print. */
  enum Output {
    yaml,
    explain
  }

  @Option(
      names = {"-f", "--filename"},
      required = true,
      paramLabel = "FILE",
      description = "Manifests of pods, workloads or lists of them; - for standard input.")
  private String file = "";

  @Option(
      names = "--profiles",
      paramLabel = "FILE",
      description = "Profiles, or the ConfigMap that holds them; else the built-in ones.")
  private Optional<Path> profiles = Optional.empty();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      defaultValue = "default",
      description = "Of objects that name none. Default: ${DEFAULT-VALUE}")
  private String namespace = "default";

  @Option(
      names = "--schedulers",
      split = ",",
      paramLabel = "NAME",
      defaultValue = "default-scheduler,muster-scheduler",
      description = "As in the settings of serve. Default: ${DEFAULT-VALUE}")
  private Set<String> schedulers = Set.of("default-scheduler", "muster-scheduler");

  @Option(
      names = {"-o", "--output"},
      defaultValue = "yaml",
      description = "${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
  private Output output = Output.yaml;

  @Override
  protected int run() {
    try {
      var rules = rules();
      var pods = Manifests.read(Manifests.text(file), namespace);
      if (pods.isEmpty()) {
        return complain(file + ": no pod and no template of one is in it");
      }
      boolean allowed = true;
      for (var pod : pods) {
        allowed &= show(pod, rules);
      }
      return allowed ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    } catch (InvalidProfilesException e) {
      e.problems().forEach(problem -> warn(profiles.orElseThrow() + ": " + problem));
      return CommandLine.ExitCode.USAGE;
    } catch (Manifests.UnreadableException e) {
      return complain(file + ": " + e.getMessage());
    } catch (IOException e) {
      return complain(e.getMessage() + ": cannot be read");
    }
  }

  private Rulebook rules() throws InvalidProfilesException, IOException {
    var reading = new ProfilesReading(schedulers);
    if (profiles.isEmpty()) {
      return reading.defaults();
    }
    var text = Files.readString(profiles.get());
    return reading.read(held(text).orElse(text));
  }

  /** The document inside a ConfigMap, where it is one. */
  private static Optional<String> held(String text) {
    try {
      var object = new YamlReading().first(text);
      return object.path("kind").asText().equals("ConfigMap")
          ? Optional.of(object.path("data").path("profiles.yaml").asText())
          : Optional.empty();
    } catch (MalformedYamlException _) {
      return Optional.empty();
    }
  }

  /** Whether the pod may be stored. */
  private boolean show(PodTemplate template, Rulebook rules) throws IOException {
    var out = out();
    Admission admission;
    try {
      admission = admission(template.pod(), rules);
    } catch (MalformedPodException e) {
      warn(template.origin() + ": " + e.getMessage());
      return false;
    }
    switch (admission) {
      case Admission.Denied(_, var message) -> {
        warn(template.origin() + " would be refused: " + message);
        return false;
      }
      case Admission.Allowed allowed -> {
        allowed.warnings().forEach(warning -> warn(template.origin() + ": warning: " + warning));
        switch (output) {
          case yaml -> print(out, template, allowed);
          case explain -> explain(out, template.origin(), allowed);
        }
        return true;
      }
    }
  }

  private static Admission admission(JsonNode pod, Rulebook rules) throws MalformedPodException {
    var reading =
        new PodReading(new PodConverter(new DialectDetector()), InstantSource.fixed(Instant.EPOCH));
    var sources = new PodAdmission.Sources(() -> rules, KnownKinds.ALL, NamespaceLabels.UNKNOWN);
    return new PodAdmission(sources).admit(reading.facts(reading.sent(pod, "")));
  }

  private static void print(PrintWriter out, PodTemplate template, Admission.Allowed allowed)
      throws IOException {
    out.println("---");
    out.println("# " + template.origin());
    out.print(
        YAML.writeValueAsString(JsonPatch.apply(PatchJson.of(allowed.patch()), template.pod())));
    out.flush();
  }

  private static void explain(PrintWriter out, String origin, Admission.Allowed allowed) {
    out.println(origin);
    if (allowed.edits().isEmpty()) {
      out.println("  stays as it is");
    }
    for (var edit : allowed.edits()) {
      var step = PatchJson.of(edit.op());
      var value = step.has("value") ? " " + step.path("value") : "";
      out.printf(
          "  %s %s%s%n    profile %s, rule %s: %s%n",
          step.path("op").asText(),
          step.path("path").asText(),
          value,
          edit.profile(),
          edit.rule().code(),
          edit.rule().why());
    }
    out.flush();
  }
}
