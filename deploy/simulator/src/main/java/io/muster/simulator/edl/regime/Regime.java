package io.muster.simulator.edl.regime;

import java.util.Comparator;

/** Who decides what runs where. Confined to one thread. */
public interface Regime {

  /** A job came in just now. */
  void submitted(JobRun job);

  /** Does what is to be done in this second. */
  void act();

  /** Which of the running pods of a service with too many of them goes first: here the youngest. */
  default Comparator<ReplayPod> firstToLeave() {
    return Comparator.comparingInt((ReplayPod pod) -> pod.number).reversed();
  }

  /** CPU that is kept free on purpose now. */
  default int headRoom() {
    return 0;
  }
}
