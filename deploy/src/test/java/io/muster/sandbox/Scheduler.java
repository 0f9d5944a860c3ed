package io.muster.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * kube-scheduler, plain or with Muster as its extender; it may be killed and started again, alone.
 * Its configuration is one of those shipped in {@code deploy/scheduler}, with the sandbox's own
 * addresses and files. Not safe for concurrent use.
 */
public final class Scheduler {

  private static final Duration READY_LIMIT = Duration.ofSeconds(60);

  private static final String SHARED = "shared-scheduler.yaml";
  private static final String SECOND = "second-scheduler.yaml";

  private final Path template;
  private final String name;
  private final StateDirectory state;
  private final int port = Ports.free();
  private final List<String> command;
  private ManagedProcess process;

  private Scheduler(
      Layout layout, Programs programs, SandboxOptions options, String name, String template) {
    this.template = layout.deploy().resolve("scheduler").resolve(template);
    this.name = name;
    this.state = options.state();
    command = new ArrayList<>();
    command.add(programs.path(Program.SCHEDULER).toString());
    command.addAll(
        List.of(
            "--config=" + configuration(),
            "--cert-dir=" + state.file(name),
            "--bind-address=127.0.0.1",
            "--secure-port=" + port,
            "--authentication-skip-lookup=true"));
    command.addAll(options.flags(Program.SCHEDULER));
    this.process = new ManagedProcess(name, state, command);
  }

  /** The one for all pods. */
  static Scheduler shared(Layout layout, Programs programs, SandboxOptions options) {
    return new Scheduler(layout, programs, options, Program.SCHEDULER.file(), SHARED);
  }

  /** One beside it, for the pods that name it. */
  static Scheduler second(Layout layout, Programs programs, SandboxOptions options) {
    return new Scheduler(layout, programs, options, "second-scheduler", SECOND);
  }

  /** Starts it with this extender, or plain without one, and returns when it schedules. */
  public void start(Optional<ExtenderEndpoint> extender) {
    start(extender, Map.of());
  }

  /** The same with these keys of its configuration in place of those shipped. */
  public void start(Optional<ExtenderEndpoint> extender, Map<String, Integer> keys) {
    configure(extender, keys);
    restart();
  }

  /** Kills it if it runs; from its next start on it has these flags beside its own. */
  public void kill(List<String> moreFlags) {
    process.kill();
    var all = new ArrayList<>(command);
    all.addAll(moreFlags);
    process = new ManagedProcess(name, state, all);
  }

  /** Kills it if it runs, and starts it as it was configured last. */
  public void restart() {
    process.kill();
    process.start();
    Await.until(
        "kube-scheduler to be ready",
        READY_LIMIT,
        () -> {
          process.requireAlive();
          return Readiness.answers("https://127.0.0.1:" + port + "/readyz", certificate());
        });
  }

  /** SIGKILL, and wait for the exit. */
  public void kill() {
    process.kill();
  }

  /** Its metrics, as Prometheus reads them; the sandbox must allow them to be read. */
  public String metricsUrl() {
    return "https://127.0.0.1:" + port + "/metrics";
  }

  /** What a caller has to trust, a PEM file. */
  public Path certificate() {
    return state.file(name).resolve("kube-scheduler.crt");
  }

  /** For signals, the log and the pid. */
  public ManagedProcess process() {
    return process;
  }

  private void configure(Optional<ExtenderEndpoint> extender, Map<String, Integer> keys) {
    try {
      var yaml = new YAMLMapper();
      var document = (ObjectNode) yaml.readTree(template.toFile());
      document.withObject("/clientConnection").put("kubeconfig", state.kubeconfig().toString());
      // There is one: after each restart it would wait for the lease of its own last life to end.
      document.withObject("/leaderElection").put("leaderElect", false);
      extender.ifPresentOrElse(
          endpoint -> point((ObjectNode) document.withArray("extenders").get(0), endpoint),
          () -> {
            document.remove("extenders");
            // Needed by Muster alone: a cluster without it samples nodes.
            document.remove("percentageOfNodesToScore");
          });
      keys.forEach(document::put);
      Files.writeString(configuration(), yaml.writeValueAsString(document));
    } catch (IOException e) {
      throw new SandboxException("The configuration of kube-scheduler cannot be made.", e);
    }
  }

  private static void point(ObjectNode extender, ExtenderEndpoint endpoint) {
    extender.put("urlPrefix", endpoint.urlPrefix());
    if (endpoint.urlPrefix().startsWith("https:")) {
      extender
          .withObject("/tlsConfig")
          .put("caFile", endpoint.ca().toString())
          .put("certFile", endpoint.certificate().toString())
          .put("keyFile", endpoint.key().toString());
    } else {
      extender.put("enableHTTPS", false);
      extender.remove("tlsConfig");
    }
  }

  private Path configuration() {
    return state.file(name + ".yaml");
  }
}
