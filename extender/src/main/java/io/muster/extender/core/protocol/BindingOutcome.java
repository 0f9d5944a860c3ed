package io.muster.extender.core.protocol;

/** How one Binding ended. Immutable. */
public sealed interface BindingOutcome {

  /** The pod is on the node, by this call or an earlier one. */
  record Bound() implements BindingOutcome {}

  /** The pod is gone, being deleted, another pod by that name, or already on another node. */
  record Lost(String message) implements BindingOutcome {}

  /** The API server said no; trying again may help. */
  record Refused(String message) implements BindingOutcome {}

  /**
   * Nobody said no: it was not sent, got no answer in time, or came while the server is too busy.
   */
  record Unanswered(String message) implements BindingOutcome {}
}
