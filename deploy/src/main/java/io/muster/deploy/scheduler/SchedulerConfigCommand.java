package io.muster.deploy.scheduler;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.deploy.config.ClusterOptions;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.config.StatedTexts;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.install.InstallFiles;
import io.muster.deploy.serve.ClusterAccess;
import io.muster.deploy.serve.upkeep.LeaderEndpoint;
import io.muster.extender.yaml.MalformedYamlException;
import io.muster.extender.yaml.YamlReading;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster scheduler-config}: the configuration with which kube-scheduler asks Muster. */
@Command(
    name = "scheduler-config",
    mixinStandardHelpOptions = true,
    description = {
      "Prints the configuration with which the cluster's kube-scheduler asks Muster, and what is to"
          + " be done with it. Changes nothing.",
      "Give it the configuration that kube-scheduler has now with --existing: all of it is kept."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:the configuration is printed",
      "1:it cannot be had, and the message says why",
      "2:wrong use, or no cluster"
    })
public final class SchedulerConfigCommand extends ConsoleCommand {

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .build();

  /** Where Muster's calls begin. */
  private static final String VERSION = "/v1";

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(
      names = "--for",
      paramLabel = "DISTRIBUTION",
      defaultValue = "any",
      description =
          "Says what is to be done there: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
  private Distribution distribution = Distribution.any;

  @Option(
      names = "--existing",
      paramLabel = "FILE",
      description = "What kube-scheduler gets with --config now; without it the shipped one.")
  private Optional<Path> existing = Optional.empty();

  @Option(
      names = "--url",
      description =
          "Where kube-scheduler reaches Muster, such as https://10.96.3.4:9443; else the IP of the"
              + " Service muster-extender, since a static pod does not resolve cluster names.")
  private Optional<String> url = Optional.empty();

  @Option(
      names = "--folder",
      paramLabel = "FOLDER",
      defaultValue = "/etc/kubernetes/muster",
      description =
          "Where kube-scheduler finds ca.crt, tls.crt and tls.key. Default: ${DEFAULT-VALUE}")
  private String folder = "/etc/kubernetes/muster";

  @Override
  protected int run() throws IOException {
    var settings = cluster.config();
    if (!settings.rules().placement().isAsked()) {
      return refuse("placementMode is not extender: kube-scheduler need not ask Muster");
    }
    Optional<JsonNode> document;
    try {
      document =
          existing.isPresent()
              ? Optional.of(new YamlReading().first(Files.readString(existing.get())))
              : Optional.empty();
    } catch (MalformedYamlException e) {
      return refuse("%s: %s".formatted(existing.get(), e.getMessage()));
    } catch (IOException e) {
      return refuse("%s cannot be read: %s".formatted(existing.get(), e.getMessage()));
    }
    var stated = url.map(SchedulerConfigCommand::server);
    if (stated.isPresent() && !StatedTexts.isHttpsServer(stated.get())) {
      return refuse(
          "--url must be like https://10.96.3.4:9443, not \"%s\"".formatted(url.orElseThrow()));
    }
    var address = stated.or(() -> ofService(settings));
    if (address.isEmpty()) {
      return refuse(
          "Service %s/%s is not there, or has no IP: create it, or say --url"
              .formatted(settings.text(Setting.NAMESPACE), LeaderEndpoint.SERVICE));
    }
    var shipped = (ObjectNode) YAML.readTree(InstallFiles.sharedScheduler());
    return switch (MergedConfiguration.of(document, shipped, terms(settings, address.get()))) {
      case MergedConfiguration.Refused(var sentence) -> refuse(sentence);
      case MergedConfiguration.Merged(var merged, var warnings) -> {
        warnings.forEach(this::warn);
        print(merged);
        yield 0;
      }
    };
  }

  private MergedConfiguration.Terms terms(Config settings, String address) {
    return new MergedConfiguration.Terms(
        address + VERSION,
        "%s.%s.svc".formatted(LeaderEndpoint.SERVICE, settings.text(Setting.NAMESPACE)),
        folder,
        distribution.kubeconfig(),
        settings.seconds(Setting.SCHEDULER_HTTP_TIMEOUT).toSeconds(),
        settings.seconds(Setting.SCHEDULER_POD_MAX_BACKOFF).toSeconds());
  }

  /** Without what is put behind it: an urlPrefix that is there may be given as it is. */
  private static String server(String url) {
    var server = url.replaceAll("/+$", "");
    return server.endsWith(VERSION)
        ? server.substring(0, server.length() - VERSION.length())
        : server;
  }

  private static Optional<String> ofService(Config settings) {
    try (var client = ClusterAccess.forCommand(settings)) {
      return Optional.ofNullable(
              client
                  .services()
                  .inNamespace(settings.text(Setting.NAMESPACE))
                  .withName(LeaderEndpoint.SERVICE)
                  .get())
          .flatMap(service -> ServiceAddresses.of(service).stream().findFirst())
          .map(address -> "https://" + address);
    }
  }

  private void print(ObjectNode merged) throws JsonProcessingException {
    var out = out();
    out.println("# kube-scheduler with Muster as its extender.");
    out.println("#");
    distribution.steps(folder).forEach(line -> out.println("# " + line));
    out.print(YAML.writeValueAsString(merged));
    out.flush();
  }

  private int refuse(String sentence) {
    warn(sentence);
    return CommandLine.ExitCode.SOFTWARE;
  }
}
