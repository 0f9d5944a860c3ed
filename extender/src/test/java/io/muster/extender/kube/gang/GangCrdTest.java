package io.muster.extender.kube.gang;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.CRDGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class GangCrdTest {

  private static final Path COMMITTED = Path.of("../deploy/crds/gangs.muster.io-v1.yml");

  private static final int LINES_OF_A_COLUMN = 4;

  @TempDir private Path generated;

  @Test
  void committedCrdEqualsTheGeneratedOne() throws IOException {
    new CRDGenerator()
        .customResourceClasses(Gang.class)
        .inOutputDir(generated.toFile())
        .detailedGenerate();
    var crd =
        columnsInDeclaredOrder(
            Files.readAllLines(generated.resolve("gangs.muster.io-v1.yml")).stream()
                .filter(line -> !line.startsWith("#"))
                .toList());
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.createDirectories(COMMITTED.getParent());
      Files.writeString(COMMITTED, crd);
    }
    assertThat(COMMITTED).as("run with -Dmuster.golden.update=true to rewrite it").hasContent(crd);
  }

  /** The generator sorts columns by path; kubectl prints them in the order of the file. */
  private static String columnsInDeclaredOrder(List<String> lines) {
    var order =
        Arrays.stream(Gang.class.getAnnotationsByType(AdditionalPrinterColumn.class))
            .map(column -> "    - jsonPath: \"" + column.jsonPath() + "\"")
            .toList();
    var first = lines.indexOf("  - additionalPrinterColumns:") + 1;
    var end = first + order.size() * LINES_OF_A_COLUMN;
    var sorted = new ArrayList<>(lines.subList(0, first));
    order.forEach(head -> {
      var at = lines.indexOf(head);
      sorted.addAll(lines.subList(at, at + LINES_OF_A_COLUMN));
    });
    sorted.addAll(lines.subList(end, lines.size()));
    return String.join("\n", sorted) + "\n";
  }
}
