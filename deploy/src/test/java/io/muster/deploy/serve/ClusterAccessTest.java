package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.config.Config;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class ClusterAccessTest {

  private static final String KUBECONFIG =
      """
      current-context: c
      contexts: [{name: c, context: {cluster: k, user: u, namespace: team-a}}]
      clusters: [{name: k, cluster: {server: "https://10.0.0.1:6443"}}]
      users: [{name: u, user: {token: t}}]
      """;

  @TempDir Path folder;

  /** As a shell gives for {@code <(...)}. */
  @Test
  @Timeout(20)
  void aKubeconfigFromAPipeServesForTheWholeCommand() throws IOException, InterruptedException {
    var pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    var writer =
        new ProcessBuilder(
                "sh", "-c", "printf %s \"$1\" > \"$2\"", "sh", KUBECONFIG, pipe.toString())
            .start();
    var config = Config.load(Optional.empty(), Map.of("MUSTER_CFG_KUBECONFIG", pipe.toString()));

    assertThat(ClusterAccess.defaultNamespace(config)).isEqualTo("team-a");
    try (var client = ClusterAccess.forCommand(config)) {
      assertThat(client.getMasterUrl()).hasToString("https://10.0.0.1:6443/");
    }
    assertThat(writer.waitFor()).isZero();
  }
}
