package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;

/** What a job needs has the name of an object that is another's; the message says so to users. */
public final class ForeignObjectException extends RuntimeException {

  private static final long serialVersionUID = 1;

  public ForeignObjectException(HasMetadata object) {
    super(
        "%s %s exists and belongs to another; delete it, or give the job another name"
            .formatted(object.getKind(), object.getMetadata().getName()));
  }
}
