package io.muster.deploy.config;

import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;

/**
 * A kubeconfig that names a cluster. The client would take one that does not for none at all, and
 * look for a cluster elsewhere. Immutable.
 */
public record KubeconfigFile(File file) {

  /**
   * The file, which is one.
   *
   * @throws InvalidConfigException if it is not; the message says why
   */
  public File checked() {
    problem()
        .ifPresent(problem -> {
          throw new InvalidConfigException(List.of("kubeconfig: %s %s".formatted(file, problem)));
        });
    return file;
  }

  private Optional<String> problem() {
    if (!file.isFile() || !file.canRead()) {
      return Optional.of("cannot be read");
    }
    Config read;
    if (file.length() == 0) {
      return Optional.of("is empty");
    }
    try (var text = Files.newInputStream(file.toPath())) {
      read = Serialization.unmarshal(text, Config.class);
    } catch (IOException | KubernetesClientException | IllegalArgumentException _) {
      return Optional.of("is no YAML of a kubeconfig");
    }
    if (read == null || read.getCurrentContext() == null || read.getCurrentContext().isEmpty()) {
      return Optional.of("names no current-context");
    }
    return read.getContexts().stream()
            .map(NamedContext::getName)
            .anyMatch(read.getCurrentContext()::equals)
        ? Optional.empty()
        : Optional.of(
            "has no context %s, which its current-context names"
                .formatted(read.getCurrentContext()));
  }
}
