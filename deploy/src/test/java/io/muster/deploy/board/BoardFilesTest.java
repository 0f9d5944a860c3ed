package io.muster.deploy.board;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
    served.add("preact.js");
    for (var name : BoardFiles.NAMES) {
      var imports =
          Pattern.compile("from '([^']+)'").matcher(Files.readString(SOURCES.resolve(name)));
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
