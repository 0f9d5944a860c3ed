package io.muster.webhook.core;

import io.muster.webhook.core.patch.PatchOp;
import java.util.List;

/** What the apiserver is told about a pod. */
public sealed interface Admission {

  /** The pod as it is. */
  Admission UNCHANGED = new Allowed(List.of(), List.of());

  /**
   * The pod may be stored once the edits are made.
   *
   * @param edits in order; empty where nothing is to be changed
   * @param warnings sentences shown to whoever creates the pod
   */
  record Allowed(List<Edit> edits, List<String> warnings) implements Admission {
    public Allowed {
      edits = List.copyOf(edits);
      warnings = List.copyOf(warnings);
    }

    /** The edits as the apiserver carries them out. */
    public List<PatchOp> patch() {
      return edits.stream().map(Edit::op).toList();
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
