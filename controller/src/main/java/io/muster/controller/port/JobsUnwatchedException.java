package io.muster.controller.port;

import java.io.Serial;

/** A watch of jobs, or of what they have, has ended for good: an object in it cannot be read. */
public final class JobsUnwatchedException extends Exception {

  @Serial private static final long serialVersionUID = 1;

  /**
   * @param why the first cause, one sentence
   */
  public JobsUnwatchedException(String why) {
    super(why);
  }
}
