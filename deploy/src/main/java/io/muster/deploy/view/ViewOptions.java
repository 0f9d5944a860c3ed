package io.muster.deploy.view;

import io.muster.deploy.config.Config;
import io.muster.deploy.config.SettingsOptions;
import io.muster.deploy.serve.ClusterAccess;
import io.muster.extender.core.protocol.ClusterView;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a question is about: a cluster or a file, and a namespace in it. Confined to its thread. */
public final class ViewOptions {

  @Mixin private SettingsOptions settings = new SettingsOptions();

  @Option(
      names = "--muster-namespace",
      paramLabel = "NAME",
      description = "Where Muster runs; wins over the settings.")
  private Optional<String> ownNamespace = Optional.empty();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "Of what is asked about. Default: the kubeconfig's, else default.")
  private Optional<String> namespace = Optional.empty();

  @Option(
      names = "--snapshot",
      paramLabel = "FILE",
      description = "What muster snapshot wrote, in place of the cluster.")
  private Optional<Path> snapshot = Optional.empty();

  /** Those that the command goes by. */
  public Config settings() {
    return settings.config(ownNamespace);
  }

  /** Whether it is about a snapshot. */
  public boolean isOfFile() {
    return snapshot.isPresent();
  }

  /** The name of the snapshot without its folder; empty if none is given. */
  public String fileName() {
    return snapshot.map(Path::getFileName).map(Path::toString).orElse("");
  }

  /** Of the file if one is given, else of the cluster now. */
  public ClusterView view(Config settings)
      throws InterruptedException, ClusterSight.NoSightException {
    return snapshot.isPresent()
        ? ClusterSight.ofFile(snapshot.get())
        : ClusterSight.ofCluster(settings);
  }

  /** The namespace that is asked about. */
  public String namespace(Config settings) {
    return namespace.orElseGet(
        () -> snapshot.isPresent() ? "default" : ClusterAccess.defaultNamespace(settings));
  }
}
