package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.webhook.core.profile.Rulebook;
import io.muster.webhook.json.InvalidProfilesException;
import io.muster.webhook.json.ProfilesReading;
import io.muster.webhook.port.ProfileMeter;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules that the ConfigMap {@code muster-profiles} states, as it changes. A document with
 * mistakes changes nothing; an Event on the ConfigMap, a log line and a metric tell of it. Safe for
 * concurrent use.
 */
public final class ProfileFeed implements Supplier<Rulebook>, AutoCloseable {

  /** Name of the ConfigMap. */
  public static final String NAME = "muster-profiles";

  /** Where the document is in it. */
  public static final String KEY = "profiles.yaml";

  private static final Logger LOG = LoggerFactory.getLogger(ProfileFeed.class);
  private static final long NO_RESYNC = 0;
  private static final int FORBIDDEN = 403;

  private final KubernetesClient client;
  private final String namespace;
  private final ProfilesReading reading;
  private final ProfileMeter meter;
  private final ProfileEvents events;
  private volatile Rulebook inForce;
  private Optional<String> seen = Optional.empty();
  private Optional<SharedIndexInformer<ConfigMap>> informer = Optional.empty();

  /**
   * Where the ConfigMap is, and who says what is wrong with it.
   *
   * @param component names Muster in Events
   */
  public record Place(String namespace, String component) {}

  /**
   * @param clock dates Events
   */
  public ProfileFeed(
      KubernetesClient client,
      Place place,
      ProfilesReading reading,
      ProfileMeter meter,
      InstantSource clock) {
    this.client = client;
    this.namespace = place.namespace();
    this.reading = reading;
    this.meter = meter;
    this.events = new ProfileEvents(client, place.component(), clock);
    this.inForce = reading.defaults();
  }

  @Override
  public Rulebook get() {
    return inForce;
  }

  /**
   * Reads the ConfigMap, so that the first pod meets it, and watches it from then on.
   *
   * @throws KubernetesClientException where the apiserver does not answer
   */
  public void start() {
    var resource = client.configMaps().inNamespace(namespace).withName(NAME);
    try {
      take(Optional.ofNullable(resource.get()));
    } catch (KubernetesClientException e) {
      if (e.getCode() != FORBIDDEN) {
        throw e;
      }
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("profiles may not be read, the built-in ones are in force");
    }
    var watch = resource.runnableInformer(NO_RESYNC);
    watch.exceptionHandler((_, problem) -> {
      LOG.atWarn()
          .addKeyValue("message", problem.getMessage())
          .log("the watch of profiles failed and is opened again");
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
    try {
      inForce = configMap.isEmpty() ? reading.defaults() : reading.read(text(configMap.get()));
      meter.loaded();
      LOG.atInfo()
          .addKeyValue("profiles", inForce.names())
          .addKeyValue("hash", inForce.hash())
          .log("profiles in force");
    } catch (InvalidProfilesException e) {
      meter.refused();
      LOG.atWarn()
          .addKeyValue("configMap", namespace + "/" + NAME)
          .addKeyValue("problems", e.problems())
          .addKeyValue("hashInForce", inForce.hash())
          .log("profiles have mistakes and are not in force");
      configMap.ifPresent(found -> events.refused(found, e.problems()));
    }
  }

  private static String text(ConfigMap configMap) throws InvalidProfilesException {
    var data = Objects.requireNonNullElse(configMap.getData(), Map.<String, String>of());
    if (!data.containsKey(KEY)) {
      throw ProfilesReading.problem("data has no key " + KEY);
    }
    return data.get(KEY);
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
