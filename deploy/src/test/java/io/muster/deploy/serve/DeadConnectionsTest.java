package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.javalin.Javalin;
import io.javalin.http.Context;
import io.muster.certs.Certificates;
import io.muster.certs.InMemoryCertificateStore;
import io.muster.certs.tls.ClientAuth;
import io.muster.certs.tls.TlsListener;
import io.muster.certs.x509.ServerNames;
import io.muster.faults.TcpSwitch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An apiserver over HTTP/2 behind connections that carry nothing any more. */
final class DeadConnectionsTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  private final TcpSwitch way = TcpSwitch.open();
  private final Set<Integer> connections = ConcurrentHashMap.newKeySet();
  private final Set<Integer> watched = ConcurrentHashMap.newKeySet();
  private final CountDownLatch over = new CountDownLatch(1);
  private Path kubeconfig;
  private Javalin server;
  private KubernetesClient client;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    var store = new InMemoryCertificateStore();
    var certificates =
        Certificates.ensure(
            store, ServerNames.of("localhost", "127.0.0.1"), InstantSource.system());
    server =
        Javalin.create(
                java -> {
                  java.startup.showJavalinBanner = false;
                  TlsListener.on("127.0.0.1", 0, certificates, ClientAuth.NONE).install(java);
                  java.routes.before(context -> connections.add(context.req().getRemotePort()));
                  java.routes.get("/version", DeadConnectionsTest.this::answer);
                  java.routes.get("/api/v1/namespaces", DeadConnectionsTest.this::watch);
                })
            .start();
    way.turnTo(OptionalInt.of(server.port()));
    kubeconfig = folder.resolve("kubeconfig");
    Files.writeString(
        kubeconfig,
        """
        current-context: c
        contexts: [{name: c, context: {cluster: k, user: u}}]
        clusters:
        - name: k
          cluster: {server: "https://127.0.0.1:%d", certificate-authority-data: "%s"}
        users: [{name: u, user: {token: t}}]
        """
            .formatted(
                way.port(),
                Base64.getEncoder()
                    .encodeToString(
                        store.load().orElseThrow().trustedPem().getBytes(StandardCharsets.UTF_8))));
    client =
        ClusterAccess.wholeObjects(
            io.muster.deploy.config.Config.load(
                Optional.empty(), Map.of("MUSTER_CFG_KUBECONFIG", kubeconfig.toString())));
  }

  /** Nothing ever happens. */
  private void watch(Context context) throws IOException, InterruptedException {
    context.contentType("application/json").res().flushBuffer();
    watched.add(context.req().getRemotePort());
    over.await();
  }

  private void answer(Context context) {
    context.contentType("application/json").result("{\"major\": \"1\", \"minor\": \"36\"}");
  }

  @AfterEach
  void stop() {
    over.countDown();
    client.close();
    way.close();
    server.stop();
  }

  /** As of an apiserver whose machine has lost its power. */
  @Test
  void oneFromWhichNothingComesIsLeftForAnother() {
    assertThat(client.getKubernetesVersion().getMinor()).isEqualTo("36");
    way.silence();

    await().atMost(SOON).ignoreException(KubernetesClientException.class).until(this::isAnswered);
    assertThat(connections).hasSizeBetween(2, 3);
  }

  @Test
  void watchesAloneAreOpenedOnAnotherToo() {
    try (var _ = client.namespaces().watch(new Ignoring())) {
      await().atMost(SOON).until(() -> watched.size() == 1);
      way.silence();

      await().atMost(SOON).until(() -> watched.size() == 2);
    }
  }

  private static final class Ignoring implements Watcher<Namespace> {

    @Override
    public void eventReceived(Action action, Namespace namespace) {}

    @Override
    public void onClose(WatcherException cause) {}
  }

  private boolean isAnswered() {
    return client.getKubernetesVersion() != null;
  }

  @Test
  void oneOnWhichNothingHappensIsKept() {
    try (var _ = client.namespaces().watch(new Ignoring())) {
      await().atMost(SOON).until(() -> watched.size() == 1);

      await()
          .during(ClusterAccess.SILENT_WITHIN.multipliedBy(3))
          .atMost(SOON)
          .until(() -> connections.size() == 1);
    }
  }
}
