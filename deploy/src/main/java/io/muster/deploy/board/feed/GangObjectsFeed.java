package io.muster.deploy.board.feed;

import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.kube.OnChange;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangObjects;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Gang objects as they stand, and what is told of them in Events. Safe for concurrent use. */
final class GangObjectsFeed implements AutoCloseable {

  private static final long NO_RESYNC = 0;
  private static final int MOST_EVENTS = 50;

  /** A tenant may make as many as he likes. */
  private static final long MOST_READ = 500;

  private final SharedIndexInformer<Gang> informer;
  private final Map<GangId, Gang> objects = new ConcurrentHashMap<>();

  private GangObjectsFeed(Informable<Gang> gangs, Runnable changed) {
    this.informer = gangs.runnableInformer(NO_RESYNC);
    informer.exceptionHandler((_, _) -> true);
    informer.addEventHandler(
        new OnChange<>(
            gang -> {
              GangObjects.idOf(gang).ifPresent(id -> objects.put(id, gang));
              changed.run();
            },
            gang -> {
              GangObjects.idOf(gang).ifPresent(objects::remove);
              changed.run();
            }));
  }

  /**
   * Those of all namespaces.
   *
   * @param changed is run after each change
   */
  static GangObjectsFeed ofAll(KubernetesClient client, Runnable changed) {
    return new GangObjectsFeed(client.resources(Gang.class).inAnyNamespace(), changed);
  }

  /** Those of one namespace. */
  static GangObjectsFeed of(KubernetesClient client, String namespace, Runnable changed) {
    return new GangObjectsFeed(client.resources(Gang.class).inNamespace(namespace), changed);
  }

  /** Begins to watch; returns at once. */
  void start() {
    informer.start();
  }

  Map<GangId, Gang> objects() {
    return Map.copyOf(objects);
  }

  /** The last events about the gang's object, the newest first. */
  List<GangPage.EventRow> events(KubernetesClient client, GangId gang) {
    var name = Optional.ofNullable(objects.get(gang)).map(object -> object.getMetadata().getName());
    return name.stream()
        .flatMap(object ->
            client
                .v1()
                .events()
                .inNamespace(gang.namespace())
                .list(
                    new ListOptionsBuilder()
                        .withFieldSelector("involvedObject.kind=Gang,involvedObject.name=" + object)
                        .withLimit(MOST_READ)
                        .build())
                .getItems()
                .stream())
        .map(GangPage::event)
        .sorted(Comparator.comparing(GangPage.EventRow::time).reversed())
        .limit(MOST_EVENTS)
        .toList();
  }

  @Override
  public void close() {
    informer.stop();
  }
}
