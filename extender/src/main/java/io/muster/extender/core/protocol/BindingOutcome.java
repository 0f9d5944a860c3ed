package io.muster.extender.core.protocol;

/** How one Binding ended. Immutable. */
public sealed interface BindingOutcome {

  /** The pod is on the node, by this call or an earlier one. */
  record Bound() implements BindingOutcome {}

  /** The pod is gone, being deleted, another pod by that name, or already on another node. */
  record Lost(String message) implements BindingOutcome {}

  /** The apiserver refused or could not be reached; trying again may help. */
  record Failed(String message) implements BindingOutcome {}
}
