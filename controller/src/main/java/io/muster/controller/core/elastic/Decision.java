package io.muster.controller.core.elastic;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A job is to have another size. Immutable. */
public sealed interface Decision {

  /** Which job. */
  String job();

  /** What its owner is told: one sentence without a full stop, the job being its subject. */
  String why();

  /** It is to have so many workers more. */
  record Grow(String job, int count, String why) implements Decision {

    /** With the sizes in the sentence. */
    static Grow of(ResizableJob job, int count, String because) {
      int size = job.workers().size();
      var why = "grows from %d to %d workers: %s".formatted(size, size + count, because);
      return new Grow(job.key(), count, why);
    }
  }

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

    /** With their names in the sentence, and what follows them there. */
    static GiveBack of(
        String job, List<String> workers, Cause cause, Optional<String> gang, String rest) {
      return new GiveBack(
          job, workers, cause, gang, "gives back " + String.join(", ", workers) + rest);
    }

    private GiveBack and(GiveBack other) {
      return new GiveBack(
          job,
          Stream.concat(workers.stream(), other.workers.stream()).distinct().toList(),
          cause,
          gang.or(other::gang),
          why + "; " + other.why);
    }
  }

  /**
   * The same with one decision a job: what it is to give for several is asked at once, since it is
   * asked on the ground of its size now.
   */
  static List<Decision> oneOfEachJob(List<Decision> decisions) {
    Map<String, Decision> byJob = new LinkedHashMap<>();
    for (var decision : decisions) {
      byJob.merge(decision.job(), decision, Decision::both);
    }
    return List.copyOf(byJob.values());
  }

  private static Decision both(Decision one, Decision other) {
    return one instanceof GiveBack giving && other instanceof GiveBack more
        ? giving.and(more)
        : one;
  }
}
