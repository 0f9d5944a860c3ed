package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class BoardFilesTest {

  private static final Path SOURCES = Path.of("src/main/resources/board");
  private static final int MOST_BYTES = 250_000;
  private static final int MOST_LINES = 400;

  @Test
  void everyFileOfThePageIsServed() throws IOException {
    try (var files = Files.list(SOURCES)) {
      var found = new TreeSet<>(files.map(file -> file.getFileName().toString()).toList());
      found.remove("index.html");
      assertThat(new TreeSet<>(BoardFiles.NAMES)).isEqualTo(found);
    }
  }

  @Test
  void aFileImportsOnlyWhatIsServed() throws IOException {
    var served = new TreeSet<>(BoardFiles.NAMES);
    served.addAll(List.of("preact.js", "uplot.js"));
    for (var name : BoardFiles.NAMES) {
      var imports =
          Pattern.compile("(?:from |import\\()'([^']+)'")
              .matcher(Files.readString(SOURCES.resolve(name)));
      while (imports.find()) {
        assertThat(imports.group(1)).as(name).startsWith("./");
        assertThat(served).as(name).contains(imports.group(1).substring(2));
      }
    }
  }

  @Test
  void ownAndForeignCodeTogetherStaySmall() {
    assertThat(new BoardFiles().size()).isLessThan(MOST_BYTES);
  }

  @Test
  void commentsAreForReadersOfTheSource() {
    var files = new BoardFiles();
    var folder = files.index().replaceFirst("(?s).*/static/(\\w+)/app.js.*", "$1");
    for (var name : BoardFiles.NAMES.stream().filter(name -> name.endsWith(".js")).toList()) {
      var served = new String(files.content(folder, name).orElseThrow(), StandardCharsets.UTF_8);
      assertThat(served.lines().map(String::strip))
          .as(name)
          .isNotEmpty()
          .noneMatch(line -> line.startsWith("//") || line.startsWith("*"));
    }
  }

  /** A script of old that is served as a module. */
  @Test
  void theChartsAreAModule() {
    var files = new BoardFiles();
    var folder = files.index().replaceFirst("(?s).*/static/(\\w+)/app.js.*", "$1");
    var script =
        new String(files.content(folder, "uplot.js").orElseThrow(), StandardCharsets.UTF_8);
    assertThat(script).startsWith("/*!").contains("var uPlot=").endsWith("export default uPlot;\n");
  }

  @Test
  void noFileIsLong() throws IOException {
    for (var name : BoardFiles.NAMES) {
      try (var lines = Files.lines(SOURCES.resolve(name))) {
        assertThat(lines.count()).as(name).isLessThanOrEqualTo(MOST_LINES);
      }
    }
  }

  @Test
  void whatComesFromTheClusterIsNeverReadAsMarkup() throws IOException {
    for (var name : BoardFiles.NAMES) {
      var text = Files.readString(SOURCES.resolve(name), StandardCharsets.UTF_8);
      assertThat(text)
          .as(name)
          .doesNotContain(
              "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(");
    }
  }
}
