package io.muster.simulator.world.cluster;

/**
 * How much faster more workers are, by Amdahl's law. Immutable.
 *
 * @param serial share of the work that more workers do not make faster, from 0 to 1
 */
public record Speed(double serial) {

  /** Twice as many workers do twice as much. */
  public static final Speed IN_PROPORTION = new Speed(0);

  public Speed {
    if (!(serial >= 0 && serial <= 1)) {
      throw new IllegalArgumentException("serial must be from 0 to 1, not " + serial);
    }
  }

  /** What so many do, in shares of what one does. */
  public double of(int workers) {
    return workers == 0 ? 0 : 1 / (serial + (1 - serial) / workers);
  }
}
