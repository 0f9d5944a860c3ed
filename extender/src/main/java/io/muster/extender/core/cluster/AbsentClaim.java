package io.muster.extender.core.cluster;

/**
 * A PersistentVolumeClaim without which kube-scheduler lets the pod that mounts it go nowhere.
 * Immutable.
 *
 * @param name in the pod's namespace
 */
public record AbsentClaim(String name, Cause cause) {

  /** Why it cannot be used. */
  public enum Cause {
    /** Nobody has created it. */
    MISSING("which is not there", "create it in their namespace"),
    /** It is made for an ephemeral volume of the pod, and has not been yet. */
    NOT_MADE(
        "which is not there yet",
        "kube-controller-manager makes those of ephemeral volumes: see the events of the pod"),
    /** It is one of an ephemeral volume by its name alone. */
    OF_ANOTHER(
        "which was not made for its ephemeral volume",
        "delete that claim, or create the pod again with another name of the volume"),
    /** It goes once nobody uses it any more. */
    DELETED("which is being deleted", "create it again once it has gone"),
    /** Its volume has gone. */
    LOST("whose volume is lost", "delete it and create it again"),
    /** Nobody makes or finds a volume for it before that is there. */
    NO_CLASS(
        "whose StorageClass does not exist",
        "create that StorageClass or a volume of it, or create the claim again with another"),
    /** Its volume is not bound when a pod needs it, but before. */
    UNBOUND("which has no volume yet", "see the events of that claim"),
    /** The API server has not told of claims yet. */
    NOT_READ("and Muster has not read any yet", "if that lasts, see the warnings of Muster's log");

    private final String words;
    private final String remedy;

    Cause(String words, String remedy) {
      this.words = words;
      this.remedy = remedy;
    }
  }

  /** What is so, of the pod that mounts it. */
  public String saidOf(PodKey pod) {
    return "member %s mounts the PersistentVolumeClaim \"%s\", %s"
        .formatted(pod.name(), name, cause.words);
  }

  /** What would change it. */
  public String remedy() {
    return cause.remedy;
  }
}
