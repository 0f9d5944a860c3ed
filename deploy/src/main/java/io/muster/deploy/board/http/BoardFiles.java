package io.muster.deploy.board.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The files of the page, as they are in the jar. All but the first page are served under a folder
 * named after what is in them, so that a browser may keep them. Immutable.
 */
final class BoardFiles {

  /** What lies beside the first page. */
  static final List<String> NAMES =
      List.of(
          "app.js",
          "bar.css",
          "bar.js",
          "board.css",
          "charts.js",
          "colours.js",
          "empty.js",
          "gang.css",
          "gang.js",
          "history.css",
          "history.js",
          "icon.svg",
          "layout.js",
          "light.js",
          "line.js",
          "lists.css",
          "map.js",
          "mapview.js",
          "nodes.js",
          "paint.js",
          "parts.js",
          "pin.js",
          "place.js",
          "queues.js",
          "series.js",
          "session.js",
          "sights.css",
          "signin.js",
          "small.css",
          "state.js",
          "store.js",
          "theme.js",
          "timeline.js",
          "whatif.css",
          "whatif.js",
          "words.js");

  private static final String PREACT =
      "/META-INF/resources/webjars/preact/10.26.4/dist/preact.module.js";
  private static final String UPLOT = "/META-INF/resources/webjars/uplot/1.6.30/dist/uPlot.";

  /** Its modules are three times as long as its script, which leaves its name in its scope. */
  private static final String AS_MODULE = "\nexport default uPlot;\n";

  /** Those that have lines of their own: readers of the source want them, browsers do not. */
  private static final Pattern COMMENTS =
      Pattern.compile("(?m)^ *(?://.*|/\\*\\*[^*]*(?:\\*(?!/)[^*]*)*\\*/ *)\\n");

  private static final int HASH_LENGTH = 16;

  private final Map<String, byte[]> contents = new TreeMap<>();
  private final String hash;
  private final String index;

  BoardFiles() {
    NAMES.forEach(name -> contents.put(name, own(name)));
    contents.put("preact.js", read(PREACT));
    contents.put("uplot.css", read(UPLOT + "min.css"));
    contents.put(
        "uplot.js",
        (new String(read(UPLOT + "iife.min.js"), StandardCharsets.UTF_8) + AS_MODULE)
            .getBytes(StandardCharsets.UTF_8));
    this.hash = hash(contents);
    this.index =
        new String(read("/board/index.html"), StandardCharsets.UTF_8).replace("@HASH@", hash);
  }

  private static byte[] own(String name) {
    var content = read("/board/" + name);
    if (!name.endsWith(".js")) {
      return content;
    }
    var text = new String(content, StandardCharsets.UTF_8);
    return COMMENTS.matcher(text).replaceAll("").getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] read(String resource) {
    try (var in = BoardFiles.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is not in the jar");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String hash(Map<String, byte[]> contents) {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      contents.values().forEach(digest::update);
      return HexFormat.of().formatHex(digest.digest()).substring(0, HASH_LENGTH);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The first page, which names the others. */
  String index() {
    return index;
  }

  /** One of the others; empty if there is none of that name, or it is of another version. */
  Optional<byte[]> content(String folder, String name) {
    return Optional.ofNullable(contents.get(name)).filter(_ -> folder.equals(hash));
  }

  /** Of all together, the first page included, in bytes. */
  long size() {
    return index.length() + contents.values().stream().mapToLong(each -> each.length).sum();
  }

  /** By the end of the name. */
  static String typeOf(String name) {
    if (name.endsWith(".js")) {
      return "text/javascript; charset=utf-8";
    }
    return name.endsWith(".css") ? "text/css; charset=utf-8" : "image/svg+xml";
  }
}
