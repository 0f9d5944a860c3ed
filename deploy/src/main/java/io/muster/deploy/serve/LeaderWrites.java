package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.muster.extender.port.LeaderLease;
import java.net.URI;
import java.time.InstantSource;
import java.util.Set;

/**
 * Lets a client write only while this process leads: one that stood still and comes to itself when
 * another leads already sends nothing of what it had begun. Each try of a request is asked about;
 * one that may not be sent ends like one that reaches no apiserver, which the client tries again,
 * and gives up after its limit with an {@link java.io.IOException}. Safe for concurrent use.
 *
 * @param clock by which the lease counts
 */
record LeaderWrites(LeaderLease tenure, InstantSource clock) implements Interceptor {

  static final String NAME = "LEADER_WRITES";

  /**
   * Nothing is served there, nor would its certificate be trusted. An exception from here would be
   * lost at any try but the first, and the caller wait without end.
   */
  private static final URI NOWHERE = URI.create("https://127.0.0.1:1/this-process-does-not-lead");

  private static final Set<String> READS = Set.of("GET", "HEAD");

  @Override
  public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
    if (!READS.contains(request.method()) && !clock.instant().isBefore(tenure.heldUntil())) {
      builder.uri(NOWHERE);
    }
  }
}
