package io.muster.extender.core.device;

import io.muster.extender.core.device.Slice.DeviceId;
import java.util.List;
import java.util.Optional;

/**
 * What a ResourceClaim has been allocated. Immutable.
 *
 * @param key namespace and name
 * @param node where its devices are; empty where they can be used on several
 * @param pod uid of the one pod for which its devices count, of those for which it is reserved, as
 *     kube-scheduler writes with the allocation; empty where it is reserved for something else
 * @param devices those that nobody else can get meanwhile
 */
public record Claim(
    String key, Optional<String> node, Optional<String> pod, List<Allocated> devices) {

  public Claim {
    devices = List.copyOf(devices);
  }

  /** A device, and the class under which it was asked for. */
  public record Allocated(DeviceId device, String deviceClass) {}
}
