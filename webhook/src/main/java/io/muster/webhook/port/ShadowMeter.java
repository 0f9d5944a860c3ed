package io.muster.webhook.port;

/** Counts what the webhook would do in namespaces in shadow. Safe for concurrent use. */
public interface ShadowMeter {

  /** Of a process whose counts nobody reads. */
  ShadowMeter NONE = _ -> {};

  /**
   * A pod of that namespace would have been refused.
   *
   * @param namespace as the caller states it, which may be anything
   */
  void wouldRefuse(String namespace);
}
