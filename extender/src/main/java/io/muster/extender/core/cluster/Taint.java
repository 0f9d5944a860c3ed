package io.muster.extender.core.cluster;

import java.util.Set;

/** A node's taint. An absent value is the empty string. Immutable. */
public record Taint(String key, String value, Effect effect) {

  /** Keys by which autoscalers and clouds say that a node goes, whoever tolerates them. */
  private static final Set<String> OF_LEAVING =
      Set.of(
          "ToBeDeletedByClusterAutoscaler",
          "karpenter.sh/disrupted",
          "karpenter.sh/disruption",
          "node.cloudprovider.kubernetes.io/shutdown",
          "node.kubernetes.io/out-of-service",
          "cloud.google.com/impending-node-termination",
          "aws-node-termination-handler/spot-itn",
          "aws-node-termination-handler/scheduled-maintenance",
          "aws-node-termination-handler/asg-lifecycle-termination");

  /** Whether a taint of that key says that the node goes, and does not come back. */
  public static boolean isOfLeaving(String key) {
    return OF_LEAVING.contains(key);
  }

  /** Whether it tells how a node is doing, not what kind of node it is. */
  public boolean isOfState() {
    return isOfLeaving(key) || isOfPassingState();
  }

  /** Whether it goes when the node is ready and nobody has cordoned it any more. */
  public boolean isOfPassingState() {
    return !isOfLeaving(key)
        && (key.startsWith("node.kubernetes.io/")
            || key.startsWith("node.cloudprovider.kubernetes.io/"));
  }

  /** What the taint does to a pod that does not tolerate it. */
  public enum Effect {
    NO_SCHEDULE,
    PREFER_NO_SCHEDULE,
    NO_EXECUTE;

    /** Whether an untolerated taint of this effect keeps a pod from being placed. */
    public boolean forbidsPlacement() {
      return this != PREFER_NO_SCHEDULE;
    }
  }
}
