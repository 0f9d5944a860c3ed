package io.muster.extender.core.cluster;

/** Names one pod for good: a pod made again under the same name has another uid. Immutable. */
public record PodKey(String namespace, String name, String uid) {

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
