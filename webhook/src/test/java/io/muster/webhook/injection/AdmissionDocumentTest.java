package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.webhook.core.Admission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What operators read about refusals and warnings of injection is what the fixtures show. */
final class AdmissionDocumentTest {

  private static final Path DOCUMENT = Path.of("..", "deploy", "docs", "admission.md");
  private static final String SECTION = "## Injection\n";
  private static final String HEADER = "| fixture | case | answer | text |\n|---|---|---|---|\n";

  @Test
  void documentsEveryRefusalAndWarning() throws IOException {
    var document = Files.readString(DOCUMENT);
    int begin = document.indexOf(HEADER, document.indexOf(SECTION)) + HEADER.length();
    int next = document.indexOf("\n## ", begin);
    int end = next < 0 ? document.length() : next;
    var expected = document.substring(0, begin) + table() + document.substring(end);
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.writeString(DOCUMENT, expected);
    }
    assertThat(DOCUMENT).content().isEqualTo(expected);
  }

  private static String table() throws IOException {
    var rows = new ArrayList<String>();
    for (var fixture : Fixture.all()) {
      var about = Files.readAllLines(fixture.file("pod.yaml")).getFirst().substring(2);
      for (var answer : answers(fixture)) {
        rows.add("| `%s` | %s | %s |\n".formatted(fixture.name(), about, answer));
      }
    }
    return String.join("", rows);
  }

  private static List<String> answers(Fixture fixture) {
    return switch (Fixture.admit(fixture.pod())) {
      case Admission.Denied(var code, var message) ->
          List.of("refused, %d | `%s`".formatted(code, message));
      case Admission.Allowed allowed ->
          allowed.warnings().stream().map("warning | `%s`"::formatted).toList();
    };
  }
}
