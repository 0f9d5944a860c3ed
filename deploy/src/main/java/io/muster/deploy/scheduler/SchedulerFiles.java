package io.muster.deploy.scheduler;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Files that appear together in a folder, as the kubelet mounts a Secret: each name is a link
 * through {@code ..data}, which is one link to a folder of all of them, and is turned in one step.
 * So a certificate is never read with the key of another. Only root may read them. Confined to one
 * thread.
 */
final class SchedulerFiles {

  private static final String DATA = "..data";
  private static final String OWNER_ONLY_FOLDER = "rwx------";
  private static final String OWNER_ONLY_FILE = "rw-------";

  private final List<Path> from;
  private final Path to;

  SchedulerFiles(List<Path> from, Path to) {
    this.from = List.copyOf(from);
    this.to = to;
  }

  /**
   * Copies them if what is there differs.
   *
   * @return whether anything was written
   */
  boolean copy() throws IOException {
    var wanted = read();
    if (wanted.isEmpty() || isThere(wanted)) {
      return false;
    }
    Files.createDirectories(to);
    var folder =
        Files.createTempDirectory(
            to,
            "..version-",
            PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString(OWNER_ONLY_FOLDER)));
    for (var file : wanted.entrySet()) {
      var path =
          Files.createFile(
              folder.resolve(file.getKey()),
              PosixFilePermissions.asFileAttribute(
                  PosixFilePermissions.fromString(OWNER_ONLY_FILE)));
      Files.write(path, file.getValue());
    }
    turn(to.resolve(DATA), Path.of(folder.getFileName().toString()));
    for (var name : wanted.keySet()) {
      turn(to.resolve(name), Path.of(DATA, name));
    }
    deleteOthers(folder);
    return true;
  }

  /** By name; what begins with two dots is how the kubelet keeps a mount. */
  private SortedMap<String, byte[]> read() throws IOException {
    var files = new TreeMap<String, byte[]>();
    for (var source : from) {
      try (var entries = Files.list(source)) {
        for (var entry : entries.sorted().toList()) {
          var name = entry.getFileName().toString();
          if (!name.startsWith("..") && Files.isRegularFile(entry)) {
            files.put(name, Files.readAllBytes(entry));
          }
        }
      }
    }
    return files;
  }

  private boolean isThere(SortedMap<String, byte[]> wanted) throws IOException {
    for (var file : wanted.entrySet()) {
      try {
        if (!Arrays.equals(Files.readAllBytes(to.resolve(file.getKey())), file.getValue())) {
          return false;
        }
      } catch (NoSuchFileException _) {
        return false;
      }
    }
    return true;
  }

  /** Replaces whatever has the name by a link, in one step. */
  private static void turn(Path link, Path target) throws IOException {
    if (Files.isSymbolicLink(link) && Files.readSymbolicLink(link).equals(target)) {
      return;
    }
    var next = link.resolveSibling("..next");
    Files.deleteIfExists(next);
    Files.createSymbolicLink(next, target);
    Files.move(next, link, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private void deleteOthers(Path present) throws IOException {
    try (var entries = Files.list(to)) {
      for (var entry : entries.toList()) {
        if (entry.getFileName().toString().startsWith("..version-") && !entry.equals(present)) {
          try (var files = Files.list(entry)) {
            for (var file : files.toList()) {
              Files.delete(file);
            }
          }
          Files.delete(entry);
        }
      }
    }
  }

  /** Why a file could not be read or written. */
  static String reason(IOException problem) {
    return problem instanceof FileSystemException file && file.getReason() != null
        ? file.getReason()
        : problem.getClass().getSimpleName() + " " + problem.getMessage();
  }
}
