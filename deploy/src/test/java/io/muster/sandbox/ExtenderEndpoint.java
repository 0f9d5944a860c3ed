package io.muster.sandbox;

import java.nio.file.Path;

/**
 * Where kube-scheduler reaches its extender and how it identifies itself there. Immutable.
 *
 * @param urlPrefix what the verbs are appended to, {@code https://127.0.0.1:PORT/v1}; {@code http}
 *     when a proxy of a test stands between
 */
public record ExtenderEndpoint(String urlPrefix, Path ca, Path certificate, Path key) {

  /** The same identity, another way to get there. */
  public ExtenderEndpoint via(String otherUrlPrefix) {
    return new ExtenderEndpoint(otherUrlPrefix, ca, certificate, key);
  }
}
