package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.muster.controller.api.JobStatus;
import java.util.List;

/** What belongs to a job, and to a job that another controller has begun. */
public final class Ownership {

  /** Has Muster take over a job that another controller had begun. */
  private static final String ADOPT = "muster.io/adopt";

  /**
   * Annotation of what asks something of a job: the uid of the job that took it up. Kubernetes
   * takes the owner away where a job is deleted and what belongs to it is to stay; this stays.
   */
  public static final String TAKEN_UP_BY = "muster.io/job-uid";

  /** That it is not Muster's. */
  public static final Remark ANOTHERS =
      Remark.warning(
          "ForeignController",
          "another controller has begun this job: it is left alone; to have Muster take it over,"
              + " stop that controller and set the annotation %s: \"true\"".formatted(ADOPT));

  /** Why what an earlier job had taken up is not served. */
  public static final String LEFT =
      "an earlier job of this name had taken it up, and is gone; to have it served for this one,"
          + " make it anew without the annotation "
          + TAKEN_UP_BY;

  private Ownership() {}

  /** Whether its users hand over what another controller has begun. */
  public static boolean isHandedOver(HasMetadata job) {
    return "true".equals(Marks.annotations(job).get(ADOPT));
  }

  /** Makes an object go with the job. */
  public static OwnerReference by(HasMetadata job) {
    return new OwnerReferenceBuilder()
        .withApiVersion(job.getApiVersion())
        .withKind(job.getKind())
        .withName(job.getMetadata().getName())
        .withUid(job.getMetadata().getUid())
        .withController(true)
        .withBlockOwnerDeletion(true)
        .build();
  }

  /** Of an object that goes with the job. */
  public static ObjectMeta metadata(HasMetadata job, String name) {
    var metadata = new ObjectMeta();
    metadata.setName(name);
    metadata.setNamespace(job.getMetadata().getNamespace());
    metadata.setOwnerReferences(List.of(by(job)));
    return metadata;
  }

  /**
   * Whether it belongs to the job with that uid. The job need not control it, as DLRover's masters
   * make pods that nobody controls; what another controls is that one's, whoever owns it besides.
   */
  public static boolean isOwned(HasMetadata object, String uid) {
    var owners = object.getMetadata().getOwnerReferences();
    return owners.stream().anyMatch(owner -> owner.getUid().equals(uid))
        && owners.stream()
            .filter(owner -> Boolean.TRUE.equals(owner.getController()))
            .allMatch(owner -> owner.getUid().equals(uid));
  }

  /** Whether it belongs to the job with that uid, and to nobody else. */
  public static boolean isControlled(HasMetadata object, String uid) {
    return object.getMetadata().getOwnerReferences().stream()
        .anyMatch(
            owner -> Boolean.TRUE.equals(owner.getController()) && owner.getUid().equals(uid));
  }

  /** Whether it belongs to an earlier job that had the same name. */
  public static boolean isOfEarlier(HasMetadata job, HasMetadata object) {
    var group = groupOf(job.getApiVersion());
    return object.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner ->
            Boolean.TRUE.equals(owner.getController())
                && owner.getKind().equals(job.getKind())
                && groupOf(owner.getApiVersion()).equals(group)
                && owner.getName().equals(job.getMetadata().getName())
                && !owner.getUid().equals(job.getMetadata().getUid()));
  }

  /** Whether an earlier job had taken it up, and was deleted without what belonged to it. */
  public static boolean isLeftByEarlier(HasMetadata job, HasMetadata object) {
    var uid = job.getMetadata().getUid();
    var takenUpBy = Marks.annotations(object).getOrDefault(TAKEN_UP_BY, uid);
    return !takenUpBy.equals(uid) && !isOfEarlier(job, object);
  }

  private static String groupOf(String apiVersion) {
    return apiVersion.substring(0, apiVersion.lastIndexOf('/') + 1);
  }

  /**
   * Whether another controller has begun it: Muster always says what it has to remember.
   *
   * @param status null if there is none
   */
  public static boolean isAnothers(HasMetadata job, JobStatus status) {
    return status != null
        && status.phase() != null
        && !status.phase().isEmpty()
        && status.state() == null
        && !isHandedOver(job);
  }
}
