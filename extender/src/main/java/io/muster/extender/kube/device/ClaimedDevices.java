package io.muster.extender.kube.device;

import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceSubRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ExactDeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimSpec;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a claim asks for. Immutable.
 *
 * @param asked its requests, in their order
 */
public record ClaimedDevices(List<Asked> asked) {

  public ClaimedDevices {
    asked = List.copyOf(asked);
  }

  /**
   * One request.
   *
   * @param classes of which devices may come
   * @param count of devices
   * @param special what keeps it from being counted as so many devices of its class, and what would
   *     do
   */
  public record Asked(List<String> classes, long count, Optional<String> special) {
    public Asked {
      classes = List.copyOf(classes);
    }
  }

  /** What the spec asks for; nothing where there is none. */
  public static ClaimedDevices of(ResourceClaimSpec spec) {
    return new ClaimedDevices(
        spec == null || spec.getDevices() == null
            ? List.of()
            : spec.getDevices().getRequests().stream().map(ClaimedDevices::asked).toList());
  }

  private static Asked asked(DeviceRequest request) {
    var exactly = request.getExactly();
    if (exactly == null) {
      return new Asked(
          request.getFirstAvailable().stream().map(DeviceSubRequest::getDeviceClassName).toList(),
          0,
          Optional.of("asks for the first available of several; ask for one class by exactly"));
    }
    return new Asked(
        List.of(Objects.requireNonNullElse(exactly.getDeviceClassName(), "")),
        Objects.requireNonNullElse(exactly.getCount(), 1L),
        special(exactly));
  }

  private static Optional<String> special(ExactDeviceRequest request) {
    if ("All".equals(request.getAllocationMode())) {
      return Optional.of("asks for all devices of a node; ask for a count");
    }
    if (Boolean.TRUE.equals(request.getAdminAccess())) {
      return Optional.of("asks for admin access; leave it to a pod without a gang");
    }
    if (request.getCapacity() != null) {
      return Optional.of("asks for a part of a device; ask for whole devices");
    }
    return request.getSelectors().isEmpty()
        ? Optional.empty()
        : Optional.of("selects devices by selectors; put them into a DeviceClass of its own");
  }
}
