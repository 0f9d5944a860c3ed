package io.muster.controller.kinds.di.job;

import io.muster.controller.kinds.di.api.DIJob;

/**
 * Where pods find each other and the server. Immutable.
 *
 * @param server URL of the server for jobs with tasks
 * @param firstServer URL of the server for jobs with a coordinator
 * @param domain of Services in the cluster, as {@code svc.cluster.local}
 */
public record DiAddresses(String server, String firstServer, String domain) {

  /** The full name of a pod with a host name of its own. */
  public String of(DIJob job, String pod) {
    return "%s.%s.%s.%s"
        .formatted(pod, DiNames.service(job), job.getMetadata().getNamespace(), domain);
  }
}
