package io.muster.sandbox;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where each program of the control plane lies. Rule, the same for every program: the first one in
 * KUBEBUILDER_ASSETS or on PATH that reports a fitting version (see {@link Program}); otherwise the
 * one built from go.mod into the cache, which is built now if it is not there yet. Immutable.
 */
public final class Programs {

  private static final Duration VERSION_LIMIT = Duration.ofSeconds(20);

  private final Map<Program, Path> paths;

  private Programs(Map<Program, Path> paths) {
    this.paths = Map.copyOf(paths);
  }

  /** Finds all programs, building what is missing; the first time this takes minutes. */
  public static synchronized Programs findOrBuild(Layout layout) {
    var module = GoModule.controlPlane(layout);
    var build = new GoBuild(module, layout.cache());
    var found = new EnumMap<Program, Path>(Program.class);
    var missing = EnumSet.noneOf(Program.class);
    for (Program program : Program.values()) {
      find(program, module.version())
          .or(() -> build.built(program))
          .ifPresentOrElse(path -> found.put(program, path), () -> missing.add(program));
    }
    if (!missing.isEmpty()) {
      found.putAll(build.build(missing));
    }
    return new Programs(found);
  }

  public Path path(Program program) {
    return paths.get(program);
  }

  private static Optional<Path> find(Program program, Version kubernetes) {
    return searchPath()
        .map(folder -> folder.resolve(program.file()))
        .filter(Files::isExecutable)
        .filter(path -> fits(program, path, kubernetes))
        .findFirst();
  }

  private static Stream<Path> searchPath() {
    var folders = new ArrayList<String>();
    Optional.ofNullable(System.getenv("KUBEBUILDER_ASSETS")).ifPresent(folders::add);
    folders.addAll(
        List.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(File.pathSeparator)));
    return folders.stream().filter(folder -> !folder.isBlank()).map(Path::of).distinct();
  }

  private static boolean fits(Program program, Path path, Version kubernetes) {
    var command = new ArrayList<String>();
    command.add(path.toString());
    command.addAll(program.versionArguments());
    try {
      var result = Command.run(VERSION_LIMIT, command);
      return result.exitCode() == 0
          && Version.firstIn(result.output())
              .filter(version -> program.accepts(version, kubernetes))
              .isPresent();
    } catch (SandboxException e) {
      // A program that cannot say its version is not used.
      return false;
    }
  }
}
