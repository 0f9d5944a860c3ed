package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Levels.Level;
import io.muster.extender.core.protocol.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
final class LevelsFeedTest {

  private static final String SOUND = "levels: [{name: rack, label: example.com/rack}]";
  private static final Event RACK =
      new Event.LevelsSet(new Levels(List.of(new Level("rack", "example.com/rack", 0)), false));
  private static final Event FOUND = new Event.LevelsSet(Levels.FOUND);

  private KubernetesClient client;
  private KubernetesMockServer server;
  private final List<Event> told = new CopyOnWriteArrayList<>();
  private LevelsFeed feed;

  private void start() {
    feed =
        new LevelsFeed(
            client,
            new QueueFeed.Place("muster-system", "muster"),
            told::add,
            new QueueFeed.Surroundings(
                (delay, work) -> Thread.startVirtualThread(work),
                Runnable::run,
                () -> Instant.EPOCH));
    feed.start();
  }

  @AfterEach
  void stop() {
    feed.close();
  }

  private static ConfigMap document(String text) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withNamespace("muster-system")
        .withName(LevelsFeed.NAME)
        .endMetadata()
        .addToData(LevelsFeed.KEY, text)
        .build();
  }

  @Test
  void withoutAConfigMapTheLevelsAreThoseThatNodesShow() {
    start();
    assertThat(told).containsOnly(FOUND);
  }

  @Test
  void whoMayNotReadItIsNotKeptWaiting() {
    server
        .expect()
        .get()
        .withPath("/api/v1/namespaces/muster-system/configmaps/muster-topology")
        .andReturn(403, new StatusBuilder().withCode(403).withMessage("forbidden").build())
        .once();
    start();
    assertThat(told).contains(FOUND);
  }

  @Test
  void aMistakeLaterLeavesTheLastGoodLevelsInForce() {
    client.resource(document(SOUND)).create();
    start();
    await().until(() -> told.contains(RACK));
    told.clear();

    client.resource(document("levels: [{name: rack}]")).update();
    await().during(Duration.ofMillis(300)).until(told::isEmpty);
  }

  @Test
  void aMistakeAtTheStartLeavesThoseThatNodesShowUntilItIsMended() {
    client.resource(document("levels: [{name: rack}]")).create();
    start();
    await().until(() -> told.contains(FOUND));

    client.resource(document(SOUND)).update();
    await().atMost(Duration.ofSeconds(10)).until(() -> told.contains(RACK));
  }
}
