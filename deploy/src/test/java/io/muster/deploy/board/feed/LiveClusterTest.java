package io.muster.deploy.board.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.deploy.config.Config;
import io.muster.deploy.view.Views;
import io.muster.extender.core.cluster.Node;
import io.muster.sandbox.Await;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster whose API server does not answer everything. */
@EnableKubernetesMockClient(https = false, crud = true)
final class LiveClusterTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  private KubernetesMockServer server;
  private KubernetesClient client;

  private Config settings(Path folder) throws IOException {
    var kubeconfig =
        Files.writeString(
            folder.resolve("kubeconfig"),
            """
            {"apiVersion": "v1", "kind": "Config", "current-context": "lab",
             "clusters": [{"name": "lab", "cluster": {"server": "%s"}}],
             "users": [{"name": "me", "user": {}}],
             "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": "me"}}]}
            """
                .formatted(client.getConfiguration().getMasterUrl()));
    return Config.load(Optional.empty(), Map.of("MUSTER_CFG_KUBECONFIG", kubeconfig.toString()));
  }

  private static List<String> nodes(Seen seen) {
    return seen.replay().orElseThrow().view().nodes().stream().map(Node::name).toList();
  }

  @Test
  void aChangeIsShownAfterALookThatCameToNothing(@TempDir Path folder)
      throws IOException, InterruptedException {
    try (var cluster =
        LiveCluster.open("lab", client, settings(folder), InstantSource.fixed(Views.NOW))) {
      Await.until("a quiet cluster", SOON, () -> look(cluster).isEmpty());
      client
          .resource(new NodeBuilder().withNewMetadata().withName("late").endMetadata().build())
          .create();
      cluster.awaitChange(SOON);
      server
          .expect()
          .get()
          .withPath("/api/v1/namespaces/muster-system/configmaps/muster-topology")
          .andReturn(HttpURLConnection.HTTP_BAD_REQUEST, "")
          .once();

      assertThatThrownBy(cluster::look).isInstanceOf(KubernetesClientException.class);
      assertThat(cluster.look().map(LiveClusterTest::nodes)).contains(List.of("late"));
    }
  }

  private static Optional<Seen> look(LiveCluster cluster) {
    try {
      return cluster.look();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
