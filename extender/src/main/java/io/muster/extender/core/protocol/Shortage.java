package io.muster.extender.core.protocol;

import java.util.List;
import java.util.Optional;

/**
 * Why there is no room for a gang. Immutable.
 *
 * @param members that must start together
 * @param later what the pod asks for that comes later, if it is the one without a place
 * @param devices that all of them ask for, by name
 * @param tally why no node takes the first one without a place, one sentence
 */
public record Shortage(int members, Optional<String> later, List<Amount> devices, String tally) {

  public Shortage {
    devices = List.copyOf(devices);
  }

  /**
   * Units of one resource.
   *
   * @param free on all nodes that one of the members may use, however they are spread
   */
  public record Amount(String resource, long needed, long free) {}
}
