package io.muster.webhook.kube;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class NamespaceFeedTest {

  private final KubernetesClient client =
      new KubernetesClientBuilder().withConfig(Config.empty()).build();
  private final NamespaceFeed feed = new NamespaceFeed(client);
  private final Logger log = (Logger) LoggerFactory.getLogger(NamespaceFeed.class);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  @BeforeEach
  void listen() {
    logged.start();
    log.addAppender(logged);
  }

  @AfterEach
  void close() {
    log.detachAppender(logged);
    feed.close();
    client.close();
  }

  @Test
  void aWordThatSaysNothingAboutEnrolmentIsLoggedOnce() {
    feed.seen(namespace("ml", Map.of("muster.io/enrol", "everything")));
    feed.seen(namespace("ml", Map.of("muster.io/enrol", "everything", "team", "vision")));
    assertThat(logged.list)
        .singleElement()
        .satisfies(line ->
            assertThat(line.getKeyValuePairs().toString())
                .contains("namespace=\"ml\"", "value=\"everything\""));

    feed.seen(namespace("ml", Map.of("muster.io/enrol", "nothing")));
    assertThat(logged.list).hasSize(2);
    assertThat(feed.of("ml")).containsEntry("muster.io/enrol", "nothing");
  }

  @Test
  void aNamespaceThatSaysWhatThereIsOrNothingIsNotLogged() {
    feed.seen(namespace("a", Map.of()));
    feed.seen(namespace("b", Map.of("muster.io/enrol", "shadow")));
    assertThat(logged.list).isEmpty();
  }

  private static Namespace namespace(String name, Map<String, String> labels) {
    return new NamespaceBuilder()
        .withNewMetadata()
        .withName(name)
        .withLabels(labels)
        .endMetadata()
        .build();
  }
}
