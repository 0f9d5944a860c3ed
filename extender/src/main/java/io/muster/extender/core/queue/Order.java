package io.muster.extender.core.queue;

import java.util.Arrays;
import java.util.Optional;

/** The order in which the gangs of one queue wait; in each, a higher priority goes first. */
public enum Order {

  /** The oldest first. */
  PRIORITY("priority"),

  /**
   * The one with the least still to do first, in device seconds; those of which that is not known
   * come last. Known as SRSF (Gu et al., Tiresias, NSDI 2019).
   */
  SHORTEST_GANG("shortest-gang"),

  /**
   * The one that has been given least so far first, in steps of 1, 10, 100 device hours and so on;
   * among equals the one that started first. 2D-LAS in its discrete form (Gu et al., Tiresias, NSDI
   * 2019).
   */
  LEAST_ATTAINED("least-attained");

  private final String label;

  Order(String label) {
    this.label = label;
  }

  /** As it is written in the configuration. */
  public String label() {
    return label;
  }

  /** The order so written. */
  public static Optional<Order> of(String label) {
    return Arrays.stream(values()).filter(order -> order.label.equals(label)).findFirst();
  }
}
