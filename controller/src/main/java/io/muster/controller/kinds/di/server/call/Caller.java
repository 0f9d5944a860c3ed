package io.muster.controller.kinds.di.server.call;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kube.Ownership;

/** Who calls, as far as that decides what is done for him. Immutable. */
public sealed interface Caller {

  /** The namespace whose pods and accounts may do everything. */
  String SYSTEM = "di-system";

  /** One who may do everything. */
  record Trusted() implements Caller {}

  /**
   * A pod, which may reach the job that controls it. Anybody can write the uid of any job into a
   * pod, but a job controls pods of its own namespace alone.
   */
  record OfJob(Pod pod) implements Caller {}

  /** A ServiceAccount, which may reach all jobs of its namespace. */
  record Account(String namespace) implements Caller {}

  /** Whether he may ask about that job, and change it. */
  default boolean mayReach(DIJob job) {
    var metadata = job.getMetadata();
    return switch (this) {
      case Trusted _ -> true;
      case OfJob(Pod pod) ->
          metadata.getNamespace().equals(pod.getMetadata().getNamespace())
              && Ownership.isControlled(pod, metadata.getUid());
      case Account(String own) -> own.equals(metadata.getNamespace());
    };
  }

  /** Whether there may be anything in a namespace that he may reach. */
  private boolean mayAskAbout(String namespace) {
    return switch (this) {
      case Trusted _ -> true;
      case OfJob(Pod pod) -> namespace.equals(pod.getMetadata().getNamespace());
      case Account(String own) -> namespace.equals(own);
    };
  }

  /**
   * Refuses to look anything up where there is nothing that he may reach: what else there is, or is
   * not, would show by the answer.
   */
  default void requireNamespace(String namespace) {
    JobId.requireNamespace(namespace);
    if (!mayAskAbout(namespace)) {
      throw RefusedException.forbidden(
          "you may not reach anything in namespace %s; %s".formatted(namespace, Access.REMEDY));
    }
  }

  /** Whether he may see all jobs of a namespace. */
  default boolean maySee(String namespace) {
    return switch (this) {
      case Trusted _ -> true;
      case OfJob _ -> false;
      case Account(String own) -> own.equals(namespace);
    };
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
