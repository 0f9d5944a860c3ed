package io.muster.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Helm as its users call it. Built from deploy/sandbox/helm/go.mod into the cache when it is first
 * needed, always in that version, and it sees nothing of the user's own settings and plugins. Safe
 * for concurrent use.
 */
public final class Helm {

  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final Path program;
  private final Path home;
  private final Optional<Path> kubeconfig;

  private enum Built implements GoProgram {
    HELM;

    @Override
    public String file() {
      return "helm";
    }

    @Override
    public String goPackage() {
      return "helm.sh/helm/v3/cmd/helm";
    }

    @Override
    public String builtAs() {
      return "helm";
    }
  }

  private Helm(Path program, Path home, Optional<Path> kubeconfig) {
    this.program = program;
    this.home = home;
    this.kubeconfig = kubeconfig;
  }

  /** One that knows no cluster; the first time this takes minutes. */
  public static synchronized Helm findOrBuild(Layout layout) {
    var build = new GoBuild(GoModule.helm(layout), layout.cache());
    try {
      return new Helm(
          build.build(Set.of(Built.HELM)).get(Built.HELM),
          Files.createDirectories(layout.deploy().resolve("target/helm")),
          Optional.empty());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The same for a cluster. */
  public Helm on(Path cluster) {
    return new Helm(program, home, Optional.of(cluster));
  }

  /** Where it is, for who runs it by himself. */
  public Path program() {
    return program;
  }

  /** Runs it to its end, whatever that is. */
  public Command.Result run(List<String> arguments) {
    var command = new ArrayList<String>();
    command.add(program.toString());
    command.addAll(arguments);
    return Command.run(
        LIMIT,
        Map.of(
            "HELM_CACHE_HOME", home.resolve("cache").toString(),
            "HELM_CONFIG_HOME", home.resolve("config").toString(),
            "HELM_DATA_HOME", home.resolve("data").toString(),
            "KUBECONFIG", kubeconfig.map(Path::toString).orElse("/dev/null")),
        command);
  }

  /**
   * What it prints.
   *
   * @throws SandboxException with that, if it fails
   */
  public String output(List<String> arguments) {
    var result = run(arguments);
    if (result.exitCode() != 0) {
      throw new SandboxException(
          "helm %s failed: %s".formatted(String.join(" ", arguments), result.output()));
    }
    return result.output();
  }
}
