package io.muster.image;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** The blobs of an OCI image layout, each in a file named by its SHA-256. */
final class Blobs {

  /**
   * A blob that is there.
   *
   * @param digest of the blob, {@code sha256:...}
   * @param tarDigest of a layer before it was compressed; else the same as {@code digest}
   * @param size in bytes
   */
  record Written(String digest, String tarDigest, long size) {}

  private static final String PREFIX = "sha256:";

  private final Path folder;

  Blobs(Path folder) {
    this.folder = folder;
  }

  /** The file of a blob; need not be there. */
  Path file(String digest) {
    return folder.resolve(digest.substring(PREFIX.length()));
  }

  static String digest(Path file) throws IOException {
    var sha256 = sha256();
    try (InputStream in = Files.newInputStream(file);
        var out = new DigestOutputStream(OutputStream.nullOutputStream(), sha256)) {
      in.transferTo(out);
    }
    return text(sha256);
  }

  Written document(byte[] json) throws IOException {
    Files.createDirectories(folder);
    var digest = text(json);
    Files.write(file(digest), json);
    return new Written(digest, digest, json.length);
  }

  /**
   * A layer as compressed tar: entries sorted, owners 0, one time for all. The header that {@link
   * GZIPOutputStream} writes has neither name nor time.
   */
  Written layer(Layer layer, Instant time) throws IOException {
    Files.createDirectories(folder);
    var unfinished = folder.resolve("layer.unfinished");
    var compressed = sha256();
    var tar = sha256();
    try (var file = new BufferedOutputStream(Files.newOutputStream(unfinished));
        var digested = new DigestOutputStream(file, compressed);
        var gzip = new GZIPOutputStream(digested, 1 << 16);
        var counted = new DigestOutputStream(gzip, tar);
        var out = new TarArchiveOutputStream(counted, StandardCharsets.UTF_8.name())) {
      out.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      out.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
      for (var each : layer.entries().entrySet()) {
        write(out, each.getKey(), each.getValue(), time);
      }
    }
    var digest = text(compressed);
    long size = Files.size(unfinished);
    Files.move(unfinished, file(digest), StandardCopyOption.REPLACE_EXISTING);
    return new Written(digest, text(tar), size);
  }

  private static void write(TarArchiveOutputStream out, String path, Entry entry, Instant time)
      throws IOException {
    switch (entry) {
      case Entry.Folder folder -> {
        out.putArchiveEntry(stamped(new TarArchiveEntry(path + "/"), folder.mode(), time));
      }
      case Entry.Link link -> {
        var header = new TarArchiveEntry(path, TarConstants.LF_SYMLINK);
        header.setLinkName(link.target());
        out.putArchiveEntry(stamped(header, 0777, time));
      }
      case Entry.Content content -> {
        var header = stamped(new TarArchiveEntry(path), content.mode(), time);
        header.setSize(content.source().size());
        out.putArchiveEntry(header);
        try (InputStream in = content.source().open()) {
          in.transferTo(out);
        }
      }
    }
    out.closeArchiveEntry();
  }

  private static TarArchiveEntry stamped(TarArchiveEntry header, int mode, Instant time) {
    header.setMode(mode);
    header.setModTime(Date.from(time));
    header.setIds(0, 0);
    header.setNames("", "");
    return header;
  }

  private static String text(byte[] bytes) {
    return PREFIX + HexFormat.of().formatHex(sha256().digest(bytes));
  }

  private static String text(MessageDigest sha256) {
    return PREFIX + HexFormat.of().formatHex(sha256.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each JDK has SHA-256", e);
    }
  }
}
