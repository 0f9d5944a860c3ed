package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;

/** What a job needs has the name of an object that is another's; the message says so to users. */
public final class ForeignObjectException extends RuntimeException {

  private static final long serialVersionUID = 1;

  public ForeignObjectException(HasMetadata object) {
    this(object, "delete it, or give the job another name");
  }

  /**
   * @param remedy what its user may do about it
   */
  public ForeignObjectException(HasMetadata object, String remedy) {
    super(
        "%s %s exists and belongs to another; %s"
            .formatted(object.getKind(), object.getMetadata().getName(), remedy));
  }
}
