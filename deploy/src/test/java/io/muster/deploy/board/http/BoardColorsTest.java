package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Shapes that mean something stand out from what is behind them, as WCAG 2.2 has it (1.4.11). */
final class BoardColorsTest {

  private static final Path SOURCES = Path.of("src/main/resources/board");
  private static final double LEAST = 3;
  private static final Pattern PAPER = Pattern.compile("(\\w+): '#([0-9a-f]{6})'");
  private static final Pattern VARIABLE = Pattern.compile("--([\\w-]+): #([0-9a-f]{6});");
  private static final Pattern HUE = Pattern.compile("'#([0-9a-f]{6})'");

  enum Theme {
    LIGHT("light", ":root {"),
    DARK("dark", ":root[data-theme='dark'] {");

    private final String key;
    private final String block;

    Theme(String key, String block) {
      this.key = key;
      this.block = block;
    }

    /** Those of the canvas of the map. */
    private Map<String, Integer> papers() {
      return colors(PAPER, script("const PAPERS = {", key + ": {", "}"));
    }

    private Map<String, Integer> variables() {
      var css = read("board.css");
      return colors(VARIABLE, part(css, css.indexOf(block), "}"));
    }

    private List<Integer> hues() {
      return HUE.matcher(script("const HUES = {", key + ": [", "]"))
          .results()
          .map(found -> Integer.parseInt(found.group(1), 16))
          .toList();
    }
  }

  private static String read(String name) {
    try {
      return Files.readString(SOURCES.resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String script(String table, String key, String end) {
    var text = read("colours.js");
    return part(text, text.indexOf(key, text.indexOf(table)), end);
  }

  private static String part(String text, int from, String end) {
    return text.substring(from, text.indexOf(end, from));
  }

  private static Map<String, Integer> colors(Pattern pattern, String text) {
    var found = new TreeMap<String, Integer>();
    pattern
        .matcher(text)
        .results()
        .forEach(color -> found.put(color.group(1), Integer.parseInt(color.group(2), 16)));
    return found;
  }

  private static double contrast(int one, int other) {
    double a = luminance(one);
    double b = luminance(other);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }

  private static double luminance(int color) {
    return 0.2126 * linear(color >> 16) + 0.7152 * linear(color >> 8) + 0.0722 * linear(color);
  }

  private static double linear(int channel) {
    double part = (channel & 0xff) / 255.0;
    return part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4);
  }

  @ParameterizedTest
  @EnumSource
  void devicesOnTheMapStandOutFromTheirNode(Theme theme) {
    var papers = theme.papers();

    for (var shape : List.of("freeEdge", "room", "neutral", "others", "hatch", "alarm")) {
      assertThat(contrast(papers.get(shape), papers.get("cell"))).as(shape).isGreaterThan(LEAST);
    }
    assertThat(contrast(papers.get("freeEdge"), papers.get("free")))
        .as("an outline, from what is within it")
        .isGreaterThan(LEAST);
    assertThat(contrast(papers.get("freeEdge"), papers.get("panel")))
        .as("of a node that is one cell")
        .isGreaterThan(LEAST);
  }

  @ParameterizedTest
  @EnumSource
  void barsAndGangsStandOutFromTheirPanel(Theme theme) {
    var variables = theme.variables();

    for (var shape : List.of("used", "kept", "free", "stranded", "strong-edge")) {
      assertThat(contrast(variables.get(shape), variables.get("panel")))
          .as(shape)
          .isGreaterThan(LEAST);
    }
    assertThat(theme.papers()).containsEntry("panel", variables.get("panel"));
    assertThat(theme.hues())
        .hasSize(12)
        .allMatch(hue -> contrast(hue, variables.get("panel")) > LEAST);
  }
}
