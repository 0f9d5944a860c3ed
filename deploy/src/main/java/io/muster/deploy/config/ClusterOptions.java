package io.muster.deploy.config;

import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Which cluster, and where in it Muster is: the settings of serve, or two of them by hand. Confined
 * to the thread that runs the command.
 */
public final class ClusterOptions {

  @Mixin private SettingsOptions settings = new SettingsOptions();

  @Option(
      names = {"-n", "--namespace"},
      description = "Where Muster and its Secrets are; wins over the settings.")
  private Optional<String> namespace = Optional.empty();

  /** The settings that a command goes by. */
  public Config config() {
    return settings.config(namespace);
  }
}
