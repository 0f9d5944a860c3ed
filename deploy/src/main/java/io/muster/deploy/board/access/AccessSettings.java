package io.muster.deploy.board.access;

import java.time.Duration;

/**
 * How much the API server is asked about rights. Immutable.
 *
 * @param namespace where Muster is
 * @param perSecond questions about rights, of all viewers together
 * @param atOnce so many may come at once before that
 * @param inFlight at most so many wait for their answers together; 0 where a test asks itself
 * @param firstWait so long a new viewer waits for what they see at most
 * @param mostIdentities whose rights are remembered together
 */
public record AccessSettings(
    String namespace,
    int perSecond,
    int atOnce,
    int inFlight,
    Duration firstWait,
    int mostIdentities) {

  /** What holds unless somebody says otherwise. */
  public static AccessSettings usual(String namespace) {
    return new AccessSettings(namespace, 50, 200, 4, Duration.ofSeconds(2), 1000);
  }
}
