package io.muster.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One layer of an image while it is put together. Paths are relative to the root, without a slash
 * at either end; the folders above a path come along. The order in which things are added does not
 * matter. Not safe for concurrent use.
 */
final class Layer {

  private static final int FOLDER = 0755;
  private static final int PROGRAM = 0755;
  private static final int FILE = 0644;

  private final String name;
  private final SortedMap<String, Entry> entries = new TreeMap<>();

  /**
   * An empty one.
   *
   * @param name what the image's history calls it
   */
  Layer(String name) {
    this.name = name;
  }

  String name() {
    return name;
  }

  /** By path, in the order in which they are written. */
  SortedMap<String, Entry> entries() {
    return Collections.unmodifiableSortedMap(entries);
  }

  /** Replaces what stands at that path; a folder keeps what is in it. */
  Layer put(String path, Entry entry) {
    for (int at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      entries.putIfAbsent(path.substring(0, at), new Entry.Folder(FOLDER));
    }
    entries.put(path, entry);
    return this;
  }

  Layer text(String path, String content) {
    return put(
        path, new Entry.Content(FILE, Entry.Source.of(content.getBytes(StandardCharsets.UTF_8))));
  }

  /**
   * Copies a file, a link, or a folder with all that is in it. Modes become 0755 for folders and
   * for what its owner may execute, and 0644 for the rest.
   */
  Layer copy(Path from, String to) throws IOException {
    try (var found = Files.walk(from)) {
      for (Path each : found.toList()) {
        var below = from.relativize(each).toString();
        put(below.isEmpty() ? to : to + "/" + below, entry(each));
      }
    }
    return this;
  }

  private static Entry entry(Path found) throws IOException {
    if (Files.isSymbolicLink(found)) {
      return new Entry.Link(Files.readSymbolicLink(found).toString());
    }
    if (Files.isDirectory(found, LinkOption.NOFOLLOW_LINKS)) {
      return new Entry.Folder(FOLDER);
    }
    return new Entry.Content(Files.isExecutable(found) ? PROGRAM : FILE, Entry.Source.of(found));
  }
}
