package io.muster.controller.framework;

import io.fabric8.kubernetes.client.KubernetesClient;
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
}
