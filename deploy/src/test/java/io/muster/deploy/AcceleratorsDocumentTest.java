package io.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.extender.core.cluster.Accelerator;
import io.muster.extender.core.cluster.Accelerators;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What operators read and set about accelerators is what Muster counts. */
final class AcceleratorsDocumentTest {

  private static final Path DOCUMENT = Path.of("docs", "accelerators.md");
  private static final Path SCHEDULER = Path.of("scheduler", "shared-scheduler.yaml");
  private static final String HEADER =
      "| name | kind | whose | member of a gang |\n|---|---|---|---|\n";

  @Test
  void documentsEveryName() throws IOException {
    var document = Files.readString(DOCUMENT);
    var before = document.substring(0, document.indexOf(HEADER));
    var expected = before + HEADER + table();
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.writeString(DOCUMENT, expected);
    }
    assertThat(DOCUMENT).content().isEqualTo(expected);
  }

  @Test
  void kubeSchedulerAsksAboutEveryWholeDevice() throws IOException {
    var configuration = new YAMLMapper().readTree(SCHEDULER.toFile());
    var names = configuration.path("extenders").path(0).path("managedResources").valueStream();

    assertThat(names.map(resource -> resource.path("name").asText()))
        .containsExactlyElementsOf(
            Stream.concat(
                    Accelerators.TABLE.stream()
                        .filter(row -> row.kind() == Accelerator.Kind.WHOLE)
                        .map(Accelerator::pattern),
                    Stream.of(Accelerators.MARKER))
                .toList());
  }

  private static String table() {
    return Accelerators.TABLE.stream()
        .sorted(Comparator.comparing(row -> !row.kind().isCounted()))
        .map(row ->
            "| `%s` | %s | %s | %s |\n"
                .formatted(row.pattern(), kind(row), row.vendor(), answer(row)))
        .collect(Collectors.joining());
  }

  private static String kind(Accelerator row) {
    return switch (row.kind()) {
      case WHOLE -> "whole";
      case PARTITION -> "partition";
      case SHARE -> "share";
      case MEMORY -> "memory";
    };
  }

  private static String answer(Accelerator row) {
    if (row.kind().isCounted()) {
      return "counted";
    }
    var askFor = row.askFor().contains(" ") ? row.askFor() : "`" + row.askFor() + "`";
    return "refused: ask for " + askFor;
  }
}
