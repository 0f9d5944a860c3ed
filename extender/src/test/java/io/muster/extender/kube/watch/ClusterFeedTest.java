package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.NamespaceListBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.WatchEventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.kube.gang.GangObjects;
import io.muster.extender.kube.gang.Gangs;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
final class ClusterFeedTest {

  private static final Event READY = new Event.Ready();
  private static final String NAMESPACES = "/api/v1/namespaces?";

  private KubernetesClient client;
  private KubernetesMockServer server;
  private final List<Event> told = new CopyOnWriteArrayList<>();
  private final GangDirectory directory = new GangDirectory();
  private ClusterFeed feed;

  @BeforeEach
  void fillTheCluster() {
    client.resource(pod("w-0")).create();
    client.resource(gang()).create();
    client.resource(node("n1")).create();
    var translation = new PodConverter(new DialectDetector());
    feed =
        new ClusterFeed(
            client,
            new ClusterFeed.Place("muster-system", Enrolment.GANG),
            translation,
            directory,
            told::add);
  }

  @AfterEach
  void stop() {
    feed.close();
  }

  @Test
  void tellsTheClusterInOrderAndThenReady() {
    start();

    assertThat(told)
        .hasExactlyElementsOfTypes(
            Event.NodeSeen.class,
            Event.RecordFound.class,
            Event.DomainsServed.class,
            Event.PodSeen.class,
            Event.Ready.class);
    assertThat(told.get(1)).isEqualTo(new Event.RecordFound(Gangs.record(Phase.BINDING, 3)));
    assertThat(directory.find(Gangs.TRAIN)).isPresent();
  }

  @Test
  void tellsChangesAsTheyCome() {
    start();
    told.clear();

    client.resource(pod("w-1")).create();
    await().until(() -> told.size() == 1);
    client.pods().inNamespace("ml").withName("w-1").delete();
    client.nodes().withName("n1").delete();
    await().until(() -> told.contains(new Event.NodeGone("n1")));

    await().until(() -> told.stream().anyMatch(Event.PodGone.class::isInstance));
    assertThat(told.getFirst()).isInstanceOf(Event.PodSeen.class);
  }

  @Test
  void forgetsAnObjectThatAUserDeletes() {
    start();

    client.resources(Gang.class).inNamespace("ml").withName("train").delete();

    await().until(() -> directory.find(Gangs.TRAIN).isEmpty());
    assertThat(told).endsWith(READY, new Event.RecordGone(Gangs.TRAIN));
  }

  /** While nobody watched, it was deleted and made again. */
  @Test
  void aNamespaceThatTakesThePlaceOfAnotherIsToldAnew() {
    var list =
        new NamespaceListBuilder()
            .withNewMetadata()
            .withResourceVersion("1")
            .endMetadata()
            .withItems(namespace("u-1"))
            .build();
    var gone = new StatusBuilder().withCode(HttpURLConnection.HTTP_GONE).build();
    server.expect().get().withPath(NAMESPACES + "resourceVersion=0").andReturn(200, list).once();
    server
        .expect()
        .get()
        .withPath(
            NAMESPACES + "allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=600&watch=true")
        .andUpgradeToWebSocket()
        .open()
        .waitFor(500)
        .andEmit(new WatchEventBuilder().withType("ERROR").withObject(gone).build())
        .done()
        .once();
    client.resource(namespace("u-2")).create();
    start();

    await().until(() -> told.contains(new Event.NamespaceGone("quiet")));
    await()
        .untilAsserted(
            () -> assertThat(told).endsWith(new Event.NamespaceSeen("quiet", Enrolment.SHADOW)));
  }

  private static Namespace namespace(String uid) {
    return new NamespaceBuilder()
        .withNewMetadata()
        .withName("quiet")
        .withUid(uid)
        .withResourceVersion("1")
        .addToLabels("muster.io/enrol", "shadow")
        .endMetadata()
        .build();
  }

  @Test
  void waitsForQueuesWhereTheyAreToBeToldHere() {
    var queues = feed.awaitQueues();
    feed.start();
    await().until(() -> feed.unread().equals(List.of("queues")));
    assertThat(told).isEmpty();

    queues.accept(new Event.QueuesSet(Queues.NONE));

    await().until(() -> told.contains(READY));
    assertThat(told.getFirst()).isEqualTo(new Event.QueuesSet(Queues.NONE));
    assertThat(feed.unread()).isEmpty();
  }

  private void start() {
    feed.start();
    await().until(() -> told.contains(READY));
  }

  private static Pod pod(String name) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("ml")
        .withUid("u-" + name)
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .build();
  }

  private static io.fabric8.kubernetes.api.model.Node node(String name) {
    return new NodeBuilder().withNewMetadata().withName(name).endMetadata().build();
  }

  private static Gang gang() {
    var record = Gangs.record(Phase.BINDING, 3);
    var gang = new Gang();
    gang.setMetadata(new ObjectMetaBuilder().withName("train").withNamespace("ml").build());
    gang.setSpec(GangObjects.specOf(record));
    gang.setStatus(GangObjects.statusOf(record, Gangs.report(Phase.BINDING, "")));
    return gang;
  }
}
