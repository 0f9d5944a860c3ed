package io.muster.image;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/**
 * The files of an image in a folder, and how the image wants its process started. Whoever unpacks
 * it owns the files; modes and times are the image's. Immutable, but for the folder.
 *
 * @param folder absolute path of what the process sees as /
 * @param entryPoint the program and the arguments that come before those of the caller
 * @param environment variables of the process
 * @param user {@code uid:gid}
 * @param workingDirectory absolute path inside
 */
public record RootFilesystem(
    Path folder,
    List<String> entryPoint,
    Map<String, String> environment,
    String user,
    String workingDirectory) {

  private static final ObjectMapper JSON = new ObjectMapper();

  public RootFilesystem {
    entryPoint = List.copyOf(entryPoint);
    environment = new TreeMap<>(environment);
  }

  /**
   * Unpacks the one image of an OCI image layout.
   *
   * @param to a folder that is empty or missing
   * @throws ImageException if a blob is not what its digest says, or is not understood
   */
  public static RootFilesystem unpack(Path layout, Path to) {
    try {
      var blobs = new Blobs(layout.resolve("blobs/sha256"));
      var manifests = JSON.readTree(layout.resolve("index.json").toFile()).required("manifests");
      if (manifests.size() != 1) {
        throw new ImageException(layout + " has " + manifests.size() + " images instead of one.");
      }
      var manifest = JSON.readTree(verified(blobs, manifests.get(0)).toFile());
      var folder = Files.createDirectories(to).toRealPath();
      for (JsonNode layer : manifest.required("layers")) {
        unpackLayer(verified(blobs, layer), folder);
      }
      var config =
          JSON.readTree(verified(blobs, manifest.required("config")).toFile()).required("config");
      return new RootFilesystem(
          folder,
          texts(config.required("Entrypoint")),
          variables(config.required("Env")),
          config.required("User").textValue(),
          config.required("WorkingDir").textValue());
    } catch (IOException | UncheckedIOException e) {
      throw new ImageException(layout + " cannot be unpacked: " + e.getMessage(), e);
    }
  }

  private static Path verified(Blobs blobs, JsonNode descriptor) throws IOException {
    var stated = descriptor.required("digest").textValue();
    var file = blobs.file(stated);
    var found = Blobs.digest(file);
    if (!found.equals(stated)) {
      throw new ImageException(file + " is damaged: its digest is " + found + ".");
    }
    return file;
  }

  private static void unpackLayer(Path blob, Path folder) throws IOException {
    // A folder's time changes with what is put into it.
    var folders = new LinkedHashMap<Path, TarArchiveEntry>();
    try (InputStream file = Files.newInputStream(blob);
        var gzip = new GZIPInputStream(file, 1 << 16);
        var tar = new TarArchiveInputStream(gzip, StandardCharsets.UTF_8.name())) {
      for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        var path = inside(folder, entry.getName());
        if (entry.isDirectory()) {
          Files.createDirectories(path);
          folders.put(path, entry);
        } else if (entry.isSymbolicLink()) {
          Files.deleteIfExists(path);
          Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else if (entry.getLinkFlag() == TarConstants.LF_NORMAL) {
          Files.deleteIfExists(path);
          Files.copy(tar, path);
          stamp(path, entry);
        } else {
          throw new ImageException(entry.getName() + " is of a kind that Muster's image has not.");
        }
      }
    }
    for (var each : folders.entrySet()) {
      stamp(each.getKey(), each.getValue());
    }
  }

  /** Refuses what would land elsewhere, and marks of deleted files. */
  private static Path inside(Path folder, String name) throws IOException {
    var path = folder.resolve(name).normalize();
    var above = path.getParent();
    boolean isMark = path.getFileName().toString().startsWith(".wh.");
    if (isMark || !path.startsWith(folder) || path.equals(folder)) {
      throw new ImageException(name + " is a path that Muster's image has not.");
    }
    if (!above.toRealPath().equals(above)) {
      throw new ImageException(name + " goes through a link.");
    }
    return path;
  }

  private static void stamp(Path path, TarArchiveEntry entry) throws IOException {
    Files.setAttribute(path, "unix:mode", entry.getMode() & 07777, LinkOption.NOFOLLOW_LINKS);
    Files.setLastModifiedTime(path, FileTime.from(entry.getModTime().toInstant()));
  }

  private static List<String> texts(JsonNode array) {
    var texts = new ArrayList<String>();
    array.forEach(text -> texts.add(text.textValue()));
    return texts;
  }

  private static Map<String, String> variables(JsonNode array) {
    var variables = new TreeMap<String, String>();
    for (String variable : texts(array)) {
      int equals = variable.indexOf('=');
      variables.put(variable.substring(0, equals), variable.substring(equals + 1));
    }
    return variables;
  }
}
