package io.muster.controller.kinds.di.server.call;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kinds.di.api.DIJob;

/** Who calls, as far as that decides what is done for him. Immutable. */
public sealed interface Caller {

  /** The namespace whose pods and accounts may do everything. */
  String SYSTEM = "di-system";

  /** Whether he may ask about that job, and change it. */
  boolean mayReach(DIJob job);

  /** Whether he may see all jobs of a namespace. */
  boolean maySee(String namespace);

  /** One who may do everything. */
  record Trusted() implements Caller {

    @Override
    public boolean mayReach(DIJob job) {
      return true;
    }

    @Override
    public boolean maySee(String namespace) {
      return true;
    }
  }

  /**
   * A pod, which may reach the job that controls it. Anybody can write the uid of any job into a
   * pod, but a job controls pods of its own namespace alone.
   */
  record OfJob(Pod pod) implements Caller {

    @Override
    public boolean mayReach(DIJob job) {
      var metadata = pod.getMetadata();
      return job.getMetadata().getNamespace().equals(metadata.getNamespace())
          && metadata.getOwnerReferences().stream()
              .filter(owner -> Boolean.TRUE.equals(owner.getController()))
              .map(OwnerReference::getUid)
              .anyMatch(job.getMetadata().getUid()::equals);
    }

    @Override
    public boolean maySee(String namespace) {
      return false;
    }
  }

  /** A ServiceAccount, which may reach all jobs of its namespace. */
  record Account(String namespace) implements Caller {

    @Override
    public boolean mayReach(DIJob job) {
      return namespace.equals(job.getMetadata().getNamespace());
    }

    @Override
    public boolean maySee(String asked) {
      return namespace.equals(asked);
    }
  }

  /** Refuses to do anything about a job that he may not reach. */
  default void require(DIJob job) {
    if (!mayReach(job)) {
      var metadata = job.getMetadata();
      throw RefusedException.forbidden(
          "you may not reach DIJob %s/%s; %s"
              .formatted(metadata.getNamespace(), metadata.getName(), Access.REMEDY));
    }
  }
}
