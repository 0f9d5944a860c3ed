package io.muster.sandbox;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * kube-scheduler, plain or with Muster as its extender; it may be killed and started again, alone.
 * Its configuration is the one shipped in {@code deploy/scheduler/shared-scheduler.yaml}, with the
 * sandbox's own addresses and files. Not safe for concurrent use.
 */
public final class Scheduler {

  private static final Duration READY_LIMIT = Duration.ofSeconds(60);

  private final Path template;
  private final StateDirectory state;
  private final int port = Ports.free();
  private final ManagedProcess process;

  Scheduler(Layout layout, Programs programs, SandboxOptions options) {
    this.template = layout.deploy().resolve("scheduler/shared-scheduler.yaml");
    this.state = options.state();
    var command = new ArrayList<String>();
    command.add(programs.path(Program.SCHEDULER).toString());
    command.addAll(
        List.of(
            "--config=" + configuration(),
            "--cert-dir=" + state.file("scheduler"),
            "--bind-address=127.0.0.1",
            "--secure-port=" + port,
            "--authentication-skip-lookup=true"));
    command.addAll(options.flags(Program.SCHEDULER));
    this.process = new ManagedProcess(Program.SCHEDULER.file(), state, command);
  }

  /** Starts it with this extender, or plain without one, and returns when it schedules. */
  public void start(Optional<ExtenderEndpoint> extender) {
    configure(extender);
    restart();
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
          return Readiness.answers(
              "https://127.0.0.1:" + port + "/readyz",
              state.file("scheduler").resolve("kube-scheduler.crt"));
        });
  }

  /** SIGKILL, and wait for the exit. */
  public void kill() {
    process.kill();
  }

  /** For signals, the log and the pid. */
  public ManagedProcess process() {
    return process;
  }

  private void configure(Optional<ExtenderEndpoint> extender) {
    try {
      var yaml = new YAMLMapper();
      var document = (ObjectNode) yaml.readTree(template.toFile());
      document.withObject("/clientConnection").put("kubeconfig", state.kubeconfig().toString());
      extender.ifPresentOrElse(
          endpoint -> point((ObjectNode) document.withArray("extenders").get(0), endpoint),
          () -> document.remove("extenders"));
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
    return state.file("scheduler.yaml");
  }
}
