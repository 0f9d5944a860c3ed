package io.muster.controller.port;

/**
 * Runs the kinds of one community from {@link #start} to {@link #close}, in the one process that
 * leads. Safe for concurrent use.
 */
public interface JobController extends AutoCloseable {

  /** Reconciles jobs from now on. */
  void start();

  /**
   * Decides the sizes of all jobs together; called every few seconds.
   *
   * @throws JobsUnwatchedException if it can go on no longer: close it, and start another
   */
  void tick() throws JobsUnwatchedException;

  @Override
  void close();
}
