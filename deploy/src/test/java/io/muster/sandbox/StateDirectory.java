package io.muster.sandbox;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The folder that holds everything one sandbox leaves on a machine: pid files, logs, keys, etcd's
 * data, kubeconfigs. A process belongs to it if a pid file names it and its command line mentions
 * the folder: a recycled pid fails the second test, so nothing else is ever killed. Immutable.
 */
public record StateDirectory(Path root) {

  /** A lock for tests: the folder of {@code deploy/bench}, in which caches are rehearsed too. */
  public static final String OF_BENCH = "the state directory of deploy/bench";

  private static final Duration EXIT_LIMIT = Duration.ofSeconds(20);

  public StateDirectory {
    root = root.toAbsolutePath().normalize();
  }

  public Path kubeconfig() {
    return root.resolve("kubeconfig");
  }

  public Path logs() {
    return root.resolve("logs");
  }

  public Path log(String process) {
    return logs().resolve(process + ".log");
  }

  Path pidFile(String process) {
    return root.resolve("pids").resolve(process);
  }

  /** Exists once everything was up; holds one line to show. */
  Path readyMark() {
    return root.resolve("ready");
  }

  /** A file in the folder. */
  public Path file(String name) {
    return root.resolve(name);
  }

  /** Kills what a predecessor left, and makes the folder anew, readable by its owner alone. */
  void renew() {
    killAll();
    try {
      deleteContents();
      Files.createDirectories(root);
      Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
      Files.createDirectories(root.resolve("pids"));
      Files.createDirectories(logs());
    } catch (IOException e) {
      throw new SandboxException("The state directory " + root + " cannot be written.", e);
    }
  }

  /** Kills the recorded processes and waits for their end. Returns how many there were. */
  int killAll() {
    var running = running();
    running.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle process : running) {
      Await.until("the end of process " + process.pid(), EXIT_LIMIT, () -> hasEnded(process));
    }
    return running.size();
  }

  /** The processes of this sandbox that run now, whoever started them. */
  List<ProcessHandle> running() {
    var folder = root.resolve("pids");
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (var files = Files.list(folder)) {
      return files.map(this::process).flatMap(Optional::stream).toList();
    } catch (IOException e) {
      throw new SandboxException("The state directory " + root + " cannot be read.", e);
    }
  }

  /** The pids of the processes that run now, by name. */
  public Map<String, Long> pids() {
    var pids = new TreeMap<String, Long>();
    recorded()
        .forEach(name -> process(pidFile(name)).ifPresent(found -> pids.put(name, found.pid())));
    return pids;
  }

  /** The names of the processes that were started and not ended by their owner. */
  List<String> recorded() {
    try (var files = Files.list(root.resolve("pids"))) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new SandboxException("The state directory " + root + " cannot be read.", e);
    }
  }

  /** Those of them that run no more. */
  List<String> ended() {
    return recorded().stream().filter(name -> !isRunning(name)).toList();
  }

  void unmarkReady() {
    try {
      Files.deleteIfExists(readyMark());
    } catch (IOException e) {
      throw new SandboxException("The state directory " + root + " cannot be written.", e);
    }
  }

  /** Whether the process of this name runs. */
  boolean isRunning(String process) {
    return process(pidFile(process)).isPresent();
  }

  /**
   * Keeps other users of this folder out until closed or until this JVM ends, however it ends.
   *
   * @throws SandboxException at once if it is in use
   */
  Lock lock() {
    try {
      Files.createDirectories(root.getParent());
      var channel =
          FileChannel.open(
              root.resolveSibling(root.getFileName() + ".lock"),
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE);
      try {
        FileLock lock = channel.tryLock();
        if (lock != null) {
          return new Lock(channel);
        }
      } catch (OverlappingFileLockException e) {
        // Held by this very JVM: the same answer as for any other holder.
      }
      channel.close();
      throw new SandboxException(
          "Another run is using the sandbox in " + root + ": wait for it, or end it first.");
    } catch (IOException e) {
      throw new SandboxException("The state directory " + root + " cannot be locked.", e);
    }
  }

  /** The exclusive use of a state directory. */
  record Lock(FileChannel channel) implements AutoCloseable {

    boolean isHeld() {
      return channel.isOpen();
    }

    @Override
    public void close() {
      try {
        channel.close();
      } catch (IOException e) {
        throw new SandboxException("The lock of the state directory cannot be given back.", e);
      }
    }
  }

  String lastWords(String process) {
    try {
      var lines =
          Files.readAllLines(log(process)).stream().filter(line -> !line.isBlank()).toList();
      return (lines.isEmpty() ? "it said nothing" : lines.getLast())
          + " (all of it in "
          + log(process)
          + ")";
    } catch (IOException e) {
      return "its log " + log(process) + " cannot be read";
    }
  }

  private Optional<ProcessHandle> process(Path pidFile) {
    try {
      long pid = Long.parseLong(Files.readString(pidFile).strip());
      return ProcessHandle.of(pid).filter(found -> !hasEnded(found)).filter(this::isOurs);
    } catch (IOException | NumberFormatException e) {
      // Half-written by a process that was killed before it became a program.
      return Optional.empty();
    }
  }

  private boolean isOurs(ProcessHandle process) {
    return process.info().commandLine().filter(line -> line.contains(root.toString())).isPresent();
  }

  /** A zombie has ended although it still has a pid: its command line is gone. */
  private static boolean hasEnded(ProcessHandle process) {
    return !process.isAlive() || process.info().commandLine().isEmpty();
  }

  private boolean isEmpty() throws IOException {
    try (var files = Files.list(root)) {
      return files.findAny().isEmpty();
    }
  }

  private void deleteContents() throws IOException {
    if (!Files.isDirectory(root) || isEmpty()) {
      return;
    }
    if (!Files.isDirectory(root.resolve("pids"))) {
      throw new SandboxException(
          root + " was not made by a sandbox and is not emptied: name another state directory.");
    }
    try (var paths = Files.walk(root)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        if (!path.equals(root)) {
          Files.delete(path);
        }
      }
    }
  }
}
