package io.muster.deploy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
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
        "'current-context: c'                | has no context c, which its current-context names"
      })
  void oneThatNamesNoClusterIsRefusedWithTheReason(String text, String reason) throws IOException {
    var file = file(text);

    assertThatThrownBy(file::checked)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessage("kubeconfig: %s %s", folder.resolve("kubeconfig"), reason);
  }

  @Test
  void oneThatNamesAClusterIsTaken() throws IOException {
    var file = file("current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]");

    assertThat(file.checked()).isEqualTo(file.file());
  }
}
