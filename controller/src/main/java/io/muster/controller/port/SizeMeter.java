package io.muster.controller.port;

import java.util.List;

/** Shows how large jobs are whose size follows the room there is. Must be safe for one thread. */
public interface SizeMeter {

  /**
   * A job.
   *
   * @param kind as the setting {@code jobKinds} calls it
   * @param running workers that run and are to stay
   * @param wanted workers that it is to have now
   */
  record Sizes(
      String kind, String namespace, String name, int running, int wanted, int least, int most) {}

  /** All such jobs that there are now; of any other nothing is shown any more. */
  void sizes(List<Sizes> jobs);
}
