package io.muster.simulator.world.cluster;

import java.time.Duration;

/**
 * What it costs a gang to be ended for another, and to change its size. Immutable.
 *
 * @param restart before it does work again, each time that it starts but the first
 * @param checkpoint it saves its work so often; what was done since is lost. Zero: it loses nothing
 * @param grace its pods hold their devices for so long after they were told to end, without work
 * @param resize for so long all of a job stands still when its size changes
 */
public record Costs(Duration restart, Duration checkpoint, Duration grace, Duration resize) {

  /** Nothing costs anything. */
  public static final Costs FREE =
      new Costs(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);

  /**
   * One minute to start again or to change the size, a checkpoint every ten, and the grace period
   * of a pod.
   */
  public static final Costs DEFAULT =
      new Costs(
          Duration.ofSeconds(60),
          Duration.ofMinutes(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(60));

  /** Of work done since it last started, what is kept. */
  public Duration kept(Duration worked) {
    if (checkpoint.isZero()) {
      return worked;
    }
    return checkpoint.multipliedBy(worked.toMillis() / checkpoint.toMillis());
  }
}
