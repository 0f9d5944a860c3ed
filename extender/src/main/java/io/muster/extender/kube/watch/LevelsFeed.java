package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.convert.LevelsReading;
import io.muster.extender.port.EventSink;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells which levels of the network the ConfigMap {@value #NAME} states, as it changes. A document
 * with mistakes changes nothing; where it is the first, or none may be read, the levels are those
 * that the labels of the nodes show. Safe for concurrent use.
 */
public final class LevelsFeed implements AutoCloseable {

  /** Name of the ConfigMap. */
  public static final String NAME = "muster-topology";

  /** Where the document is in it. */
  public static final String KEY = "topology.yaml";

  private static final Logger LOG = LoggerFactory.getLogger(LevelsFeed.class);
  private static final Duration READ_APART = Duration.ofSeconds(1);

  private final EventSink sink;
  private final QueueFeed.Surroundings surroundings;
  private final ConfigMapFeed feed;
  private volatile boolean isTold;
  private volatile boolean isClosed;

  public LevelsFeed(
      KubernetesClient client,
      QueueFeed.Place place,
      EventSink sink,
      QueueFeed.Surroundings surroundings) {
    this.sink = sink;
    this.surroundings = surroundings;
    this.feed =
        new ConfigMapFeed(
            client,
            new ConfigMapFeed.Place(place.namespace(), NAME, KEY),
            new ConfigMapEvents(client, "InvalidTopology", place.component(), surroundings.dates()),
            this::take,
            this::tellIfFirst);
  }

  /** Reads the ConfigMap and watches it from then on; tries until it can be read. */
  public void start() {
    feed.watch();
    read();
  }

  /** That there is no ConfigMap is told by no watch. */
  private void read() {
    if (isTold || isClosed) {
      return;
    }
    try {
      feed.read();
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("the levels of the network cannot be read yet");
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        tellIfFirst();
      } else {
        surroundings.delays().after(READ_APART, () -> surroundings.executor().execute(this::read));
      }
    }
  }

  private List<String> take(Optional<String> document) {
    var read =
        document.map(LevelsReading::read).orElse(new LevelsReading.Read(Levels.FOUND, List.of()));
    if (read.problems().isEmpty()) {
      tell(read.levels());
    }
    return read.problems();
  }

  private void tellIfFirst() {
    if (!isTold) {
      tell(Levels.FOUND);
    }
  }

  private void tell(Levels levels) {
    isTold = true;
    sink.accept(new Event.LevelsSet(levels));
    LOG.atInfo().addKeyValue("levels", levels.labels()).log("levels of the network in force");
  }

  @Override
  public void close() {
    isClosed = true;
    feed.close();
  }
}
