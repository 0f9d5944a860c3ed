package io.muster.deploy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KubeconfigFileTest {

  @TempDir Path folder;

  private KubeconfigFile file(String text) throws IOException {
    return new KubeconfigFile(Files.writeString(folder.resolve("kubeconfig"), text).toFile());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                                  | is empty",
        "'{{{'                               | is no YAML of a kubeconfig",
        "'just words'                        | is no YAML of a kubeconfig",
        "'apiVersion: v1'                    | names no current-context",
        "'current-context: c'                | has no context c, which its current-context names",
        "'current-context: c\ncontexts: null'    | has no context c, which its current-context names",
        "'current-context: c\ncontexts:\n- \n'   | has no context c, which its current-context names",
        "'a: b\n---\nc: d'                       | is no YAML of a kubeconfig",
        "'current-context: \"c\nclusters: ]'     | is no YAML of a kubeconfig"
      })
  void oneThatNamesNoClusterIsRefusedWithTheReason(String text, String reason) throws IOException {
    var file = file(text);

    assertThatThrownBy(file::checked)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage("kubeconfig: %s %s", folder.resolve("kubeconfig"), reason);
  }

  @Test
  void emptyEntriesBesideItsContextDoNoHarm() throws IOException {
    var file = file("current-context: c\ncontexts:\n- \n- {name: c, context: {cluster: k}}\n");

    assertThat(file.checked()).isEqualTo(file.file());
  }

  /** As a shell gives for {@code <(...)}. */
  @Test
  @Timeout(10)
  void whatComesThroughAPipeIsTaken() throws IOException, InterruptedException {
    var text = "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]";
    var pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    var writer =
        new ProcessBuilder("sh", "-c", "printf %s \"$1\" > \"$2\"", "sh", text, pipe.toString())
            .start();
    var file = new KubeconfigFile(pipe.toFile());

    assertThat(file.isPipe()).isTrue();
    assertThat(file.text()).isEqualTo(text);
    assertThat(writer.waitFor()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"/dev/null, is empty", "/dev, cannot be read", "/dev/none, cannot be read"})
  void nothingIsNoKubeconfig(String path, String reason) {
    var file = new KubeconfigFile(new File(path));

    assertThatThrownBy(file::checked).hasMessage("kubeconfig: %s %s", path, reason);
  }

  @Test
  void oneThatNamesAClusterIsTaken() throws IOException {
    var file = file("current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]");

    assertThat(file.checked()).isEqualTo(file.file());
  }
}
