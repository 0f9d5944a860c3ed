package io.muster.sandbox;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Muster as a process of its own: {@code java -jar muster.jar serve --config FILE}, under its own
 * service account. It keeps its ports and files over restarts. Not safe for concurrent use.
 */
public final class MusterProcess {

  /** What it says of where it is, though it is elsewhere. */
  public static final String ADVERTISED = "192.0.2.7";

  /** For tests, whose processes end before the second compiler has paid. */
  private static final List<String> MORE_JVM_ARGUMENTS =
      Pattern.compile(" ")
          .splitAsStream(System.getProperty("muster.sandbox.jvm", ""))
          .filter(argument -> !argument.isEmpty())
          .toList();

  private static final Duration READY_LIMIT = Duration.ofSeconds(60);

  private final Sandbox sandbox;
  private final MusterInstallation installation;
  private final MusterOptions options;
  private final int extenderPort = Ports.free();
  private final int webhookPort = Ports.free();
  private final int healthPort = Ports.free();
  private final int diPort = Ports.free();
  private final ManagedProcess process;

  MusterProcess(Sandbox sandbox, MusterInstallation installation, MusterOptions options) {
    this.sandbox = sandbox;
    this.installation = installation;
    this.options = options;
    writeConfiguration();
    var command = new ArrayList<>(launcher(sandbox, options));
    command.addAll(List.of("serve", "--config", configuration().toString()));
    this.process = new ManagedProcess(options.name(), sandbox.state(), command);
  }

  private static List<String> launcher(Sandbox sandbox, MusterOptions options) {
    if (!options.launcher().isEmpty()) {
      return options.launcher();
    }
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Early in the command line, where the sandbox finds out whose process this is.
    command.add("-Dmuster.sandbox=" + sandbox.state().root());
    command.add("@" + sandbox.layout().jvmOptions());
    command.addAll(learned(sandbox.layout(), options));
    command.addAll(MORE_JVM_ARGUMENTS);
    command.addAll(options.jvmArguments());
    command.addAll(List.of("-jar", sandbox.layout().musterJar().toString()));
    return command;
  }

  private static List<String> learned(Layout layout, MusterOptions options) {
    return options.jvmArguments().stream().anyMatch(given -> given.startsWith("-XX:AOT"))
        ? List.of()
        : layout.learned();
  }

  /** Starts it, again if need be, on the same ports; returns when it is ready. */
  public void start() {
    launch();
    awaitReady(READY_LIMIT);
  }

  /** Starts it without waiting: for tests that look at the time before it is ready. */
  public void launch() {
    if (!Files.isRegularFile(sandbox.layout().musterJar())) {
      throw new SandboxException("deploy/target/muster.jar is missing: run mvn package first.");
    }
    process.start();
  }

  public void awaitReady(Duration limit) {
    Await.until(
        "Muster to be ready",
        limit,
        () -> {
          process.requireAlive();
          return isReady();
        });
  }

  /** Whether it answers 200 on /readyz now. */
  public boolean isReady() {
    return Readiness.answers(healthUrl() + "/readyz");
  }

  /** How many bind calls it holds now, as its metrics say; 0 if it does not answer. */
  public int heldBinds() {
    return metric("muster_bind_barrier_held").map(Double::intValue).orElse(0);
  }

  /** The value of a series, such as {@code muster_gangs{phase="waiting"}}; empty without it. */
  public Optional<Double> metric(String series) {
    return Readiness.answer(healthUrl() + "/metrics")
        .flatMap(text -> text.lines().filter(line -> line.startsWith(series + " ")).findFirst())
        .map(line -> Double.parseDouble(line.substring(series.length() + 1)));
  }

  /** The values of all series of that name by their labels; empty if it does not answer. */
  public Map<String, Double> metrics(String name) {
    var values = new LinkedHashMap<String, Double>();
    Readiness.answer(healthUrl() + "/metrics").stream()
        .flatMap(String::lines)
        .filter(line -> line.startsWith(name + "{"))
        .forEach(line ->
            values.put(
                line.substring(name.length(), line.lastIndexOf(' ')),
                Double.valueOf(line.substring(line.lastIndexOf(' ') + 1))));
    return values;
  }

  /** The values of all series by the text that names them; empty if it does not answer. */
  public Map<String, Double> allMetrics() {
    var values = new LinkedHashMap<String, Double>();
    Readiness.answer(healthUrl() + "/metrics").stream()
        .flatMap(String::lines)
        .filter(line -> !line.startsWith("#"))
        .forEach(line ->
            values.put(
                line.substring(0, line.lastIndexOf(' ')),
                Double.valueOf(line.substring(line.lastIndexOf(' ') + 1))));
    return values;
  }

  /** SIGKILL, and wait for the exit. */
  public void kill() {
    process.kill();
  }

  /** SIGTERM, and wait for the exit. */
  public void terminate(Duration limit) {
    process.terminate(limit);
  }

  /** SIGSTOP: connections stay open and nothing is answered. */
  public void freeze() {
    process.freeze();
  }

  /** SIGCONT. */
  public void resume() {
    process.resume();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  public Path log() {
    return process.log();
  }

  /** {@code https://127.0.0.1:PORT/v1}. */
  public String extenderUrl() {
    return "https://127.0.0.1:" + extenderPort + "/v1";
  }

  public String webhookUrl() {
    return "https://127.0.0.1:" + webhookPort;
  }

  /** The server for DIJobs, plain HTTP. */
  public String diUrl() {
    return "http://127.0.0.1:" + diPort;
  }

  /** Health, readiness and metrics, plain HTTP. */
  public String healthUrl() {
    return "http://127.0.0.1:" + healthPort;
  }

  /** How kube-scheduler reaches it, with the identity Muster made for it. */
  public ExtenderEndpoint endpoint() {
    return installation.schedulerIdentity(
        extenderUrl(), sandbox.state().file(options.name() + "-scheduler-client"));
  }

  private void writeConfiguration() {
    var kubeconfig = sandbox.state().file(options.name() + ".kubeconfig");
    Map<String, Object> keys = new LinkedHashMap<>();
    keys.put("kubeconfig", kubeconfig.toString());
    keys.put("namespace", MusterInstallation.NAMESPACE);
    keys.put("bindAddress", "127.0.0.1");
    keys.put("extenderPort", extenderPort);
    keys.put("webhookPort", webhookPort);
    keys.put("healthPort", healthPort);
    keys.put("diPort", diPort);
    // Pods have no addresses of their own here, so calls come from none of them.
    keys.put("diServerAccess", "open");
    // Kubernetes takes no loopback address for an endpoint, and nobody calls through it here.
    keys.put("advertiseAddress", ADVERTISED);
    keys.put("webhookUrl", webhookUrl());
    keys.putAll(options.configuration());
    try {
      Files.writeString(
          kubeconfig,
          sandbox.kubeconfig(options.server().orElse(sandbox.server()), installation.token()));
      Files.writeString(configuration(), new YAMLMapper().writeValueAsString(keys));
    } catch (IOException e) {
      throw new SandboxException("Muster's configuration cannot be written.", e);
    }
  }

  private Path configuration() {
    return sandbox.state().file(options.name() + ".yaml");
  }
}
