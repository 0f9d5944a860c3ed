package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.InstantSource;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leaves Events on jobs. Safe for concurrent use. */
public final class JobEvents {

  private static final Logger LOG = LoggerFactory.getLogger(JobEvents.class);

  private static final int SUFFIX = 13;

  /** What the apiserver takes in an Event. */
  private static final int LONGEST_MESSAGE = 1024;

  private final KubernetesClient client;
  private final InstantSource clock;
  private final String component;

  /**
   * @param component names Muster in Events
   */
  public JobEvents(KubernetesClient client, InstantSource clock, String component) {
    this.client = client;
    this.clock = clock;
    this.component = component;
  }

  /**
   * Leaves an Event on the object; what cannot be written is only logged.
   *
   * @throws KubernetesClientException if the namespace ends
   */
  public void leave(HasMetadata object, Remark remark) {
    var metadata = object.getMetadata();
    var now = Conditions.time(clock.instant());
    var event =
        new EventBuilder()
            .withNewMetadata()
            .withName(
                "%s.%s"
                    .formatted(
                        metadata.getName(), UUID.randomUUID().toString().substring(0, SUFFIX)))
            .withNamespace(metadata.getNamespace())
            .endMetadata()
            .withNewInvolvedObject()
            .withApiVersion(object.getApiVersion())
            .withKind(object.getKind())
            .withName(metadata.getName())
            .withNamespace(metadata.getNamespace())
            .withUid(metadata.getUid())
            .endInvolvedObject()
            .withReason(remark.reason())
            .withMessage(Conditions.shortened(remark.message(), LONGEST_MESSAGE))
            .withType(remark.isWarning() ? "Warning" : "Normal")
            .withFirstTimestamp(now)
            .withLastTimestamp(now)
            .withCount(1)
            .withNewSource()
            .withComponent(component)
            .endSource()
            .build();
    try {
      client.resource(event).create();
    } catch (KubernetesClientException e) {
      if (Rejection.of(e) == Rejection.NAMESPACE_ENDS) {
        throw e;
      }
      LOG.atWarn()
          .addKeyValue("job", metadata.getNamespace() + "/" + metadata.getName())
          .addKeyValue("message", Rejection.sentence(e))
          .log("an Event could not be written");
    }
  }

  /** Leaves an Event that the job has not got since it is remembered. */
  public void leaveOnce(HasMetadata job, Remark remark, JobMemory memory) {
    if (memory.isNew(remark)) {
      leave(job, remark);
    }
  }
}
