package io.muster.extender.core.device;

import java.util.List;
import java.util.Optional;

/**
 * A ResourceSlice: part of a pool of one driver. Immutable.
 *
 * @param slices of its pool and generation; the pool is complete once that many are there
 * @param node on which all its devices are; empty where that is not one node alone
 */
public record Slice(
    String name,
    Pool pool,
    long generation,
    long slices,
    Optional<String> node,
    List<Device> devices) {

  public Slice {
    devices = List.copyOf(devices);
  }

  /** A pool of a driver. */
  public record Pool(String driver, String name) {}

  /** A device by its full name. */
  public record DeviceId(Pool pool, String device) {}
}
