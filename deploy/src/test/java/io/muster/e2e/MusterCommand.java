package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The commands of {@code muster} as a user runs them: the jar, a kubeconfig, a process. */
public final class MusterCommand {

  /** A command that takes so long hangs; before that, the machine is busy. */
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final Sandbox sandbox;
  private final Path kubeconfig;

  public MusterCommand(Sandbox sandbox) {
    this(sandbox, sandbox.state().kubeconfig());
  }

  private MusterCommand(Sandbox sandbox, Path kubeconfig) {
    this.sandbox = sandbox;
    this.kubeconfig = kubeconfig;
  }

  /** How it ended, and what it printed on either stream. */
  public record Ran(int code, String said) {}

  /** The same with the rights of somebody else. */
  public MusterCommand as(Path otherKubeconfig) {
    return new MusterCommand(sandbox, otherKubeconfig);
  }

  /** Runs it and returns what it says; it must succeed. */
  public String said(String... arguments) throws IOException, InterruptedException {
    var ran = run(arguments);
    assertThat(ran.code()).as(ran.said()).isZero();
    return ran.said();
  }

  /** Runs it, however it ends. */
  public Ran run(String... arguments) throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    // As the process was started that the JVM has learned from.
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders"));
    command.addAll(sandbox.layout().learned());
    command.addAll(List.of("-jar", sandbox.musterJar().toString()));
    command.addAll(List.of(arguments));
    command.addAll(List.of("--kubeconfig", kubeconfig.toString()));
    return process(command);
  }

  /** Runs a script in which {@code kubectl} is there; it must succeed. */
  public String script(String text) throws IOException, InterruptedException {
    var ran = process(List.of("bash", "-euc", "kubectl() { \"$KUBECTL\" \"$@\"; }\n" + text));
    assertThat(ran.code()).as(ran.said()).isZero();
    return ran.said();
  }

  private Ran process(List<String> command) throws IOException, InterruptedException {
    var output = Files.createTempFile("muster-command", ".txt");
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(output.toFile());
    builder.environment().put("KUBECONFIG", kubeconfig.toString());
    builder.environment().put("KUBECTL", Files.readString(sandbox.state().file("kubectl")).strip());
    var process = builder.start();
    assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    var said = Files.readString(output);
    Files.delete(output);
    return new Ran(process.exitValue(), said);
  }
}
