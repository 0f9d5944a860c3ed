package io.muster.webhook.core;

import java.util.List;

/** What the apiserver is told about a pod. */
public sealed interface Admission {

  /** The pod as it is. */
  Admission UNCHANGED = new Allowed(List.of(), List.of());

  /**
   * The pod may be stored once the patch is applied.
   *
   * @param patch in order; empty where nothing is to be changed
   * @param warnings sentences shown to whoever creates the pod
   */
  record Allowed(List<PatchOp> patch, List<String> warnings) implements Admission {
    public Allowed {
      patch = List.copyOf(patch);
      warnings = List.copyOf(warnings);
    }
  }

  /**
   * The pod is refused.
   *
   * @param code HTTP status that the apiserver passes on
   * @param message one sentence that names what to mend
   */
  record Denied(int code, String message) implements Admission {}
}
