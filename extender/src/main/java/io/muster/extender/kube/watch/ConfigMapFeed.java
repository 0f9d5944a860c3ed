package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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

  /** Takes a document. */
  public interface Reader {

    /**
     * Takes it if it is sound.
     *
     * @param document empty where there is no ConfigMap
     * @return every mistake; then nothing has changed
     */
    List<String> take(Optional<String> document);

    /** A version had mistakes, be it that it has no document. */
    default void refused() {}
  }

  private final KubernetesClient client;
  private final Place place;
  private final ConfigMapEvents events;
  private final Reader reader;
  private Optional<String> seen = Optional.empty();
  private Optional<SharedIndexInformer<ConfigMap>> informer = Optional.empty();

  public ConfigMapFeed(
      KubernetesClient client, Place place, ConfigMapEvents events, Reader reader) {
    this.client = client;
    this.place = place;
    this.events = events;
    this.reader = reader;
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

  /** Follows it from now on; tries until it may. */
  public void watch() {
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
    watch.addEventHandler(new Handler());
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
      reader.refused();
      LOG.atWarn()
          .addKeyValue("configMap", place.namespace() + "/" + place.name())
          .addKeyValue("problems", problems)
          .log("a ConfigMap has mistakes and is not in force");
      configMap.ifPresent(found -> events.refused(found, problems));
    }
  }

  private List<String> problems(Optional<ConfigMap> configMap) {
    if (configMap.isEmpty()) {
      return reader.take(Optional.empty());
    }
    var data = Objects.requireNonNullElse(configMap.get().getData(), Map.<String, String>of());
    return data.containsKey(place.key())
        ? reader.take(Optional.of(data.get(place.key())))
        : List.of("data has no key " + place.key());
  }

  @Override
  public void close() {
    informer.ifPresent(SharedIndexInformer::stop);
  }

  private final class Handler implements ResourceEventHandler<ConfigMap> {

    @Override
    public void onAdd(ConfigMap configMap) {
      take(Optional.of(configMap));
    }

    @Override
    public void onUpdate(ConfigMap before, ConfigMap now) {
      take(Optional.of(now));
    }

    @Override
    public void onDelete(ConfigMap configMap, boolean finalStateUnknown) {
      take(Optional.empty());
    }
  }
}
