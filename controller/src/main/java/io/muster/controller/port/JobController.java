package io.muster.controller.port;

/**
 * Runs the kinds of one community from {@link #start} to {@link #close}, in the one process that
 * leads. Safe for concurrent use.
 */
public interface JobController extends AutoCloseable {

  /** Looks after jobs from now on. */
  void start();

  /** Looks at all jobs together; called every few seconds. */
  void tick();

  @Override
  void close();
}
