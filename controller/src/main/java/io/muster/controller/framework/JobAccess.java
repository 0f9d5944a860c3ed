package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.kube.Rejection;
import io.muster.controller.kube.Remark;
import java.time.InstantSource;

/**
 * How the jobs of all kinds are read, written and reported on. Safe for concurrent use.
 *
 * @param client that keeps objects as they are; it stays open
 */
public record JobAccess(
    KubernetesClient client, JobWrites writes, JobEvents events, InstantSource clock) {

  /**
   * All of it by one client.
   *
   * @param component names Muster in Events
   */
  public static JobAccess of(KubernetesClient client, String component, InstantSource clock) {
    return new JobAccess(
        client, new JobWrites(client, clock), new JobEvents(client, clock, component), clock);
  }

  /**
   * Writes to an object that asks for something of a job. Where the API server refuses that, users
   * are told, and the object is left alone: the job goes on without it.
   *
   * @throws KubernetesClientException whatever was refused; the job is decided anew
   */
  public void write(HasMetadata job, HasMetadata object, JobMemory memory, Runnable write) {
    try {
      write.run();
    } catch (KubernetesClientException e) {
      if (Rejection.of(e) == Rejection.REFUSED) {
        memory.leaveAlone(object);
        events.leaveOnce(job, notTaken(object, e), memory);
      }
      throw e;
    }
  }

  private static Remark notTaken(HasMetadata object, KubernetesClientException e) {
    return Remark.warning(
        object.getKind() + "LeftAlone",
        "%s %s is not served, make it anew once it can be written to: %s"
            .formatted(object.getKind(), object.getMetadata().getName(), Rejection.sentence(e)));
  }
}
