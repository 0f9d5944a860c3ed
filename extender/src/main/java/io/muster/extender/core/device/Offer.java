package io.muster.extender.core.device;

import java.util.List;
import java.util.Map;

/**
 * The devices of a node. Immutable.
 *
 * @param counted by name; a device that has several names counts under each
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
   * Devices of one name.
   *
   * @param name by which they are asked for
   * @param resource that counts all use of them; the same, where they have no other name
   */
  public record Counted(String name, String resource, long units) {}
}
