package io.muster.webhook.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javalin.Javalin;
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

  /** Members of gangs that are inferred would start singly until the watch has caught up. */
  @Test
  void allAreReadBeforeThePortsOpen() throws Exception {
    var list =
        "{\"kind\": \"NamespaceList\", \"apiVersion\": \"v1\", \"metadata\": {\"resourceVersion\": \"1\"},"
            + " \"items\": [{\"metadata\": {\"name\": \"ml\","
            + " \"labels\": {\"muster.io/infer-gangs\": \"true\"}}}]}";
    var server =
        Javalin.create(
                java -> {
                  java.startup.showJavalinBanner = false;
                  java.routes.get(
                      "/api/v1/namespaces",
                      context -> {
                        Thread.sleep(100);
                        context.contentType("application/json").result(list);
                      });
                })
            .start("127.0.0.1", 0);
    var there = new ConfigBuilder().withMasterUrl("http://127.0.0.1:" + server.port()).build();
    try (var api = new KubernetesClientBuilder().withConfig(there).build();
        var read = new NamespaceFeed(api)) {
      assertThat(read.isRead()).isFalse();
      read.start();
      assertThat(read.of("ml")).containsEntry("muster.io/infer-gangs", "true");
      assertThat(read.isRead()).isTrue();
    } finally {
      server.stop();
    }
  }

  @Test
  void anApiServerThatDoesNotAnswerIsToldOf() {
    var nowhere =
        new ConfigBuilder()
            .withMasterUrl("http://127.0.0.1:1")
            .withRequestRetryBackoffLimit(0)
            .build();
    try (var api = new KubernetesClientBuilder().withConfig(nowhere).build();
        var unread = new NamespaceFeed(api)) {
      assertThatThrownBy(unread::start).isInstanceOf(KubernetesClientException.class);
    }
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
