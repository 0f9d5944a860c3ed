package io.muster.deploy.doctor;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.deploy.config.ClusterOptions;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.console.OutputOptions;
import io.muster.deploy.serve.ClusterAccess;
import io.muster.extender.kube.watch.EveryNode;
import io.muster.extender.kube.watch.QueueFeed;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster doctor}: looks at everything that gangs depend on, and changes nothing. */
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description = {
      "Looks for what keeps gangs from starting whole, and says what to do. Changes nothing.",
      "Give it the settings of serve with --config, if they are not the defaults."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:no problem was found",
      "1:a problem was found",
      "2:wrong use, or no cluster"
    })
public final class DoctorCommand extends ConsoleCommand {

  private static final InstantSource CLOCK = InstantSource.system();
  private static final int OUTPUT_VERSION = 1;

  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Option(
      names = "--scheduler-config",
      paramLabel = "FILE",
      description =
          "What kube-scheduler gets with --config; else what its pods mount is looked for.")
  private Optional<Path> scheduler = Optional.empty();

  @Option(
      names = "--before-install",
      description =
          "Looks only at the definitions that an installation would take over, whose they are, and"
              + " whether what is stored fits.")
  private boolean beforeInstall;

  @Override
  protected int run() throws JsonProcessingException {
    var settings = cluster.config();
    List<Finding> findings;
    try (var client = ClusterAccess.forCommand(settings)) {
      // Where nobody answers, no check could tell anything.
      client.getKubernetesVersion();
      findings =
          (beforeInstall ? beforeInstall(client) : examinations(client, settings))
              .stream().flatMap(examination -> examination.made().stream()).toList();
    }
    var document = new LinkedHashMap<String, Object>();
    document.put("version", OUTPUT_VERSION);
    document.put("findings", findings);
    output.print(out(), lines(findings), document);
    return findings.stream().anyMatch(Finding::isProblem) ? 1 : 0;
  }

  /** Read once for all checks; by each of them again while that fails. */
  private static final class Nodes {

    private final KubernetesClient client;
    private Optional<List<Node>> read = Optional.empty();

    Nodes(KubernetesClient client) {
      this.client = client;
    }

    List<Node> all() {
      if (read.isEmpty()) {
        read = Optional.of(EveryNode.lean(client));
      }
      return read.get();
    }
  }

  private static List<Examination> beforeInstall(KubernetesClient client) {
    return List.of(new Examination("before-install", new BeforeInstall(client)::findings));
  }

  private List<Examination> examinations(KubernetesClient client, Config settings) {
    var definitions = new Definitions(client, settings.texts(Setting.JOB_KINDS));
    Supplier<List<String>> jobs =
        () ->
            definitions.kinds().stream()
                .filter(settings.texts(Setting.JOB_KINDS)::contains)
                .toList();
    var nodes = new Nodes(client);
    var standing = new Standing(client, settings, CLOCK);
    return List.of(
        new Examination("clock", standing::clocks),
        new Examination("lease", standing::leader),
        new Examination("heap", () -> new Heap(client, standing.leaderPod()).findings()),
        new Examination("definitions", definitions::findings),
        new Examination(
            "rights",
            () -> new Rights(client, settings.text(Setting.NAMESPACE)).findings(jobs.get())),
        new Examination("certificates", () -> new Trust(client, settings, CLOCK).findings()),
        new Examination("registration", () -> new Registered(client, settings).findings()),
        new Examination("policies", () -> new RegisteredPolicies(client).ofJobs(jobs.get())),
        new Examination("scheduler", () -> scheduler(client, settings, nodes)),
        new Examination(
            "scheduler.service",
            () -> new SchedulerRoute(client, settings).findings(standing.leaderPod())),
        new Examination(
            "promise", () -> StartPromise.findings(client, settings.rules().placement())),
        new Examination("devices", () -> new Devices(nodes.all()).findings()),
        new Examination("devices.dra", () -> DraDevices.findings(client)),
        new Examination("devices.nvlink", () -> NvlinkDomains.findings(client, nodes.all())),
        new Examination("queues", () -> queues(client, settings).findings()),
        new Examination("topology", () -> NetworkLevels.findings(client, settings, nodes.all())),
        new Examination("gangs", () -> new GangChecks(client, settings, CLOCK).findings()),
        new Examination("members", () -> new PodChecks(client, settings).findings()));
  }

  private static QueueDocument queues(KubernetesClient client, Config settings) {
    return new QueueDocument(
        Optional.ofNullable(
            client
                .configMaps()
                .inNamespace(settings.text(Setting.NAMESPACE))
                .withName(QueueFeed.NAME)
                .get()));
  }

  private List<Finding> scheduler(KubernetesClient client, Config settings, Nodes nodes) {
    var found =
        new SchedulersFound(
            client, settings, nodes.all().size(), new SchedulerRoute(client, settings).addresses());
    return scheduler.map(found::in).orElseGet(found::inCluster);
  }

  private static List<String> lines(List<Finding> findings) {
    var lines = new ArrayList<String>();
    for (var finding : findings) {
      lines.add(
          "%-12s %s: %s".formatted(finding.outcome().words(), finding.check(), finding.evidence()));
      if (!finding.remedy().isEmpty()) {
        lines.add("%-12s   -> %s".formatted("", finding.remedy()));
      }
    }
    lines.add(summary(findings));
    return lines;
  }

  private static String summary(List<Finding> findings) {
    return "%d checks, %d problems, %d could not be told"
        .formatted(
            findings.size(),
            findings.stream().filter(Finding::isProblem).count(),
            findings.stream().filter(one -> one.outcome() == Finding.Outcome.CANNOT_TELL).count());
  }
}
