package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that are compared with the code, and written with -Dmuster.golden.update=true. */
final class Golden {

  private Golden() {}

  static void holds(Path file, String text) {
    try {
      if (Boolean.getBoolean("muster.golden.update")) {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
      }
      assertThat(file).as("%s: write it with -Dmuster.golden.update=true", file).hasContent(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
