package io.muster.extender.core.cluster;

/** A node's taint. An absent value is the empty string. Immutable. */
public record Taint(String key, String value, Effect effect) {

  /** What the taint does to a pod that does not tolerate it. */
  public enum Effect {
    NO_SCHEDULE,
    PREFER_NO_SCHEDULE,
    NO_EXECUTE;

    /** Whether an untolerated taint of this effect keeps a pod from being placed. */
    public boolean forbidsPlacement() {
      return this != PREFER_NO_SCHEDULE;
    }
  }
}
