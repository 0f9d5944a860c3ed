package io.muster.deploy.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class SchedulerConfigCommandTest {

  private static final String EXISTING =
      """
      apiVersion: kubescheduler.config.k8s.io/v1
      kind: KubeSchedulerConfiguration
      profiles:
      - schedulerName: default-scheduler
        plugins: &p {multiPoint: {disabled: [{name: ImageLocality}]}}
      - schedulerName: batch
        plugins: %s
      """;

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String existing) throws IOException {
    var file = Files.writeString(folder.resolve("existing.yaml"), existing);
    return new CommandLine(new SchedulerConfigCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute("--existing", file.toString(), "--url", "https://10.96.3.4:9443");
  }

  @Test
  void allThatThereIsIsKept() throws IOException {
    assertThat(run(EXISTING.formatted("{score: {enabled: [{name: Mine}]}}"))).isZero();
    assertThat(out.toString()).contains("ImageLocality", "Mine", "https://10.96.3.4:9443/v1");
  }

  @Test
  void anAliasIsNotTakenForItsName() throws IOException {
    assertThat(run(EXISTING.formatted("*p"))).isEqualTo(1);
    assertThat(err.toString())
        .contains("existing.yaml: line 7: an alias, *p: write out what it stands for");
    assertThat(out.toString()).isEmpty();
  }
}
