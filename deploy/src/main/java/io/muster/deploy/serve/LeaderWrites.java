package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.muster.extender.port.Tenure;
import java.time.InstantSource;
import java.util.Set;

/**
 * Lets a client write only while this process leads: one that stood still and comes to itself when
 * another leads already sends nothing of what it had begun. Each try of a request is asked about.
 * Safe for concurrent use.
 *
 * @param clock by which the lease counts
 */
record LeaderWrites(Tenure tenure, InstantSource clock) implements Interceptor {

  static final String NAME = "LEADER_WRITES";

  private static final Set<String> READS = Set.of("GET", "HEAD");

  @Override
  public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
    if (!READS.contains(request.method()) && !clock.instant().isBefore(tenure.heldUntil())) {
      throw new KubernetesClientException(
          "not sent: this process does not lead now, and the one that does writes");
    }
  }
}
