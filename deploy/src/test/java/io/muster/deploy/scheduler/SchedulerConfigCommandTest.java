package io.muster.deploy.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
    return run(existing, "https://10.96.3.4:9443");
  }

  private int run(String existing, String url) throws IOException {
    var file = Files.writeString(folder.resolve("existing.yaml"), existing);
    return new CommandLine(new SchedulerConfigCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute("--existing", file.toString(), "--url", url);
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.96.3.4:9443",
        "http://10.96.3.4:9443",
        "https://",
        "https://a b",
        "",
        "https://10.96.3.4:9443/v2"
      })
  void whatKubeSchedulerCouldNotCallIsRefused(String url) throws IOException {
    assertThat(run(EXISTING.formatted("{}"), url)).isEqualTo(1);
    assertThat(err.toString()).contains("--url must be like https://10.96.3.4:9443, not \"" + url);
    assertThat(out.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://10.96.3.4:9443/v1", "https://10.96.3.4:9443/"})
  void anUrlPrefixThatIsThereMayBeGivenAsItIs(String url) throws IOException {
    assertThat(run(EXISTING.formatted("{}"), url)).isZero();
    assertThat(out.toString()).contains("urlPrefix: https://10.96.3.4:9443/v1\n");
  }
}
