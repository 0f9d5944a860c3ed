package io.muster.extender.core.device;

import io.muster.extender.core.device.Slice.DeviceId;
import java.util.Optional;

/**
 * A DeviceTaintRule that keeps claims off devices. What it leaves open holds for all. Immutable.
 */
public record TaintRule(
    String name, Optional<String> driver, Optional<String> pool, Optional<String> device) {

  boolean covers(DeviceId id) {
    return driver.filter(it -> !it.equals(id.pool().driver())).isEmpty()
        && pool.filter(it -> !it.equals(id.pool().name())).isEmpty()
        && device.filter(it -> !it.equals(id.device())).isEmpty();
  }
}
