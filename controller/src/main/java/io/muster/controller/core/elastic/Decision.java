package io.muster.controller.core.elastic;

import java.util.List;

/** A job is to have another size. Immutable. */
public sealed interface Decision {

  /** Which job. */
  String job();

  /** It is to have so many workers more. */
  record Grow(String job, int count) implements Decision {}

  /** These workers are to leave it, for a gang that waits. */
  record GiveBack(String job, List<String> workers, String gang) implements Decision {

    public GiveBack {
      workers = List.copyOf(workers);
    }
  }
}
