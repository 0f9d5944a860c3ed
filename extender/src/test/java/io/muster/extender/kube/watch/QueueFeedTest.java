package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.queue.Queues;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Quotas are not open because nobody could read them. */
@EnableKubernetesMockClient(https = false, crud = true)
final class QueueFeedTest {

  private static final String SOUND = "queues:\n- name: research\n  gpus: 8\n";
  private static final String TYPO = "queues:\n- name: research\n  gpu: 8\n";

  private KubernetesClient client;
  private final List<Event> told = new CopyOnWriteArrayList<>();
  private QueueFeed feed;

  private void start() {
    feed =
        new QueueFeed(
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
        .withName(QueueFeed.NAME)
        .endMetadata()
        .addToData(QueueFeed.KEY, text)
        .build();
  }

  private List<String> names() {
    return told.stream()
        .map(event -> ((Event.QueuesSet) event).queues())
        .flatMap(queues -> queues.all().stream())
        .map(queue -> queue.name())
        .distinct()
        .toList();
  }

  @Test
  void withoutAConfigMapThereAreNoQueuesAndNothingIsAwaited() {
    start();

    assertThat(told).contains(new Event.QueuesSet(Queues.NONE));
    assertThat(feed.obstacle()).isEmpty();
  }

  @Test
  void aMistakeAtTheStartIsNoLeaveToHaveNone() {
    client.resource(document(TYPO)).create();
    start();

    assertThat(told).as("not even that there are none").isEmpty();
    assertThat(feed.obstacle())
        .hasValueSatisfying(why ->
            assertThat(why)
                .startsWith("ConfigMap muster-system/muster-queues has mistakes")
                .contains("queues[0].gpu: no such field")
                .contains("mend it, or delete it"));

    client.resource(document(SOUND)).update();
    await().atMost(Duration.ofSeconds(10)).until(() -> names().contains("research"));
    assertThat(feed.obstacle()).isEmpty();
  }

  @Test
  void aMistakeLaterLeavesTheLastGoodQueuesInForce() {
    client.resource(document(SOUND)).create();
    start();
    await().until(() -> names().contains("research"));
    told.clear();

    client.resource(document(TYPO)).update();

    await().during(Duration.ofMillis(300)).until(() -> told.isEmpty() && feed.obstacle().isEmpty());
  }

  @Test
  void aDocumentUnderAnotherKeyIsAMistakeToo() {
    var other = document(SOUND);
    other.getData().put("queue.yml", other.getData().remove(QueueFeed.KEY));
    client.resource(other).create();
    start();

    assertThat(told).isEmpty();
    assertThat(feed.obstacle()).hasValueSatisfying(why -> assertThat(why).contains("queues.yaml"));
  }
}
