package io.muster.controller.port;

import java.time.Duration;
import java.util.function.IntSupplier;

/** Counts the calls of the server for DIJobs. Must be safe for concurrent use. */
public interface DiMeter {

  /** Which URL was called. */
  enum Route {
    /** For workers of coordinators. */
    REPLICAS,
    /** Reports of workers that do not answer. */
    FAILED,
    /** For pods of jobs with tasks. */
    JOB_REPLICAS,
    PROFILINGS,
    /** One that there is not. */
    OTHER
  }

  /** What came of a call. */
  enum Outcome {
    DONE,
    /** Nothing, but the same call may be made again. */
    LATER,
    /** It was wrong, or not the caller's to make. */
    REFUSED,
    /** Muster failed. */
    FAULT
  }

  /** A call was answered, which may have been held before. */
  void answered(Route route, Outcome outcome, Duration took);

  /** Tells, whenever it is asked, how many calls wait. */
  void watchHeld(IntSupplier held);
}
