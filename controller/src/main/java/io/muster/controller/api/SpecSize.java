package io.muster.controller.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Optional;

/**
 * How large what is wanted of a job may be. An apiserver stores objects of 1.5 MiB as a rule, and
 * what is remembered of the largest job takes most of that. Stateless.
 */
public final class SpecSize {

  /** As much as kubectl apply keeps of a manifest. */
  public static final int MOST_BYTES = 256 * 1024;

  private SpecSize() {}

  /** That it is larger; empty if it is not. */
  public static Optional<Fault> fault(Object spec) {
    int size = Serialization.asJson(spec).getBytes(UTF_8).length;
    return size <= MOST_BYTES
        ? Optional.empty()
        : Optional.of(
            new Fault(
                "spec",
                "spec has %d bytes, and may have %d, so that there is room for its status; make the templates smaller"
                    .formatted(size, MOST_BYTES)));
  }
}
