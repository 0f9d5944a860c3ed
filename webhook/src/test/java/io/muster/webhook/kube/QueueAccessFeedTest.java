package io.muster.webhook.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which queues are open at admission, as the document changes. */
final class QueueAccessFeedTest {

  private static final String CLOSED = "queues: [{name: speech, gpus: 8, namespaces: [a]}]";
  private static final String OPEN = "queues: [{name: speech, gpus: 8, namespaces: [a, '*']}]";
  private static final String TYPO = "queues: [{name: speech, gpu: 8}]";

  private final KubernetesClient client =
      new KubernetesClientBuilder().withConfig(Config.empty()).build();
  private final QueueAccessFeed feed =
      new QueueAccessFeed(client, "muster-system", "muster", InstantSource.fixed(Instant.EPOCH));

  @AfterEach
  void close() {
    feed.close();
    client.close();
  }

  private boolean isOpen() {
    return feed.get().barred("b", Optional.of("speech")).isEmpty();
  }

  @Test
  void aQueueIsOpenAsTheNewestDocumentSays() {
    assertThat(isOpen()).as("before one has been read").isTrue();
    assertThat(feed.take(Optional.of(CLOSED))).isEmpty();
    assertThat(isOpen()).isFalse();
    assertThat(feed.take(Optional.of(OPEN))).isEmpty();
    assertThat(isOpen()).isTrue();
  }

  @Test
  void aDocumentWithMistakesOpensNothing() {
    feed.take(Optional.of(CLOSED));
    assertThat(feed.take(Optional.of(TYPO))).singleElement().asString().contains("no such field");
    assertThat(isOpen()).isFalse();
  }

  @Test
  void withoutADocumentThereIsNoQueueToKeepAnybodyOutOf() {
    feed.take(Optional.of(CLOSED));
    assertThat(feed.take(Optional.empty())).isEmpty();
    assertThat(isOpen()).isTrue();
  }
}
