package io.muster.controller.framework;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.core.engine.News;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Rejection;
import io.muster.controller.kube.Remark;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Leaves Events on jobs. Safe for concurrent use. */
public final class JobEvents {

  private static final Logger LOG = LoggerFactory.getLogger(JobEvents.class);

  /** On an Event: of which occurrence it was told last. */
  private static final String OCCURRENCE = "muster.io/occurrence";

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
   * Leaves an Event on the object, or counts it once more; what cannot be written is only logged.
   *
   * @throws KubernetesClientException if the namespace ends
   */
  public void leave(HasMetadata object, Remark remark) {
    leave(object, remark, clock.instant().toString());
  }

  /**
   * Leaves an Event, unless it was left for the same occurrence already, be it by another process.
   *
   * @param occurrence which of several times that the same comes about: the uid of a pod, a moment
   *     or, of what goes on, nothing
   * @throws KubernetesClientException if the namespace ends
   */
  public void leave(HasMetadata object, Remark remark, String occurrence) {
    var event = event(object, remark, occurrence);
    try {
      client.resource(event).create();
    } catch (KubernetesClientException e) {
      if (Rejection.of(e) == Rejection.CONFLICT) {
        countAgain(event, occurrence);
      } else {
        give(object, e);
      }
    }
  }

  /** The same text of the same object is one Event, however often it comes about. */
  private Event event(HasMetadata object, Remark remark, String occurrence) {
    var metadata = object.getMetadata();
    var now = Conditions.time(clock.instant());
    var message = Conditions.shortened(remark.message(), LONGEST_MESSAGE);
    var identity = String.join("\n", String.valueOf(metadata.getUid()), remark.reason(), message);
    return new EventBuilder()
        .withNewMetadata()
        .withName(metadata.getName() + "." + UUID.nameUUIDFromBytes(identity.getBytes(UTF_8)))
        .withNamespace(metadata.getNamespace())
        .withAnnotations(Map.of(OCCURRENCE, occurrence))
        .endMetadata()
        .withNewInvolvedObject()
        .withApiVersion(object.getApiVersion())
        .withKind(object.getKind())
        .withName(metadata.getName())
        .withNamespace(metadata.getNamespace())
        .withUid(metadata.getUid())
        .endInvolvedObject()
        .withReason(remark.reason())
        .withMessage(message)
        .withType(remark.isWarning() ? "Warning" : "Normal")
        .withFirstTimestamp(now)
        .withLastTimestamp(now)
        .withCount(1)
        .withNewSource()
        .withComponent(component)
        .endSource()
        .build();
  }

  private void countAgain(Event event, String occurrence) {
    try {
      var there = client.resource(event).get();
      if (there == null || occurrence.equals(Marks.annotations(there).get(OCCURRENCE))) {
        return;
      }
      var patch =
          Map.of(
              "count",
              Objects.requireNonNullElse(there.getCount(), 1) + 1,
              "lastTimestamp",
              event.getLastTimestamp(),
              "metadata",
              Map.of("annotations", Map.of(OCCURRENCE, occurrence)));
      JobWrites.merge(client, there, patch);
    } catch (KubernetesClientException e) {
      give(event, e);
    }
  }

  private static void give(HasMetadata object, KubernetesClientException e) {
    if (Rejection.of(e) == Rejection.NAMESPACE_ENDS) {
      throw e;
    }
    LOG.atWarn()
        .addKeyValue(
            "job", object.getMetadata().getNamespace() + "/" + object.getMetadata().getName())
        .addKeyValue("message", Rejection.sentence(e))
        .log("an Event could not be written");
  }

  /** Leaves an Event on what goes on; once, however often it is reconciled, and by whom. */
  public void leaveOnce(HasMetadata job, Remark remark, JobMemory memory) {
    leaveOnce(job, remark, "", memory);
  }

  /** The same for one occurrence. */
  public void leaveOnce(HasMetadata job, Remark remark, String occurrence, JobMemory memory) {
    if (memory.isNew(remark, occurrence)) {
      leave(job, remark, occurrence);
    }
  }

  /** Leaves the Events that go with something that has come about. */
  public void tell(HasMetadata job, News item, List<Remark> remarks, JobMemory memory) {
    var occurrence =
        switch (item) {
          case News.MemberLost(String name, String _) -> memory.uidOf(name);
          // Told with the step that it is, and never again.
          case News.Followed _, News.MembersReplaced _ -> clock.instant().toString();
          default -> "";
        };
    remarks.forEach(remark -> leaveOnce(job, remark, occurrence, memory));
  }
}
