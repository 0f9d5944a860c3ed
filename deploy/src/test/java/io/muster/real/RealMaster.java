package io.muster.real;

import io.muster.sandbox.Await;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * DLRover's own master as a process of this machine, with the rights that Muster gives its account
 * and no others. It ends with this JVM. Confined to the thread that plays.
 */
final class RealMaster implements AutoCloseable {

  private static final String ACCOUNT = "muster-dlrover-master";
  private static final Duration EXIT_LIMIT = Duration.ofSeconds(20);

  private final Process process;
  private final Path log;

  private RealMaster(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * @param programs the folder in which {@code python} is the one that knows DLRover
   * @param command as it stands in the master's pod
   */
  static RealMaster start(Sandbox sandbox, String namespace, Path programs, List<String> command) {
    var log = sandbox.state().log("master-" + namespace);
    var kubeconfig = sandbox.state().file("kubeconfig-" + namespace);
    var line = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL", "--"));
    line.addAll(command);
    var builder =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .directory(sandbox.state().root().toFile());
    var environment = builder.environment();
    environment.put("PATH", programs + ":" + environment.get("PATH"));
    environment.put("KUBECONFIG", kubeconfig.toString());
    environment.put("POD_IP", "127.0.0.1");
    // A proxy of the surroundings must not stand between processes on loopback.
    environment.put("NO_PROXY", "127.0.0.1,localhost");
    environment.put("no_proxy", "127.0.0.1,localhost");
    try {
      Files.writeString(kubeconfig, kubeconfig(sandbox, namespace));
      return new RealMaster(builder.start(), log);
    } catch (IOException e) {
      throw new SandboxException("The master cannot be started: " + e.getMessage(), e);
    }
  }

  /** Of a caller with the rights of the master. */
  static String kubeconfig(Sandbox sandbox, String namespace) {
    var token = sandbox.kubectl("create", "token", ACCOUNT, "-n", namespace).strip();
    return sandbox.kubeconfig(sandbox.server(), token);
  }

  /** How it ended, once it has. */
  OptionalInt exitCode() {
    return process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
  }

  /** All that it has printed. */
  String output() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new SandboxException(log + " cannot be read.", e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    Await.until("the end of the master", EXIT_LIMIT, () -> !process.isAlive());
  }
}
