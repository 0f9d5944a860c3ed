package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.api.model.WatchEventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangSpec;
import io.muster.webhook.kube.GangServices;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
final class GangServicesTest {

  private static final String MEMBERS = "/api/v1/pods?";
  private static final String LABELLED = "labelSelector=muster.io%2Fgang-service&";

  private KubernetesClient client;
  private KubernetesMockServer server;

  /** While nobody watched, it was deleted, and made again for another gang. */
  @Test
  void aMemberThatTakesThePlaceOfAnotherHasItsService() {
    var list =
        new PodListBuilder()
            .withNewMetadata()
            .withResourceVersion("1")
            .endMetadata()
            .withItems(member("u-1", "before"))
            .build();
    var gone = new StatusBuilder().withCode(HttpURLConnection.HTTP_GONE).build();
    server
        .expect()
        .get()
        .withPath(MEMBERS + LABELLED + "resourceVersion=0")
        .andReturn(200, list)
        .once();
    server
        .expect()
        .get()
        .withPath(
            MEMBERS
                + "allowWatchBookmarks=true&"
                + LABELLED
                + "resourceVersion=1&timeoutSeconds=600&watch=true")
        .andUpgradeToWebSocket()
        .open()
        .waitFor(500)
        .andEmit(new WatchEventBuilder().withType("ERROR").withObject(gone).build())
        .done()
        .once();
    client.resource(gang("before")).create();
    client.resource(gang("after")).create();
    client.resource(member("u-2", "after")).create();
    try (var workers = Executors.newVirtualThreadPerTaskExecutor();
        var services = new GangServices(client, workers, (_, work) -> workers.execute(work))) {
      services.start();

      await().until(() -> isThere("muster-before"));
      await().until(() -> isThere("muster-after"));
    }
  }

  /** A tenant may make ten thousand pods that say they want a Service of a gang there is not. */
  @Test
  void howeverManyServicesCannotBeMadeTheApiServerIsAskedForFewASecond() {
    int gangs = 500;
    for (int i = 0; i < gangs; i++) {
      var pod = member("u-" + i, "g" + i);
      pod.getMetadata().setName("w-" + i);
      client.resource(pod).create();
    }
    var pauses = new ConcurrentLinkedQueue<Duration>();
    try (var workers = Executors.newVirtualThreadPerTaskExecutor();
        var services = new GangServices(client, workers, (pause, _) -> pauses.add(pause))) {
      services.start();

      await().atMost(Duration.ofMinutes(2)).until(() -> pauses.size() == gangs);
      var other = member("u-other", "g");
      other.getMetadata().setNamespace("other");
      client.resource(other).create();
      await().until(() -> pauses.size() == gangs + 1);
      assertThat(List.copyOf(pauses).getLast())
          .as("before that of another namespace is tried again")
          .isLessThan(Duration.ofSeconds(1));
    }
    assertThat(pauses.stream().filter(pause -> pause.compareTo(Duration.ofSeconds(10)) < 0))
        .as("those that are tried again within ten seconds")
        .hasSizeBetween(151, 201);
  }

  private boolean isThere(String service) {
    return client.services().inNamespace("ml").withName(service).get() != null;
  }

  private static Gang gang(String name) {
    var gang = new Gang();
    gang.getMetadata().setName(name);
    gang.getMetadata().setNamespace("ml");
    gang.setSpec(new GangSpec("muster", name, 2));
    return gang;
  }

  private static Pod member(String uid, String gang) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("w-0")
        .withNamespace("ml")
        .withUid(uid)
        .withResourceVersion("1")
        .addToLabels("muster.io/gang-service", "muster-" + gang)
        .addToAnnotations("muster.io/gang-name", gang)
        .addToAnnotations("muster.io/gang-min", "2")
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .build();
  }
}
