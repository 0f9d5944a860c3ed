package io.muster.deploy.certs;

import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which cluster, and whose certificates in it: the settings of serve, or two of them by hand. */
final class ClusterOptions {

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

  Config config() {
    var variables = new HashMap<>(System.getenv());
    kubeconfig.ifPresent(path -> variables.put(Setting.KUBECONFIG.variable(), path));
    namespace.ifPresent(name -> variables.put(Setting.NAMESPACE.variable(), name));
    // The commands print what they have to say; the log is for the running program.
    System.setProperty("logback.configurationFile", "logback-quiet.xml");
    return Config.load(file, variables);
  }
}
