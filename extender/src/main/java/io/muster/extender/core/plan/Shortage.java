package io.muster.extender.core.plan;

import java.util.Optional;

/**
 * What is lacking of domains. Immutable.
 *
 * @param evidence part of a sentence
 * @param remedy what would change it, as one; empty where domains are lacking that have room
 */
public record Shortage(String evidence, Optional<String> remedy) {

  /** Domains are lacking that have room. */
  public Shortage(String evidence) {
    this(evidence, Optional.empty());
  }

  Shortage(String evidence, String remedy) {
    this(evidence, Optional.of(remedy));
  }
}
