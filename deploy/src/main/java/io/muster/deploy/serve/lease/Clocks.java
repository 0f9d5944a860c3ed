package io.muster.deploy.serve.lease;

import java.time.InstantSource;

/**
 * The two times of a process.
 *
 * @param steady what lasts is measured by it: deadlines and the leader lease
 * @param wall the time of day, for texts and certificates
 */
public record Clocks(InstantSource steady, InstantSource wall) {

  /** Those of this machine. */
  public static Clocks ofTheMachine() {
    var wall = InstantSource.system();
    return new Clocks(new SteadyClock(wall, System::nanoTime), wall);
  }
}
