package io.muster.controller.core.job;

/** Names a job; the uid tells it from another that had the name before. Immutable. */
public record JobKey(String namespace, String name, String uid) {

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
