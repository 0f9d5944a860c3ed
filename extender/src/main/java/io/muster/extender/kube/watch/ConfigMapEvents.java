package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whoever edits a ConfigMap of Muster's what is wrong with it, by an Event on the ConfigMap:
 * one for each version of it, however many processes read it. Safe for concurrent use.
 */
public final class ConfigMapEvents {

  private static final Logger LOG = LoggerFactory.getLogger(ConfigMapEvents.class);
  private static final int LONGEST_MESSAGE = 1000;
  private static final int CONFLICT = 409;

  private final KubernetesClient client;
  private final String reason;
  private final String component;
  private final InstantSource clock;

  /**
   * @param reason of every such Event
   * @param component names Muster in Events
   * @param clock dates them
   */
  public ConfigMapEvents(
      KubernetesClient client, String reason, String component, InstantSource clock) {
    this.client = client;
    this.reason = reason;
    this.component = component;
    this.clock = clock;
  }

  /** Says that this version of it is not in force, and why. */
  public void refused(ConfigMap configMap, List<String> problems) {
    var metadata = configMap.getMetadata();
    var text = "not in force: " + String.join("; ", problems);
    var message =
        text.length() > LONGEST_MESSAGE ? text.substring(0, LONGEST_MESSAGE) + "..." : text;
    var identity = metadata.getUid() + metadata.getResourceVersion() + message;
    var hash = UUID.nameUUIDFromBytes(identity.getBytes(StandardCharsets.UTF_8));
    var now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
    var event =
        new EventBuilder()
            .withNewMetadata()
            .withName(metadata.getName() + "." + Long.toHexString(hash.getMostSignificantBits()))
            .withNamespace(metadata.getNamespace())
            .endMetadata()
            .withNewInvolvedObject()
            .withApiVersion("v1")
            .withKind("ConfigMap")
            .withNamespace(metadata.getNamespace())
            .withName(metadata.getName())
            .withUid(metadata.getUid())
            .withResourceVersion(metadata.getResourceVersion())
            .endInvolvedObject()
            .withType("Warning")
            .withReason(reason)
            .withMessage(message)
            .withNewSource()
            .withComponent(component)
            .endSource()
            .withReportingComponent(component)
            .withFirstTimestamp(now)
            .withLastTimestamp(now)
            .withCount(1)
            .build();
    try {
      client.v1().events().inNamespace(metadata.getNamespace()).resource(event).create();
    } catch (KubernetesClientException e) {
      if (e.getCode() != CONFLICT) {
        LOG.atWarn().addKeyValue("message", e.getMessage()).log("an Event could not be written");
      }
    }
  }
}
