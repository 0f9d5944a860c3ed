package io.muster.webhook.kube;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.kube.watch.ConfigMapEvents;
import io.muster.extender.kube.watch.ConfigMapFeed;
import io.muster.webhook.core.profile.Rulebook;
import io.muster.webhook.json.InvalidProfilesException;
import io.muster.webhook.json.ProfilesReading;
import io.muster.webhook.port.ProfileMeter;
import java.time.InstantSource;
import java.util.List;
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
  private static final int FORBIDDEN = 403;

  private final ProfilesReading reading;
  private final ProfileMeter meter;
  private final ConfigMapFeed feed;
  private volatile Rulebook inForce;

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
    this.reading = reading;
    this.meter = meter;
    this.inForce = reading.defaults();
    this.feed =
        new ConfigMapFeed(
            client,
            new ConfigMapFeed.Place(place.namespace(), NAME, KEY),
            new ConfigMapEvents(client, "InvalidProfiles", place.component(), clock),
            this::take,
            meter::refused);
  }

  @Override
  public Rulebook get() {
    return inForce;
  }

  /**
   * Reads the ConfigMap, so that the first pod meets it, and watches it from then on; once more
   * where etcd was restored, of which a watch does not tell.
   *
   * @throws KubernetesClientException where the apiserver does not answer
   */
  public void start() {
    try {
      feed.read();
    } catch (KubernetesClientException e) {
      if (e.getCode() != FORBIDDEN) {
        throw e;
      }
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("profiles may not be read, the built-in ones are in force");
    }
    feed.watch();
  }

  private List<String> take(Optional<String> document) {
    try {
      inForce = document.isEmpty() ? reading.defaults() : reading.read(document.get());
      meter.loaded();
      LOG.atInfo()
          .addKeyValue("profiles", inForce.names())
          .addKeyValue("hash", inForce.hash())
          .log("profiles in force");
      return List.of();
    } catch (InvalidProfilesException e) {
      return e.problems();
    }
  }

  @Override
  public void close() {
    feed.close();
  }
}
