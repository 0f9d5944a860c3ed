package io.muster.extender.kube.snapshot;

import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.InvalidQueuesException;
import io.muster.extender.kube.convert.LevelsReading;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.convert.QueuesReading;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.kube.watch.ClusterFeed;
import io.muster.extender.kube.watch.LevelsFeed;
import io.muster.extender.kube.watch.QueueFeed;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Reads a cluster once, by the feed that a running Muster watches it with. Confined to the thread
 * that waits for it.
 */
public final class ClusterReading {

  /** Claims and volumes are read after the pods that mount them. */
  private static final Duration FOR_VOLUMES = Duration.ofSeconds(2);

  private final List<Event> events = new ArrayList<>();
  private final CountDownLatch ready = new CountDownLatch(1);

  private ClusterReading() {}

  /**
   * What a Muster that starts now would be told.
   *
   * @param patience how long to wait at most
   * @throws KubernetesClientException if the apiserver refuses, or has not told all by then
   */
  public static List<Event> of(
      KubernetesClient client, ClusterFeed.Place place, PodConverter translation, Duration patience)
      throws InterruptedException {
    requireRights(client);
    var reading = new ClusterReading();
    reading.take(new Event.QueuesSet(queues(client, place.ownNamespace())));
    reading.take(new Event.LevelsSet(levels(client, place.ownNamespace())));
    try (var feed =
        new ClusterFeed(client, place, translation, new GangDirectory(), reading::take)) {
      feed.start();
      if (!reading.ready.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new KubernetesClientException(
            "the cluster could not be read within %ds".formatted(patience.toSeconds()));
      }
      if (reading.awaitsVolumes()) {
        new CountDownLatch(1).await(FOR_VOLUMES.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
    return reading.told();
  }

  /** Those in force at a start: a document with mistakes is not. */
  public static Queues queues(KubernetesClient client, String ownNamespace) {
    var text = document(client, ownNamespace, QueueFeed.NAME, QueueFeed.KEY);
    try {
      return text.isPresent() ? QueuesReading.read(text.get()) : Queues.NONE;
    } catch (InvalidQueuesException _) {
      return Queues.NONE;
    }
  }

  /** The same of the levels of the network; those that nodes show, where they may not be read. */
  public static Levels levels(KubernetesClient client, String ownNamespace) {
    try {
      return document(client, ownNamespace, LevelsFeed.NAME, LevelsFeed.KEY)
          .map(text -> LevelsReading.read(text).levels())
          .orElse(Levels.FOUND);
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return Levels.FOUND;
      }
      throw e;
    }
  }

  /** What a ConfigMap has under that key; empty without one, or without the key. */
  public static Optional<String> document(
      KubernetesClient client, String namespace, String name, String key) {
    return Optional.ofNullable(client.configMaps().inNamespace(namespace).withName(name).get())
        .flatMap(map -> Optional.ofNullable(map.getData()))
        .flatMap(data -> Optional.ofNullable(data.get(key)));
  }

  /**
   * A watch that may not list tries for ever; a list says what is missing.
   *
   * @throws KubernetesClientException if the apiserver refuses one that a reading takes
   */
  public static void requireRights(KubernetesClient client) {
    var one = new ListOptionsBuilder().withLimit(1L).build();
    client.namespaces().list(one);
    client.nodes().list(one);
    client.resources(Gang.class).inAnyNamespace().list(one);
    client.pods().inAnyNamespace().list(one);
  }

  private synchronized void take(Event event) {
    events.add(event);
    if (event instanceof Event.Ready) {
      ready.countDown();
    }
  }

  private synchronized List<Event> told() {
    return List.copyOf(events);
  }

  private synchronized boolean awaitsVolumes() {
    return events.stream()
        .anyMatch(
            event -> event instanceof Event.PodSeen(var pod) && pod.progress().awaitsVolumes());
  }
}
