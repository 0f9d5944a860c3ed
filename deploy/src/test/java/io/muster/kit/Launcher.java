package io.muster.kit;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * One launcher that runs or ran, and what a test can learn from it and do to it. Remains that one
 * when its pod is recreated. Safe for concurrent use.
 */
public final class Launcher {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final Pod pod;
  private final ContainerSet set;
  private volatile OptionalInt wanted = OptionalInt.empty();
  private volatile boolean isReported;

  Launcher(Pod pod, ContainerSet set) {
    this.pod = pod;
    this.set = set;
  }

  /** The counter of the training, 0 before it starts. */
  public long step() {
    var text = read(set.control("step")).strip();
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  /** The hosts on which a worker is meant to run now. */
  public List<String> hosts() {
    return words(read(set.control("hosts")));
  }

  /** Every set of hosts that was read, in order, without repetitions that follow each other. */
  public List<List<String>> hostSets() {
    return read(set.control("seen")).lines().map(Launcher::words).toList();
  }

  /** The hosts whose worker failed. */
  public List<String> blacklist() {
    return read(set.control("blacklist")).lines().toList();
  }

  /** What the container has printed so far. */
  public String output() {
    return read(set.control("log"))
        .lines()
        .map(line -> line.replaceFirst("^\\S+ \\S+ \\S ", ""))
        .collect(Collectors.joining("\n"));
  }

  /** A file as the container has it; empty if there is none. Not of what the machine lends it. */
  public String file(String path) {
    return read(set.root().resolve(path.replaceFirst("^/+", "")));
  }

  public boolean isRunning() {
    return set.exitCode().isEmpty();
  }

  /** Ends the container with this code; the pod follows. */
  public void finish(int exitCode) {
    wanted = OptionalInt.of(exitCode);
    set.kill();
  }

  /** From now on exec is accepted and stays silent until the end. */
  public void freezeExec() {
    write(set.frozen(), "");
  }

  /** The worker on this host ends with this code, and so does each later one there. */
  public void failWorker(String host, int exitCode) {
    write(set.control("fail").resolve(host), exitCode + "\n");
  }

  /**
   * The worker on this host does not leave when it is dropped, until {@link #letLeave}. Waits for
   * it to begin: before, nothing holds its pod.
   */
  public void keepWorker(String host) {
    Await.until(
        "the worker on " + host + " to begin",
        SOON,
        () -> Files.exists(set.control("begun").resolve(host)));
    write(set.control("stay").resolve(host), "");
  }

  public void letLeave(String host) {
    delete(set.control("stay").resolve(host));
  }

  /** The pod that a host name stands for is gone, or is there. */
  void noteWorker(String host, boolean isGone) {
    if (isGone) {
      write(set.control("gone").resolve(host), "");
    } else {
      delete(set.control("gone").resolve(host));
    }
  }

  ContainerSet set() {
    return set;
  }

  /** What the pod is to show; of a container that has ended. */
  int exitCode() {
    return wanted.orElseGet(() -> set.exitCode().orElseThrow());
  }

  Pod pod() {
    return pod;
  }

  String namespace() {
    return pod.getMetadata().getNamespace();
  }

  String name() {
    return pod.getMetadata().getName();
  }

  /** Whether its end needs no report any more. */
  boolean isReported() {
    return isReported;
  }

  void markReported() {
    isReported = true;
  }

  @Override
  public String toString() {
    return "launcher " + namespace() + "/" + name();
  }

  private static List<String> words(String line) {
    return line.isBlank() ? List.of() : List.of(line.strip().split("\\s+"));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (NoSuchFileException e) {
      return "";
    } catch (IOException e) {
      throw new SandboxException(file + " cannot be read.", e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Path draft = file.resolveSibling(file.getFileName() + ".new");
      Files.writeString(draft, text);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new SandboxException(file + " cannot be written.", e);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new SandboxException(file + " cannot be removed.", e);
    }
  }
}
