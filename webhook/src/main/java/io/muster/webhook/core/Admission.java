package io.muster.webhook.core;

import io.muster.webhook.core.patch.PatchOp;
import java.util.List;

/** What the apiserver is told about a pod. */
public sealed interface Admission {

  /** The pod as it is. */
  Admission UNCHANGED = passed(List.of());

  /**
   * The pod may be stored once the edits are made.
   *
   * @param edits every change with its reason, in an order in which each can be made; empty where
   *     nothing is to be changed
   * @param patch the same changes as the apiserver makes them: variables of a container in one step
   * @param warnings sentences shown to whoever creates the pod
   */
  record Allowed(List<Edit> edits, List<PatchOp> patch, List<String> warnings)
      implements Admission {
    public Allowed {
      edits = List.copyOf(edits);
      patch = List.copyOf(patch);
      warnings = List.copyOf(warnings);
    }
  }

  /** The pod as it is, with something said about it. */
  static Allowed passed(List<String> warnings) {
    return new Allowed(List.of(), List.of(), warnings);
  }

  /**
   * The pod is refused.
   *
   * @param code HTTP status that the apiserver passes on
   * @param message one sentence that names what to mend
   */
  record Denied(int code, String message) implements Admission {}
}
