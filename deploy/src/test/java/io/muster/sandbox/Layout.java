package io.muster.sandbox;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where things lie: the module folder {@code deploy} and the cache outside the tree. Immutable.
 *
 * @param deploy absolute path of the module
 * @param cache absolute path of the cache, shared by all checkouts of one user
 */
public record Layout(Path deploy, Path cache) {

  /**
   * From the system property {@code muster.deploy}, or the folders at and above the current one.
   */
  public static Layout current() {
    return new Layout(deployFolder(), cacheFolder());
  }

  public Path sandbox() {
    return deploy.resolve("sandbox");
  }

  /**
   * Where go.mod says of which version the control plane is: the folder of
   * MUSTER_SANDBOX_KUBERNETES (1.36, for example), or the sandbox's own.
   */
  public Path controlPlane() {
    var folder =
        variable("MUSTER_SANDBOX_KUBERNETES")
            .map(version -> sandbox().resolve("kubernetes-" + version))
            .orElseGet(this::sandbox);
    if (!Files.isRegularFile(folder.resolve("go.mod"))) {
      throw new SandboxException(
          "MUSTER_SANDBOX_KUBERNETES: there is no %s; leave it out, or see deploy/sandbox/README.md for"
                  .formatted(folder.resolve("go.mod"))
              + " the versions that there are.");
    }
    return folder;
  }

  /** What makes pods of the sandbox play scripts. */
  public Path kit() {
    return sandbox().resolve("kit");
  }

  /** Muster itself, after {@code mvn package}. */
  public Path musterJar() {
    return deploy.resolve("target/muster.jar");
  }

  /** How Muster's process is started wherever it runs. */
  public Path jvmOptions() {
    return deploy.resolve("jvm.options");
  }

  /** What the JVM knows of Muster from a rehearsal, if there was one. */
  public Path aotCache() {
    return deploy.resolve("target/muster.aot");
  }

  /** What has a JVM use that; nothing where there is none, or it is of another jar. */
  public List<String> learned() {
    var cache = aotCache().toFile();
    boolean isOfThisJar = cache.lastModified() >= musterJar().toFile().lastModified();
    return cache.isFile() && isOfThisJar ? List.of("-XX:AOTCache=" + cache) : List.of();
  }

  /** The state directory of the command; tests and the demo have others, under target. */
  public Path commandState() {
    return variable("MUSTER_SANDBOX_STATE")
        .map(path -> Path.of(path).toAbsolutePath().normalize())
        .orElse(cache.resolve("run/default"));
  }

  private static Path deployFolder() {
    var given = Optional.ofNullable(System.getProperty("muster.deploy")).map(Path::of);
    if (given.isPresent()) {
      return given.get().toAbsolutePath().normalize();
    }
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      for (Path candidate : new Path[] {at, at.resolve("deploy")}) {
        if (Files.isRegularFile(candidate.resolve("sandbox/go.mod"))) {
          return candidate;
        }
      }
    }
    throw new SandboxException(
        "There is no deploy/sandbox/go.mod here: run this inside a checkout of Muster, or set the"
            + " system property muster.deploy to its folder deploy.");
  }

  private static Path cacheFolder() {
    return variable("MUSTER_SANDBOX_CACHE")
        .map(Path::of)
        .or(() -> variable("XDG_CACHE_HOME").map(path -> Path.of(path, "muster", "sandbox")))
        .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache", "muster", "sandbox"))
        .toAbsolutePath()
        .normalize();
  }

  private static Optional<String> variable(String name) {
    return Optional.ofNullable(System.getenv(name)).filter(value -> !value.isBlank());
  }
}
