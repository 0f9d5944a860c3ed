package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.WatchEventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.gang.GangDirectory;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** etcd was restored with versions that go on, so that watches are refused and lists read again. */
@EnableKubernetesMockClient(https = false, crud = true)
final class RestoredFeedTest {

  private static final String PODS = "/api/v1/pods";

  private KubernetesClient client;
  private KubernetesMockServer server;
  private final List<Event> told = new CopyOnWriteArrayList<>();
  private final AtomicInteger goneBack = new AtomicInteger();
  private ClusterFeed feed;

  @BeforeEach
  void serve() {
    var gone = new StatusBuilder().withCode(HttpURLConnection.HTTP_GONE).build();
    server
        .expect()
        .get()
        .withPath(PODS + "?resourceVersion=0")
        .andReturn(200, list("80", pod("a", "10", "n1"), pod("b", "70", "n1"), pod("c", "71", "")))
        .once();
    server
        .expect()
        .get()
        .withPath(
            PODS + "?allowWatchBookmarks=true&resourceVersion=80&timeoutSeconds=600&watch=true")
        .andUpgradeToWebSocket()
        .open()
        .waitFor(500)
        .andEmit(new WatchEventBuilder().withType("ERROR").withObject(gone).build())
        .done()
        .once();
    server
        .expect()
        .get()
        .withPath(PODS)
        .andReturn(200, list("1000", pod("a", "10", "n1"), pod("b", "20", ""), pod("d", "30", "")))
        .always();
    feed =
        new ClusterFeed(
            client,
            new ClusterFeed.Place("muster-system", Enrolment.GANG),
            new PodConverter(new DialectDetector()),
            new GangDirectory(),
            told::add);
  }

  @AfterEach
  void stop() {
    feed.close();
  }

  private static PodList list(String version, Pod... pods) {
    return new PodListBuilder()
        .withNewMetadata()
        .withResourceVersion(version)
        .endMetadata()
        .withItems(pods)
        .build();
  }

  private static Pod pod(String name, String version, String node) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("ml")
        .withUid("u-" + name)
        .withResourceVersion(version)
        .endMetadata()
        .withNewSpec()
        .withNodeName(node.isEmpty() ? null : node)
        .endSpec()
        .build();
  }

  private List<String> pods() {
    return told.stream()
        .filter(Event.PodSeen.class::isInstance)
        .map(event -> ((Event.PodSeen) event).pod().key().name())
        .toList();
  }

  /** A gang that has started would let members join it that wait again. */
  @Test
  void nothingIsToldOfItToWhoeverDecidesButThatItIsSo() {
    feed.whenGoneBack(goneBack::incrementAndGet);
    feed.start();
    await().until(() -> told.contains(new Event.Ready()));
    assertThat(pods()).containsExactly("a", "b", "c");

    await().until(() -> goneBack.get() == 1);

    assertThat(pods()).doesNotContain("d").hasSize(3);
    await().during(Duration.ofMillis(300)).until(() -> pods().size() == 3);
  }

  @Test
  void whoeverOnlyShowsWhatIsThereIsToldAll() {
    feed.start();

    await().until(() -> pods().contains("d"));

    assertThat(pods()).containsExactly("a", "b", "c", "b", "d");
  }
}
