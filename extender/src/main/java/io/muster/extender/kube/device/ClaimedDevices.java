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

  private static final String NVLINK_CHANNEL = "compute-domain-default-channel.nvidia.com";
  private static final long MOST_OF_REQUEST = 64;
  private static final long MOST_OF_CLAIM = 1024;

  public ClaimedDevices {
    asked = List.copyOf(asked);
  }

  /**
   * One request.
   *
   * @param classes of which devices may come
   * @param count of devices, 1 to 64; 0 where it is special. No claim comes to more than 1024
   * @param special what keeps it from being counted as so many devices of its class, and what would
   *     do
   */
  public record Asked(List<String> classes, long count, Optional<String> special) {
    public Asked {
      classes = List.copyOf(classes);
    }
  }

  /** What a template asks for that NVIDIA's driver makes for a ComputeDomain. */
  public static ClaimedDevices ofNvlinkDomain() {
    return new ClaimedDevices(List.of(new Asked(List.of(NVLINK_CHANNEL), 1, Optional.empty())));
  }

  /** What the spec asks for; nothing where there is none. */
  public static ClaimedDevices of(ResourceClaimSpec spec) {
    var asked =
        spec == null || spec.getDevices() == null
            ? List.<Asked>of()
            : spec.getDevices().getRequests().stream().map(ClaimedDevices::asked).toList();
    return new ClaimedDevices(
        asked.stream().mapToLong(Asked::count).sum() <= MOST_OF_CLAIM
            ? asked
            : asked.stream().map(ClaimedDevices::oneOfTooMany).toList());
  }

  private static Asked oneOfTooMany(Asked asked) {
    return uncounted(
        asked, "asks for more than %d devices; ask for fewer".formatted(MOST_OF_CLAIM));
  }

  /** The same of a claim that all pods of a PodGroup share: no pod has so many for itself. */
  public ClaimedDevices ofPodGroup() {
    return new ClaimedDevices(
        asked.stream()
            .map(each ->
                uncounted(
                    each,
                    "is claimed once for the whole PodGroup; leave it out of spec.resourceClaims of"
                        + " the PodGroup, so that each pod has its own"))
            .toList());
  }

  private static Asked uncounted(Asked asked, String why) {
    return new Asked(asked.classes(), 0, asked.special().or(() -> Optional.of(why)));
  }

  private static Asked asked(DeviceRequest request) {
    var exactly = request.getExactly();
    if (exactly == null) {
      return new Asked(
          request.getFirstAvailable().stream().map(DeviceSubRequest::getDeviceClassName).toList(),
          0,
          Optional.of("asks for the first available of several; ask for one class by exactly"));
    }
    long count = Objects.requireNonNullElse(exactly.getCount(), 1L);
    var special = special(exactly, count);
    return new Asked(
        List.of(Objects.requireNonNullElse(exactly.getDeviceClassName(), "")),
        special.isPresent() ? 0 : count,
        special);
  }

  private static Optional<String> special(ExactDeviceRequest request, long count) {
    if ("All".equals(request.getAllocationMode())) {
      return Optional.of("asks for all devices of a node; ask for a count");
    }
    if (Boolean.TRUE.equals(request.getAdminAccess())) {
      return Optional.of("asks for admin access; leave it to a pod without a gang");
    }
    if (request.getCapacity() != null) {
      return Optional.of("asks for a part of a device; ask for whole devices");
    }
    if (!request.getTolerations().isEmpty()) {
      return Optional.of("tolerates taints of devices; ask for devices without taints");
    }
    if (!request.getSelectors().isEmpty()) {
      return Optional.of("selects devices by selectors; name a DeviceClass that selects them");
    }
    return count >= 1 && count <= MOST_OF_REQUEST
        ? Optional.empty()
        : Optional.of(
            "asks for %d devices; ask for 1 to %d in one request"
                .formatted(count, MOST_OF_REQUEST));
  }
}
