package io.muster.image;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.commons.compress.archivers.ar.ArArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * A package of Debian, read without dpkg. None of its scripts is run. Immutable.
 *
 * @param control what dpkg knows of it, as it stands in the package
 * @param files by path without a slash at either end
 */
record DebianPackage(String control, Map<String, Entry> files) {

  /** Neither group nor others write, and nothing runs as its owner. */
  private static final int KEPT_BITS = 0755;

  private static final int SHARED_FOLDER = 01777;

  DebianPackage {
    files = new TreeMap<>(files);
  }

  static DebianPackage read(Path deb) throws IOException {
    var control = Optional.<Entry>empty();
    var files = Optional.<Map<String, Entry>>empty();
    try (InputStream file = Files.newInputStream(deb);
        var parts = new ArArchiveInputStream(file)) {
      for (var part = parts.getNextEntry(); part != null; part = parts.getNextEntry()) {
        switch (part.getName()) {
          case "control.tar.xz" -> control = Optional.ofNullable(tar(parts).get("control"));
          case "data.tar.xz" -> files = Optional.of(tar(parts));
          default -> {}
        }
      }
    }
    if (control.isEmpty() || files.isEmpty()) {
      throw new ImageException(deb + " is no package with control.tar.xz and data.tar.xz.");
    }
    return new DebianPackage(text(control.get()), files.get());
  }

  private static Map<String, Entry> tar(InputStream compressed) throws IOException {
    var entries = new TreeMap<String, Entry>();
    var bytes = new XZCompressorInputStream(compressed).readAllBytes();
    try (var tar =
        new TarArchiveInputStream(new ByteArrayInputStream(bytes), StandardCharsets.UTF_8.name())) {
      for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        var path = entry.getName().replaceFirst("^\\./", "").replaceFirst("/$", "");
        if (!path.isEmpty()) {
          entries.put(path, entry(tar, entry, entries));
        }
      }
    }
    return entries;
  }

  private static Entry entry(
      TarArchiveInputStream tar, TarArchiveEntry entry, Map<String, Entry> before)
      throws IOException {
    if (entry.isDirectory()) {
      int mode = entry.getMode() & 07777;
      return new Entry.Folder(mode == SHARED_FOLDER ? mode : mode & KEPT_BITS);
    }
    if (entry.isSymbolicLink()) {
      return new Entry.Link(entry.getLinkName());
    }
    if (entry.isLink()) {
      return before.get(entry.getLinkName().replaceFirst("^\\./", ""));
    }
    return new Entry.Content(entry.getMode() & KEPT_BITS, Entry.Source.of(tar.readAllBytes()));
  }

  private static String text(Entry control) throws IOException {
    if (!(control instanceof Entry.Content content)) {
      throw new ImageException("The control of a package is no file.");
    }
    try (InputStream in = content.source().open()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
