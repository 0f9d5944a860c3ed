package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.InvalidQueuesException;
import io.muster.extender.kube.convert.QueuesReading;
import io.muster.extender.port.Delays;
import io.muster.extender.port.EventSink;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells which queues the ConfigMap {@value #NAME} states, as it changes. A document with mistakes
 * changes nothing; where it is the first, nothing is told until it is mended, since without queues
 * every quota would be open. Safe for concurrent use.
 */
public final class QueueFeed implements AutoCloseable {

  /** Name of the ConfigMap. */
  public static final String NAME = "muster-queues";

  /** Where the document is in it. */
  public static final String KEY = "queues.yaml";

  private static final Logger LOG = LoggerFactory.getLogger(QueueFeed.class);

  private static final Duration READ_APART = Duration.ofSeconds(1);
  private static final String UNREAD = "the queues have not been read yet";

  private final EventSink sink;
  private final Delays delays;
  private final Executor executor;
  private final String name;
  private final ConfigMapFeed feed;
  private volatile Optional<String> obstacle = Optional.of(UNREAD);
  private volatile boolean isClosed;

  /**
   * Where the ConfigMap is, and who says what is wrong with it.
   *
   * @param component names Muster in Events
   */
  public record Place(String namespace, String component) {}

  /**
   * What the feed needs of the process.
   *
   * @param executor runs what waits for the apiserver
   * @param dates dates Events
   */
  public record Surroundings(Delays delays, Executor executor, InstantSource dates) {}

  public QueueFeed(
      KubernetesClient client, Place place, EventSink sink, Surroundings surroundings) {
    this.sink = sink;
    this.delays = surroundings.delays();
    this.executor = surroundings.executor();
    this.name = place.namespace() + "/" + NAME;
    this.feed =
        new ConfigMapFeed(
            client,
            new ConfigMapFeed.Place(place.namespace(), NAME, KEY),
            new ConfigMapEvents(client, "InvalidQueues", place.component(), surroundings.dates()),
            this::take,
            this::refused);
  }

  /** Reads the ConfigMap and watches it from then on; tries until it can be read. */
  public void start() {
    feed.watch();
    read();
  }

  /** That there is no ConfigMap is told by no watch. */
  private void read() {
    if (obstacle.isEmpty() || isClosed) {
      return;
    }
    try {
      feed.read();
    } catch (KubernetesClientException e) {
      obstacle = Optional.of("ConfigMap %s cannot be read: %s".formatted(name, e.getMessage()));
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("queues cannot be read yet; muster is not ready until they can");
      delays.after(READ_APART, () -> executor.execute(this::read));
    }
  }

  /** Why no queues are in force yet; empty once some were, be it none. */
  public Optional<String> obstacle() {
    return obstacle;
  }

  private List<String> take(Optional<String> document) {
    try {
      var queues = document.isEmpty() ? Queues.NONE : QueuesReading.read(document.get());
      sink.accept(new Event.QueuesSet(queues));
      obstacle = Optional.empty();
      LOG.atInfo().addKeyValue("queues", queues.all().size()).log("queues in force");
      return List.of();
    } catch (InvalidQueuesException e) {
      refused(e.problems());
      return e.problems();
    }
  }

  private void refused() {
    if (obstacle.filter(UNREAD::equals).isPresent()) {
      refused(List.of("data has no key " + KEY));
    }
  }

  private void refused(List<String> problems) {
    if (obstacle.isPresent()) {
      obstacle =
          Optional.of(
              ("ConfigMap %s has mistakes, and no earlier version of it is known here: %s; mend it,"
                      + " or delete it to have no queues")
                  .formatted(name, String.join("; ", problems)));
      LOG.atError()
          .addKeyValue("configMap", name)
          .addKeyValue("problems", problems)
          .log("muster is not ready: its queues have mistakes");
    }
  }

  @Override
  public void close() {
    isClosed = true;
    feed.close();
  }
}
