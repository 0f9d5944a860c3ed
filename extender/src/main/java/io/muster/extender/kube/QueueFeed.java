package io.muster.extender.kube;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.port.EventSink;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells which queues the ConfigMap {@value #NAME} states, as it changes. A document with mistakes
 * changes nothing. Safe for concurrent use.
 */
public final class QueueFeed implements AutoCloseable {

  /** Name of the ConfigMap. */
  public static final String NAME = "muster-queues";

  /** Where the document is in it. */
  public static final String KEY = "queues.yaml";

  private static final Logger LOG = LoggerFactory.getLogger(QueueFeed.class);

  private final EventSink sink;
  private final ConfigMapFeed feed;

  /**
   * Where the ConfigMap is, and who says what is wrong with it.
   *
   * @param component names Muster in Events
   */
  public record Place(String namespace, String component) {}

  /**
   * @param clock dates Events
   */
  public QueueFeed(KubernetesClient client, Place place, EventSink sink, InstantSource clock) {
    this.sink = sink;
    this.feed =
        new ConfigMapFeed(
            client,
            new ConfigMapFeed.Place(place.namespace(), NAME, KEY),
            new ConfigMapEvents(client, "InvalidQueues", place.component(), clock),
            this::take);
  }

  /**
   * Reads the ConfigMap, so that the first gang meets it, and watches it from then on. Where it
   * cannot be read now, there are no queues until it can.
   */
  public void start() {
    try {
      feed.read();
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("queues cannot be read yet; there are none until they can");
    }
    feed.watch();
  }

  private List<String> take(Optional<String> document) {
    try {
      var queues = document.isEmpty() ? Queues.NONE : QueuesReading.read(document.get());
      sink.accept(new Event.QueuesSet(queues));
      LOG.atInfo().addKeyValue("queues", queues.all().size()).log("queues in force");
      return List.of();
    } catch (InvalidQueuesException e) {
      return e.problems();
    }
  }

  @Override
  public void close() {
    feed.close();
  }
}
