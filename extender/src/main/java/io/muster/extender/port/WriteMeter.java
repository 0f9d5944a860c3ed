package io.muster.extender.port;

/** Counts what was written to the apiserver. Safe for concurrent use. */
@FunctionalInterface
public interface WriteMeter {

  /** What was to be written. */
  enum Kind {
    RECORD,
    REPORT,
    BIND,
    UNGATE,
    WAKE,
    EXPLAIN,
    ANNOUNCE,
    DOMAIN,
    FORGET,
    EVICT,
    REMAKE
  }

  /** How the write ended. */
  enum Outcome {
    /** Written. */
    DONE,
    /** Nothing to write any more: the object is gone, or says so already. */
    NEEDLESS,
    /** Given up, after the tries that the kind of write is worth. */
    FAILED
  }

  /** Counts one ended write. */
  void wrote(Kind kind, Outcome outcome);
}
