package io.muster.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Which packages of Debian are in the image, each in one version: {@code
 * deploy/image/packages.lock}. Immutable.
 */
record PackageLock(List<Locked> packages) {

  /**
   * One line.
   *
   * @param architecture as Debian writes it, {@code all} for what fits each
   * @param sha256 of the package file, hexadecimal
   */
  record Locked(String name, String version, String architecture, String sha256) {

    /** As apt names it. */
    String fileName() {
      return "%s_%s_%s.deb".formatted(name, version.replace(":", "%3a"), architecture);
    }
  }

  PackageLock {
    packages = List.copyOf(packages);
  }

  /** The packages for a machine of that architecture. */
  static PackageLock read(Path file, String architecture) throws IOException {
    var fitting =
        Files.readAllLines(file).stream()
            .filter(line -> !line.isBlank() && !line.startsWith("#"))
            .map(line -> line.split(" ", -1))
            .map(words -> new Locked(words[0], words[1], words[2], words[3]))
            .filter(locked -> Set.of("all", architecture).contains(locked.architecture()))
            .toList();
    return new PackageLock(fitting);
  }

  /** The file of a package, after its hash was checked. */
  static Path verified(Locked locked, Path folder) throws IOException {
    var file = folder.resolve(locked.fileName());
    var found = Blobs.digest(file);
    if (!found.equals("sha256:" + locked.sha256())) {
      throw new ImageException(
          file + " is not the package that packages.lock names: delete it. Its digest is " + found);
    }
    return file;
  }
}
