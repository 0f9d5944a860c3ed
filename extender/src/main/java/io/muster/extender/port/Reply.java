package io.muster.extender.port;

/** An answer, or one sentence on why there is none yet. Immutable. */
public sealed interface Reply<T> {

  /** The question has been answered. */
  record Answered<T>(T value) implements Reply<T> {}

  /** No answer can be given now; the caller is to ask again. */
  record Unavailable<T>(String error) implements Reply<T> {}
}
