package io.muster.extender.core.device;

import java.util.List;
import java.util.Map;

/**
 * The devices of a node. Immutable.
 *
 * @param counted by class
 * @param uncounted why the devices of a resource are not counted, by its name
 */
public record Offer(List<Counted> counted, Map<String, String> uncounted) {

  /** Of a node without devices. */
  public static final Offer NONE = new Offer(List.of(), Map.of());

  public Offer {
    counted = List.copyOf(counted);
    uncounted = Map.copyOf(uncounted);
  }

  /**
   * Devices of one class.
   *
   * @param resource name by which they are counted, whatever they are asked for by
   * @param implicit the name that every class has; the same where it has no other
   */
  public record Counted(String resource, String implicit, long units) {}
}
