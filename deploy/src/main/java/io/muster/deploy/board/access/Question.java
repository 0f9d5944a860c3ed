package io.muster.deploy.board.access;

import io.muster.extender.kube.watch.QueueFeed;
import java.util.Optional;

/**
 * Whether somebody may do that. Immutable.
 *
 * @param group of the API; empty for the core group
 * @param resource plural
 * @param name empty: objects of every name
 * @param namespace empty: all namespaces, or an object that is in none
 */
public record Question(
    String verb, String group, String resource, Optional<String> name, Optional<String> namespace) {

  static final Question ALL_GANGS = gangs(Optional.empty());
  static final Question ALL_PODS = pods(Optional.empty());
  static final Question NODES =
      new Question("list", "", "nodes", Optional.empty(), Optional.empty());

  public Question {
    // To the API server an empty namespace is every namespace.
    if (name.filter(String::isBlank).isPresent() || namespace.filter(String::isBlank).isPresent()) {
      throw new IllegalArgumentException("a name that is there has characters");
    }
  }

  static Question gangsOf(String namespace) {
    return gangs(Optional.of(namespace));
  }

  static Question podsOf(String namespace) {
    return pods(Optional.of(namespace));
  }

  /**
   * @param namespace where Muster is
   */
  static Question queues(String namespace) {
    return new Question(
        "get", "", "configmaps", Optional.of(QueueFeed.NAME), Optional.of(namespace));
  }

  private static Question gangs(Optional<String> namespace) {
    return new Question("list", "muster.io", "gangs", Optional.empty(), namespace);
  }

  private static Question pods(Optional<String> namespace) {
    return new Question("list", "", "pods", Optional.empty(), namespace);
  }
}
