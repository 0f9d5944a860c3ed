package io.muster.deploy.simulate.edl;

/** Who decides what runs where. Confined to one thread. */
interface Regime {

  /** A job came in just now. */
  void submitted(JobRun job);

  /** Does what is to be done in this second. */
  void act();

  /** CPU that is kept free on purpose now. */
  default int headRoom() {
    return 0;
  }
}
