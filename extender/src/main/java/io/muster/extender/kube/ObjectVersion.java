package io.muster.extender.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;

/**
 * Which state of which object it is. The versions of one object only grow, unless the API server's
 * data was put back to an earlier state. Immutable.
 *
 * @param number 0 where it is none
 */
public record ObjectVersion(String uid, long number) {

  /** The state that is at hand. */
  public static ObjectVersion of(HasMetadata object) {
    var metadata = object.getMetadata();
    return new ObjectVersion(metadata.getUid(), number(metadata.getResourceVersion()));
  }

  private static long number(String version) {
    try {
      return Long.parseLong(version);
    } catch (NumberFormatException _) {
      return 0;
    }
  }

  /** Whether it is an earlier state of the same object. */
  public boolean isBefore(ObjectVersion other) {
    return uid.equals(other.uid) && number > 0 && number < other.number;
  }
}
