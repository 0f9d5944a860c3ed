package io.muster.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Builds programs of a {@link GoModule} into the cache, once per content of its go.mod. A program
 * appears in the cache by an atomic rename; a file lock keeps two builds apart.
 */
final class GoBuild {

  private static final Duration LIMIT = Duration.ofMinutes(40);
  private static final Duration PROGRESS = Duration.ofSeconds(10);
  private static final String LEFTOVER = "building-";

  private final GoModule module;
  private final Path bin;

  GoBuild(GoModule module, Path cache) {
    this.module = module;
    this.bin = cache.resolve(module.key()).resolve("bin");
  }

  Optional<Path> built(GoProgram program) {
    return Optional.of(bin.resolve(program.file())).filter(Files::isExecutable);
  }

  /** Where each of them lies, built now if it does not yet. */
  <P extends GoProgram> Map<P, Path> build(Set<P> programs) {
    try {
      Files.createDirectories(bin);
      try (var channel =
              FileChannel.open(
                  bin.resolveSibling("build.lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          var lock = channel.lock()) {
        // Another build may have done the work while this one waited for the lock.
        var missing = programs.stream().filter(program -> built(program).isEmpty()).toList();
        if (lock.isValid() && !missing.isEmpty()) {
          compile(missing);
        }
      }
    } catch (IOException e) {
      throw new SandboxException("The build cache " + bin + " cannot be written.", e);
    }
    return programs.stream()
        .collect(Collectors.toMap(program -> program, program -> bin.resolve(program.file())));
  }

  private void compile(List<? extends GoProgram> programs) throws IOException {
    requireGo();
    removeLeftovers();
    Path fresh = Files.createTempDirectory(bin.getParent(), LEFTOVER);
    Path log = bin.resolveSibling("build.log");
    var command =
        new ArrayList<>(
            List.of(
                "go",
                "build",
                "-trimpath",
                "-tags=" + module.tags(),
                "-ldflags=" + module.linkerFlags(),
                "-o",
                fresh + "/"));
    programs.stream().map(GoProgram::goPackage).forEach(command::add);
    var builder =
        new ProcessBuilder(command)
            .directory(module.folder().toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("GOWORK", "off");
    var process = builder.start();
    awaitBuild(process);
    if (process.exitValue() != 0) {
      throw new SandboxException(
          "go build of %s failed: %s (all of it in %s)"
              .formatted(module.what(), lastLine(log), log));
    }
    for (GoProgram program : programs) {
      Files.move(
          fresh.resolve(program.builtAs()),
          bin.resolve(program.file()),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    }
    removeLeftovers();
  }

  /** Also those of a build that was killed: the lock says that no other build runs. */
  private void removeLeftovers() throws IOException {
    try (var folders = Files.newDirectoryStream(bin.getParent(), LEFTOVER + "*")) {
      for (Path folder : folders) {
        try (var files = Files.newDirectoryStream(folder)) {
          for (Path file : files) {
            Files.delete(file);
          }
        }
        Files.delete(folder);
      }
    }
  }

  private void awaitBuild(Process process) {
    long start = System.nanoTime();
    var killer = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(killer);
    try {
      while (!process.waitFor(PROGRESS.toMillis(), TimeUnit.MILLISECONDS)) {
        var spent = Duration.ofNanos(System.nanoTime() - start);
        if (spent.compareTo(LIMIT) > 0) {
          throw new SandboxException(
              "go build of %s took more than %d minutes."
                  .formatted(module.what(), LIMIT.toMinutes()));
        }
        Console.say(
            "building %s, %d s so far; %s on 2 cores, once"
                .formatted(module.what(), spent.toSeconds(), module.effort()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("The build of " + module.what() + " was interrupted.", e);
    } finally {
      if (process.isAlive()) {
        process.destroyForcibly();
      }
      Runtime.getRuntime().removeShutdownHook(killer);
    }
  }

  private void requireGo() {
    Optional<Version> version;
    try {
      version =
          Version.firstIn(Command.run(Duration.ofSeconds(30), List.of("go", "version")).output());
    } catch (SandboxException e) {
      version = Optional.empty();
    }
    if (version.filter(found -> found.isAtLeast(1, 26)).isEmpty()) {
      throw new MissingToolException(
          "Go 1.26 or newer is needed once to build %s and ".formatted(module.what())
              + version.map(found -> "only Go " + found + " was found").orElse("was not found")
              + ": install it from https://go.dev/dl and put it on PATH, or point KUBEBUILDER_ASSETS"
              + " at a folder with ready programs.");
    }
  }

  private static String lastLine(Path log) {
    try {
      var lines = Files.readAllLines(log).stream().filter(line -> !line.isBlank()).toList();
      return lines.isEmpty() ? "it said nothing" : lines.getLast();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
