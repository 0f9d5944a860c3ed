package io.muster.controller.core.elastic;

import java.util.List;
import java.util.Optional;

/** A job is to have another size. Immutable. */
public sealed interface Decision {

  /** Which job. */
  String job();

  /** What its owner is told: one sentence without a full stop, the job being its subject. */
  String why();

  /** It is to have so many workers more. */
  record Grow(String job, int count, String why) implements Decision {}

  /** For whom workers leave. */
  enum Cause {
    /** Pods without a gang that find no node. */
    ONLINE,
    GANG,
    /** The next gang, which has not come yet. */
    HEAD_ROOM,
    /** Jobs that have fewer. */
    EVENNESS,
    /** Too much is asked for in all. */
    LOAD
  }

  /**
   * These workers are to leave it.
   *
   * @param gang for which they leave, if they leave for one
   */
  record GiveBack(String job, List<String> workers, Cause cause, Optional<String> gang, String why)
      implements Decision {

    public GiveBack {
      workers = List.copyOf(workers);
    }
  }
}
