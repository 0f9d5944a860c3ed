package io.muster.deploy.config;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where a command finds the settings of serve. Confined to the thread that runs the command. */
public final class SettingsOptions {

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The settings of serve; MUSTER_CFG_* variables win over it.")
  private Optional<Path> file = Optional.empty();

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "Wins over the settings. Without any: KUBECONFIG, or the pod's own account.")
  private Optional<String> kubeconfig = Optional.empty();

  /**
   * The settings that a command goes by.
   *
   * @param namespace where Muster is, if its user says so
   */
  public Config config(Optional<String> namespace) {
    var variables = new HashMap<>(System.getenv());
    kubeconfig.ifPresent(path -> variables.put(Setting.KUBECONFIG.variable(), path));
    namespace.ifPresent(name -> variables.put(Setting.NAMESPACE.variable(), name));
    // The commands print what they have to say; the log is for the running program.
    System.setProperty("logback.configurationFile", "logback-quiet.xml");
    return Config.load(file, variables);
  }
}
