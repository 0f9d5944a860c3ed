package io.muster.extender.core.protocol;

/** A sign that the cluster is not set up as the promise needs it. The code is stable. */
public enum SetupFault {
  /** kube-scheduler has bound a member without asking Muster: the webhook had not marked it. */
  MEMBER_UNMARKED("MemberUnmarked"),
  /** kube-scheduler offers a sample of the nodes, in which planned ones are missing. */
  NODES_SAMPLED("NodesSampled");

  private final String code;

  SetupFault(String code) {
    this.code = code;
  }

  /** Stable code for events. */
  public String code() {
    return code;
  }
}
