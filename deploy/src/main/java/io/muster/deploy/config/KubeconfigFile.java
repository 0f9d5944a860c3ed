package io.muster.deploy.config;

import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A kubeconfig that names a cluster. The client would take one that does not for none at all, and
 * look for a cluster elsewhere. Immutable.
 */
public record KubeconfigFile(File file) {

  /** Whether it is a pipe, as a shell gives for {@code <(...)}, or a device: read it once. */
  public boolean isPipe() {
    return file.exists() && !file.isFile() && !file.isDirectory();
  }

  /**
   * The file, which is one.
   *
   * @throws InvalidConfigException if it is not; the message says why
   */
  public File checked() {
    var _ = text();
    return file;
  }

  /**
   * What is in it, which is one; of a pipe it can be read once.
   *
   * @throws InvalidConfigException if it is not; the message says why
   */
  public String text() {
    String text;
    try {
      text = new String(Files.readAllBytes(file.toPath()), StandardCharsets.UTF_8);
    } catch (IOException _) {
      throw refusal("cannot be read");
    }
    problem(text)
        .ifPresent(problem -> {
          throw refusal(problem);
        });
    return text;
  }

  private InvalidConfigException refusal(String problem) {
    return new InvalidConfigException(List.of("kubeconfig: %s %s".formatted(file, problem)));
  }

  private static Optional<String> problem(String text) {
    if (text.isEmpty()) {
      return Optional.of("is empty");
    }
    try {
      return problem(Serialization.unmarshal(text, Config.class));
    } catch (RuntimeException _) {
      // By what is wrong, the client or its parser throws one kind or another.
      return Optional.of("is no YAML of a kubeconfig");
    }
  }

  private static Optional<String> problem(Config read) {
    if (read == null || read.getCurrentContext() == null || read.getCurrentContext().isEmpty()) {
      return Optional.of("names no current-context");
    }
    return Stream.ofNullable(read.getContexts())
            .flatMap(List::stream)
            .filter(Objects::nonNull)
            .map(NamedContext::getName)
            .anyMatch(read.getCurrentContext()::equals)
        ? Optional.empty()
        : Optional.of(
            "has no context %s, which its current-context names"
                .formatted(read.getCurrentContext()));
  }
}
