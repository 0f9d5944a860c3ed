package io.muster.deploy.config;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * Which cluster, and where in it Muster is: the settings of serve, or two of them by hand. Confined
 * to the thread that runs the command.
 */
public final class ClusterOptions {

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The settings of serve; MUSTER_CFG_* variables win over it.")
  private Optional<Path> file = Optional.empty();

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "Wins over both. Without any: KUBECONFIG, or the pod's own account.")
  private Optional<String> kubeconfig = Optional.empty();

  @Option(
      names = {"-n", "--namespace"},
      description = "Where Muster and its Secrets are; wins over both.")
  private Optional<String> namespace = Optional.empty();

  /** The settings that a command goes by. */
  public Config config() {
    return load(file, kubeconfig, namespace);
  }

  /**
   * The settings that a command goes by, for one that names its options otherwise.
   *
   * @param namespace where Muster is
   */
  public static Config load(
      Optional<Path> file, Optional<String> kubeconfig, Optional<String> namespace) {
    var variables = new HashMap<>(System.getenv());
    kubeconfig.ifPresent(path -> variables.put(Setting.KUBECONFIG.variable(), path));
    namespace.ifPresent(name -> variables.put(Setting.NAMESPACE.variable(), name));
    // The commands print what they have to say; the log is for the running program.
    System.setProperty("logback.configurationFile", "logback-quiet.xml");
    return Config.load(file, variables);
  }
}
