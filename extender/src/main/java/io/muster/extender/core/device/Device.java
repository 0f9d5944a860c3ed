package io.muster.extender.core.device;

import java.util.Map;

/**
 * A device of a slice. Immutable.
 *
 * @param use whether it can be counted as one whole device of its node
 * @param tainted whether a taint of its own keeps claims off it
 * @param attributes by qualified name: Boolean, Long, String or {@link Version}, or a List of those
 * @param capacity quantities as written, by qualified name
 */
public record Device(
    String name,
    Use use,
    boolean tainted,
    Map<String, Object> attributes,
    Map<String, String> capacity) {

  public Device {
    attributes = Map.copyOf(attributes);
    capacity = Map.copyOf(capacity);
  }

  /** How a device may be handed out. */
  public enum Use {
    /** To one claim at a time. */
    WHOLE(""),
    /** Others cannot be handed out while it is, or only in part. */
    PARTITIONED("partitionable devices"),
    /** To several claims at once. */
    SHARED("devices that claims share"),
    /** Only once somebody has made it ready, or moved it to the node. */
    CONDITIONAL("devices with binding conditions");

    private final String words;

    Use(String words) {
      this.words = words;
    }

    /** In a sentence. */
    public String words() {
      return words;
    }
  }

  /** A version by the rules of semver.org. */
  public record Version(String text) {}
}
