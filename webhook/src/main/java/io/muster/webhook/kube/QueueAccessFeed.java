package io.muster.webhook.kube;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.InvalidQueuesException;
import io.muster.extender.kube.convert.QueuesReading;
import io.muster.extender.kube.watch.ConfigMapEvents;
import io.muster.extender.kube.watch.ConfigMapFeed;
import io.muster.extender.kube.watch.QueueFeed;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queues that the ConfigMap {@code muster-queues} states, for admission: which are open to
 * whom. A document with mistakes changes nothing. Before one has been read every queue is open
 * here; what decides about gangs asks again, and waits for the document. Safe for concurrent use.
 */
public final class QueueAccessFeed implements Supplier<Queues>, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(QueueAccessFeed.class);

  private final ConfigMapFeed feed;
  private volatile Queues inForce = Queues.NONE;

  /**
   * @param namespace of the ConfigMap
   * @param component names Muster in Events
   * @param clock dates Events
   */
  public QueueAccessFeed(
      KubernetesClient client, String namespace, String component, InstantSource clock) {
    this.feed =
        new ConfigMapFeed(
            client,
            new ConfigMapFeed.Place(namespace, QueueFeed.NAME, QueueFeed.KEY),
            new ConfigMapEvents(client, "InvalidQueues", component, clock),
            this::take,
            () -> {});
  }

  @Override
  public Queues get() {
    return inForce;
  }

  /**
   * Reads the ConfigMap, so that the first pod meets it, and watches it from then on; once more
   * where etcd was restored, of which a watch does not tell.
   */
  public void start() {
    try {
      feed.read();
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("queues cannot be read yet; admission takes every queue for open until they can");
    }
    feed.watch();
  }

  List<String> take(Optional<String> document) {
    try {
      inForce = document.isEmpty() ? Queues.NONE : QueuesReading.read(document.get());
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
