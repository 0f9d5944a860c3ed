package io.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every test that the acceptance table names is there. */
final class AcceptanceTest {

  private static final Pattern NAMED =
      Pattern.compile("`(\\w+(?:Test|IT|Properties))(?:\\.(\\w+))?`");

  @Test
  void namesOnlyTestsThatExist() throws IOException {
    var sources = new TreeMap<String, String>();
    try (var files = Files.walk(Path.of(".."))) {
      for (var file : files.filter(f -> f.toString().matches(".*/src/test/.*\\.java")).toList()) {
        var name = file.getFileName().toString().replace(".java", "");
        // Two kinds of jobs may have a test of the same name.
        sources.merge(name, Files.readString(file), String::concat);
      }
    }
    var table = Files.readString(Path.of("docs", "acceptance.md"));
    var found = NAMED.matcher(table).results().toList();
    assertThat(found).hasSizeGreaterThan(10);
    for (var test : found) {
      assertThat(sources).as("the class in %s", test.group()).containsKey(test.group(1));
      if (test.group(2) != null) {
        assertThat(sources.get(test.group(1)))
            .as("the method in %s", test.group())
            .contains("void " + test.group(2) + "(");
      }
    }
  }
}
