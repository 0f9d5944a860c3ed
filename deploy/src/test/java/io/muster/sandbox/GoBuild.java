package io.muster.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Builds programs of the control plane from deploy/sandbox/go.mod into the cache, once per content
 * of go.mod. A program appears in the cache by an atomic rename; a file lock keeps two builds
 * apart.
 */
final class GoBuild {

  private static final Duration LIMIT = Duration.ofMinutes(40);
  private static final Duration PROGRESS = Duration.ofSeconds(10);
  private static final String LEFTOVER = "building-";
  private static final Pattern KUBERNETES =
      Pattern.compile("^\\s*k8s\\.io/kubernetes (v\\S+)", Pattern.MULTILINE);

  private final Path sources;
  private final Path bin;
  private final String goMod;
  private final Version kubernetes;

  GoBuild(Layout layout) {
    this.sources = layout.sandbox();
    try {
      this.goMod = Files.readString(sources.resolve("go.mod"));
    } catch (IOException e) {
      throw new SandboxException("deploy/sandbox/go.mod cannot be read.", e);
    }
    var required = KUBERNETES.matcher(goMod);
    if (!required.find()) {
      throw new SandboxException("deploy/sandbox/go.mod names no version of k8s.io/kubernetes.");
    }
    this.kubernetes = Version.firstIn(required.group(1)).orElseThrow();
    this.bin = layout.cache().resolve(key()).resolve("bin");
  }

  /** The version of Kubernetes that go.mod names. */
  Version kubernetes() {
    return kubernetes;
  }

  Optional<Path> built(Program program) {
    return Optional.of(bin.resolve(program.file())).filter(Files::isExecutable);
  }

  Map<Program, Path> build(Set<Program> programs) {
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
    var paths = new EnumMap<Program, Path>(Program.class);
    for (Program program : programs) {
      paths.put(program, bin.resolve(program.file()));
    }
    return paths;
  }

  private void compile(List<Program> programs) throws IOException {
    requireGo();
    removeLeftovers();
    Path fresh = Files.createTempDirectory(bin.getParent(), LEFTOVER);
    Path log = bin.resolveSibling("build.log");
    var command = new ArrayList<>(List.of("go", "build", "-trimpath", "-ldflags=" + linkerFlags()));
    command.addAll(List.of("-o", fresh + "/"));
    programs.stream().map(Program::goPackage).forEach(command::add);
    var builder =
        new ProcessBuilder(command)
            .directory(sources.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("GOWORK", "off");
    var process = builder.start();
    awaitBuild(process);
    if (process.exitValue() != 0) {
      throw new SandboxException(
          "go build of the control plane failed: " + lastLine(log) + " (all of it in " + log + ")");
    }
    for (Program program : programs) {
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

  private static void awaitBuild(Process process) {
    long start = System.nanoTime();
    var killer = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(killer);
    try {
      while (!process.waitFor(PROGRESS.toMillis(), TimeUnit.MILLISECONDS)) {
        var spent = Duration.ofNanos(System.nanoTime() - start);
        if (spent.compareTo(LIMIT) > 0) {
          throw new SandboxException(
              "go build of the control plane took more than " + LIMIT.toMinutes() + " minutes.");
        }
        Console.say(
            "building the control plane, "
                + spent.toSeconds()
                + " s so far; about 5 minutes on 2 cores, once");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("The build of the control plane was interrupted.", e);
    } finally {
      if (process.isAlive()) {
        process.destroyForcibly();
      }
      Runtime.getRuntime().removeShutdownHook(killer);
    }
  }

  private static void requireGo() {
    Optional<Version> version;
    try {
      version =
          Version.firstIn(Command.run(Duration.ofSeconds(30), List.of("go", "version")).output());
    } catch (SandboxException e) {
      version = Optional.empty();
    }
    if (version.filter(found -> found.isAtLeast(1, 26)).isEmpty()) {
      throw new MissingToolException(
          "Go 1.26 or newer is needed once to build the control plane and "
              + version.map(found -> "only Go " + found + " was found").orElse("was not found")
              + ": install it from https://go.dev/dl and put it on PATH, or point KUBEBUILDER_ASSETS"
              + " at a folder with ready programs.");
    }
  }

  private String linkerFlags() {
    var flags = new ArrayList<>(List.of("-s", "-w"));
    for (String target : List.of("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")) {
      flags.add("-X " + target + ".gitVersion=v" + kubernetes);
      flags.add("-X " + target + ".gitMajor=" + kubernetes.major());
      flags.add("-X " + target + ".gitMinor=" + kubernetes.minor());
      flags.add("-X " + target + ".gitTreeState=clean");
    }
    return String.join(" ", flags);
  }

  private String key() {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      digest.update(goMod.getBytes(StandardCharsets.UTF_8));
      digest.update(linkerFlags().getBytes(StandardCharsets.UTF_8));
      return "v" + kubernetes + "-" + HexFormat.of().formatHex(digest.digest()).substring(0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
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
