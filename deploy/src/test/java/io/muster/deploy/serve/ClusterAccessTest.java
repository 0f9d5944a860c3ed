package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.config.Config;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
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

  private io.fabric8.kubernetes.client.Config access(String cluster) {
    return io.fabric8.kubernetes.client.Config.fromKubeconfig(
        KUBECONFIG.replace("\"https://10.0.0.1:6443\"", cluster));
  }

  /** One for plain HTTP leads to servers of HTTPS as well. */
  @Test
  @Timeout(60)
  void theProxyOfAKubeconfigIsAskedForTheWayToTheApiServer() throws Exception {
    try (var proxy = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        var caller = Executors.newVirtualThreadPerTaskExecutor()) {
      var file = folder.resolve("kubeconfig");
      Files.writeString(
          file,
          KUBECONFIG.replace(
              "\"https://10.0.0.1:6443\"",
              "\"https://10.0.0.1:6443\", proxy-url: \"http://127.0.0.1:%d\""
                  .formatted(proxy.getLocalPort())));
      var config = Config.load(Optional.empty(), Map.of("MUSTER_CFG_KUBECONFIG", file.toString()));

      var _ =
          caller.submit(() -> {
            try (var client = ClusterAccess.forCommand(config)) {
              return client.getKubernetesVersion();
            }
          });

      proxy.setSoTimeout(30_000);
      try (var call = proxy.accept();
          var lines =
              new BufferedReader(
                  new InputStreamReader(call.getInputStream(), StandardCharsets.US_ASCII))) {
        assertThat(lines.readLine()).isEqualTo("CONNECT 10.0.0.1:6443 HTTP/1.1");
      }
      // The client would try again for most of a minute.
      caller.shutdownNow();
    }
  }

  @Test
  void aProxyOfTheEnvironmentServesANamedKubeconfigToo() {
    var access = access("\"https://10.0.0.1:6443\"");

    ClusterAccess.throughProxy(
        access, Map.of("https_proxy", "proxy:3128", "NO_PROXY", "10.96.0.1,.svc"));

    assertThat(access.getHttpsProxy()).isEqualTo("http://proxy:3128");
    assertThat(access.getNoProxy()).containsExactly("10.96.0.1", ".svc");
  }

  @Test
  void theProxyOfAKubeconfigGoesBeforeThatOfTheEnvironment() {
    var access = access("\"https://10.0.0.1:6443\", proxy-url: \"http://its-own:3128\"");

    ClusterAccess.throughProxy(
        access, Map.of("HTTPS_PROXY", "http://proxy:3128", "NO_PROXY", "10.0.0.1"));

    assertThat(access.getHttpsProxy()).isEqualTo("http://its-own:3128");
    assertThat(access.getNoProxy()).isNull();
  }

  @Test
  void anApiServerOfThisMachineIsReachedWithoutTheProxyOfTheEnvironment() {
    for (var server : List.of("https://127.0.0.1:6443", "https://localhost", "https://[::1]:1")) {
      var access = access("\"" + server + "\"");

      ClusterAccess.throughProxy(access, Map.of("HTTPS_PROXY", "http://proxy:3128"));

      assertThat(access.getHttpsProxy()).as(server).isNull();
    }
  }
}
