package io.muster.extender.core.decision.state;

/** For whom of a gang there is no room. Immutable. */
public sealed interface Misfit {

  /** For the first member without a place. */
  record Member(String name) implements Misfit {}

  /**
   * For the pod that comes later, beside all members.
   *
   * @param asks what it asks for, in words
   */
  record Later(String asks) implements Misfit {}
}
