package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.muster.sandbox.Layout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the doctor says of the heap of the process that leads. */
final class HeapTest {

  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| ([\\d,]+) \\| ([\\d,]+) \\| `(\\d+)m` \\|");

  private static Pod leader(String options, String... arguments) {
    return new PodBuilder()
        .withNewSpec()
        .addNewContainer()
        .withName("sidecar")
        .withArgs("-Xmx9g")
        .endContainer()
        .addNewContainer()
        .withName("muster")
        .addNewEnv()
        .withName("JDK_JAVA_OPTIONS")
        .withValue(options)
        .endEnv()
        .withArgs(arguments)
        .endContainer()
        .endSpec()
        .build();
  }

  private static String said(long nodes, Pod leader) {
    return Heap.judged(nodes, 10 * nodes, Optional.of(leader)).toString();
  }

  @ParameterizedTest
  @CsvSource({
    "@jvm.options -Xmn48m -Xmx512m, 512",
    "-Xmx512m -Xmx1g, 1024",
    "-Xmx409600k, 400",
    "-Xmx536870912, 512",
    "-Xmn48m, 384",
    "-Xmx99999999999999999999m, 384"
  })
  void theLastOptionCountsAsForTheJvm(String options, long megabytes) {
    assertThat(said(1, leader(options, "serve"))).contains(megabytes + " MB are enough");
  }

  @Test
  void argumentsComeAfterTheEnvironment() {
    assertThat(said(1, leader("-Xmx1g", "-Xmx600m", "serve"))).contains("600 MB are enough");
  }

  @Test
  void aClusterThatHasOutgrownItIsAProblemWithARemedy() {
    long wanted = Heap.wanted(5_000, 50_000);
    assertThat(Heap.judged(5_000, 50_000, Optional.of(leader("-Xmx384m"))))
        .isEqualTo(
            Finding.problem(
                "heap",
                "the process that leads has 384 MB, and 5000 nodes and 50000 pods want %d MB"
                    .formatted(wanted),
                "set jvm.heap of the chart to %dm or more, and resources as install.md says under Sizes"
                    .formatted(wanted)));
    assertThat(said(5_000, leader("-Xmx%dm".formatted(wanted)))).contains("are enough");
  }

  @Test
  void ofAProcessThatIsNoPodItSaysWhatItWants() {
    assertThat(Heap.judged(100, 1_000, Optional.empty()).toString())
        .contains("at least -Xmx%dm".formatted(Heap.wanted(100, 1_000)));
  }

  @Test
  void thePageAndTheDoctorSayTheSame() throws IOException {
    var page = Files.readString(Layout.current().deploy().resolve("docs/install.md"));
    var rows = ROW.matcher(page).results().toList();
    assertThat(rows).hasSize(3);
    for (var row : rows) {
      long nodes = Long.parseLong(row.group(1).replace(",", ""));
      long pods = Long.parseLong(row.group(2).replace(",", ""));
      assertThat(Heap.wanted(nodes, pods)).isEqualTo(Long.parseLong(row.group(3)));
    }
  }

  @Test
  void whatIsShippedIsEnoughForAThousandNodes() throws IOException {
    var deploy = Layout.current().deploy();
    assertThat(Files.readAllLines(deploy.resolve("jvm.options")))
        .contains("-Xmx%dm".formatted(Heap.SHIPPED));
    var values = new YAMLMapper().readTree(deploy.resolve("chart/muster/values.yaml").toFile());
    assertThat(values.at("/jvm/heap").asText()).isEqualTo(Heap.SHIPPED + "m");
    assertThat(Heap.wanted(1_000, 10_000)).isLessThanOrEqualTo(Heap.SHIPPED);
  }
}
