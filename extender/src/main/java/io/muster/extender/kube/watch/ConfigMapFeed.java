package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.extender.kube.OnChange;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The document in one ConfigMap of Muster's, as it changes. Each version is read once; one with
 * mistakes is told of by an Event on the ConfigMap and a log line. Safe for concurrent use; the
 * reader is called by one thread at a time.
 */
public final class ConfigMapFeed implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ConfigMapFeed.class);
  private static final long NO_RESYNC = 0;

  /** Where the document is. */
  public record Place(String namespace, String name, String key) {}

  private final KubernetesClient client;
  private final Place place;
  private final ConfigMapEvents events;
  private final Function<Optional<String>, List<String>> reader;
  private final Runnable refused;
  private Optional<String> seen = Optional.empty();
  private Optional<SharedIndexInformer<ConfigMap>> informer = Optional.empty();

  /**
   * @param reader takes a document if it is sound, empty where there is no ConfigMap; returns every
   *     mistake, and then nothing has changed
   * @param refused is run where a version has mistakes, be it that it has no document
   */
  public ConfigMapFeed(
      KubernetesClient client,
      Place place,
      ConfigMapEvents events,
      Function<Optional<String>, List<String>> reader,
      Runnable refused) {
    this.client = client;
    this.place = place;
    this.events = events;
    this.reader = reader;
    this.refused = refused;
  }

  /**
   * Reads it at once.
   *
   * @throws KubernetesClientException where the apiserver does not answer, or refuses
   */
  public void read() {
    take(
        Optional.ofNullable(
            client.configMaps().inNamespace(place.namespace()).withName(place.name()).get()));
  }

  /** Follows it from now on, by a new watch if there is one; tries until it may. */
  public synchronized void watch() {
    close();
    var watch =
        client
            .configMaps()
            .inNamespace(place.namespace())
            .withName(place.name())
            .runnableInformer(NO_RESYNC);
    watch.exceptionHandler((_, problem) -> {
      LOG.atWarn()
          .addKeyValue("configMap", place.name())
          .addKeyValue("message", problem.getMessage())
          .log("the watch of a ConfigMap failed and is opened again");
      return true;
    });
    watch.addEventHandler(
        new OnChange<>(found -> take(Optional.of(found)), _ -> take(Optional.empty())));
    informer = Optional.of(watch);
    var _ = watch.start();
  }

  private synchronized void take(Optional<ConfigMap> configMap) {
    var version = configMap.map(found -> found.getMetadata().getResourceVersion());
    if (version.isPresent() && version.equals(seen)) {
      return;
    }
    seen = version;
    var problems = problems(configMap);
    if (!problems.isEmpty()) {
      refused.run();
      LOG.atWarn()
          .addKeyValue("configMap", place.namespace() + "/" + place.name())
          .addKeyValue("problems", problems)
          .log("a ConfigMap has mistakes and is not in force");
      configMap.ifPresent(found -> events.refused(found, problems));
    }
  }

  private List<String> problems(Optional<ConfigMap> configMap) {
    if (configMap.isEmpty()) {
      return reader.apply(Optional.empty());
    }
    var data = Objects.requireNonNullElse(configMap.get().getData(), Map.<String, String>of());
    return data.containsKey(place.key())
        ? reader.apply(Optional.of(data.get(place.key())))
        : List.of("data has no key " + place.key());
  }

  @Override
  public synchronized void close() {
    informer.ifPresent(SharedIndexInformer::stop);
  }
}
