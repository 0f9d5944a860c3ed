package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;

/** What a job needs has the name of an object that is another's; the message says so to users. */
public final class ForeignObjectException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /**
   * For the name of another's object.
   *
   * @param job that needs the name
   * @param object that has it
   */
  public ForeignObjectException(HasMetadata job, HasMetadata object) {
    super(
        "%s %s %s".formatted(object.getKind(), object.getMetadata().getName(), what(job, object)));
  }

  private static String what(HasMetadata job, HasMetadata object) {
    if (Ownership.isOfEarlier(job, object)) {
      return "is still there, of a deleted %s of this name; waiting until it is gone"
          .formatted(job.getKind());
    }
    return object.isMarkedForDeletion()
        ? "belongs to another and is being deleted; waiting until it is gone"
        : "exists and belongs to another; delete it, or give the job another name";
  }
}
