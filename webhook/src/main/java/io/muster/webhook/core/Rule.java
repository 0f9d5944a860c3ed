package io.muster.webhook.core;

import java.util.Locale;

/** Why a pod is changed: each edit is made by one of these. */
public enum Rule {
  DIALECT("keeps in force which marks named the gang"),
  STAMP("tells which rules were applied"),
  SCHEDULER("has the pod placed by the kube-scheduler that asks Muster"),
  GATE("holds the pod back exactly while its gang cannot start"),
  PLACE("ties the member to the nodes it was given a place on"),
  MANAGED_FIELDS("spares the API server, etcd and every watcher who set which field of a member"),
  MARKER("makes kube-scheduler ask Muster about a member that asks for no device"),
  LIMITS("accelerators need a limit, equal to the request"),
  GROUP("has kube-scheduler bind the gang together, by its PodGroup"),
  NVLINK("gives the member a channel of its gang's NVLink domain"),
  TOLERATIONS("lets the pod onto nodes that are tainted for the devices it asks for"),
  SHM("64 MiB of shared memory, the runtimes' default, break data loaders and NCCL"),
  VISIBLE_DEVICES("CUDA images would see every device of the node without asking for one"),
  RENDEZVOUS("tells the members of a gang who they are and where to meet"),
  HOST_NAME("gives the member an address that its siblings can look up"),
  COMMUNICATION("makes errors of the communication libraries show"),
  USER_ENV("keeps in mind which variables of these names were the user's"),
  PROFILE("asked for by the profile");

  private final String why;

  Rule(String why) {
    this.why = why;
  }

  /** One clause for whoever wonders about an edit. */
  public String why() {
    return why;
  }

  /** The name in lists and messages. */
  public String code() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
