package io.muster.image;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The lowest layer: what the JVM needs of Debian, without shell and package manager. Scanners learn
 * from {@code /var/lib/dpkg/status.d} which packages are in it.
 */
final class ThinRoot {

  /** The user that the program runs as. */
  static final int USER = 65532;

  /** Nobody reads it in an image, or needs a shell for it; copyrights stay. */
  private static final Pattern LEFT_OUT =
      Pattern.compile(
          "usr/share/doc/.*/(?!copyright$)[^/]*"
              + "|usr/share/(man|locale|lintian|info|dict|gcc|gdb|base-files)(/.*)?"
              + "|etc/(update-motd\\.d|ca-certificates)(/.*)?"
              + "|usr/lib/[^/]*/gconv(/.*)?"
              + "|usr/sbin/update-ca-certificates");

  private static final Pattern AUTHORITY =
      Pattern.compile("usr/share/ca-certificates/mozilla/.*\\.crt");

  private ThinRoot() {}

  static Layer of(PackageLock lock, Path folder) throws IOException {
    var layer = new Layer("packages of Debian");
    var authorities = new StringBuilder();
    for (var locked : lock.packages()) {
      var unpacked = DebianPackage.read(PackageLock.verified(locked, folder));
      unpacked
          .files()
          .forEach((path, entry) -> {
            if (!LEFT_OUT.matcher(path).matches()) {
              layer.put(path, entry);
            }
            if (AUTHORITY.matcher(path).matches()) {
              authorities.append(text(entry)).append('\n');
            }
          });
      layer.text("var/lib/dpkg/status.d/" + locked.name(), unpacked.control());
    }
    // What the scripts of the packages would have made.
    layer.text("etc/ssl/certs/ca-certificates.crt", authorities.toString());
    accounts(layer);
    layer.text("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n");
    return layer;
  }

  private static void accounts(Layer layer) {
    layer.text(
        "etc/passwd",
        lines(
            "root:x:0:0:root:/root:/sbin/nologin",
            account("muster", USER),
            account("nobody", 65534)));
    layer.text("etc/group", lines("root:x:0:", "muster:x:" + USER + ":", "nogroup:x:65534:"));
  }

  private static String account(String name, int id) {
    return "%s:x:%d:%d:%s:/nonexistent:/sbin/nologin".formatted(name, id, id, name);
  }

  private static String lines(String... lines) {
    return String.join("\n", List.of(lines)) + "\n";
  }

  private static String text(Entry entry) {
    if (!(entry instanceof Entry.Content content)) {
      return "";
    }
    try (InputStream in = content.source().open()) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
