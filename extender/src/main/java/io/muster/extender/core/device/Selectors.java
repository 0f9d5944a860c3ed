package io.muster.extender.core.device;

/** Evaluates the selectors of classes. */
public interface Selectors {

  /** Whether the device, which is one of that driver, meets all selectors of the class. */
  Verdict verdict(DeviceClass deviceClass, String driver, Device device);

  /** The class was deleted: nothing about it needs to be kept. */
  default void forget(String deviceClass) {}

  /** What has been found. */
  sealed interface Verdict {

    /** It does. */
    record Meets() implements Verdict {}

    /** It does not. */
    record Differs() implements Verdict {}

    /** That cannot be said. */
    record Unknown(String why) implements Verdict {}
  }
}
