package io.muster.extender.kube.device;

import static io.muster.extender.kube.ApiFields.filled;
import static io.muster.extender.kube.ApiFields.instant;
import static io.muster.extender.kube.ApiFields.present;
import static io.muster.extender.kube.ApiFields.text;

import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.resource.v1.AllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceAttribute;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceTaint;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimConsumerReference;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.muster.extender.core.device.Claim;
import io.muster.extender.core.device.Claim.Allocated;
import io.muster.extender.core.device.Device;
import io.muster.extender.core.device.Device.Use;
import io.muster.extender.core.device.DeviceClass;
import io.muster.extender.core.device.Slice;
import io.muster.extender.core.device.Slice.DeviceId;
import io.muster.extender.core.device.Slice.Pool;
import io.muster.extender.core.device.TaintRule;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Turns objects of resource.k8s.io into what is counted. Total for any object that the client can
 * read, whatever is missing in it. Stateless.
 */
public final class DeviceReading {

  private static final Set<String> KEEP_OFF = Set.of("NoSchedule", "NoExecute");

  private DeviceReading() {}

  /** A slice; where it is not of one node alone, its node is empty. */
  public static Slice slice(ResourceSlice slice) {
    var spec = slice.getSpec();
    var pool = spec.getPool();
    return new Slice(
        slice.getMetadata().getName(),
        new Pool(text(spec.getDriver()), pool == null ? "" : text(pool.getName())),
        pool == null ? 0 : whole(pool.getGeneration()),
        pool == null ? 0 : whole(pool.getResourceSliceCount()),
        filled(spec.getNodeName()),
        spec.getDevices().stream().map(DeviceReading::device).toList());
  }

  private static Device device(io.fabric8.kubernetes.api.model.resource.v1.Device device) {
    var attributes = new HashMap<String, Object>();
    present(device.getAttributes())
        .forEach((name, value) -> value(value).ifPresent(it -> attributes.put(name, it)));
    var capacity = new HashMap<String, String>();
    present(device.getCapacity())
        .forEach((name, value) -> {
          if (value.getValue() != null) {
            capacity.put(name, value.getValue().toString());
          }
        });
    return new Device(
        text(device.getName()),
        use(device),
        device.getTaints().stream().anyMatch(DeviceReading::keepsOff),
        attributes,
        capacity);
  }

  private static Use use(io.fabric8.kubernetes.api.model.resource.v1.Device device) {
    if (!device.getConsumesCounters().isEmpty()) {
      return Use.PARTITIONED;
    }
    if (Boolean.TRUE.equals(device.getAllowMultipleAllocations())) {
      return Use.SHARED;
    }
    return device.getBindingConditions().isEmpty() ? Use.WHOLE : Use.CONDITIONAL;
  }

  private static boolean keepsOff(DeviceTaint taint) {
    return KEEP_OFF.contains(text(taint.getEffect()));
  }

  private static Optional<Object> value(DeviceAttribute value) {
    return Stream.<Object>of(
            Optional.ofNullable(value.getBool()),
            Optional.ofNullable(value.getInt()),
            Optional.ofNullable(value.getString()),
            Optional.ofNullable(value.getVersion()).map(Device.Version::new),
            list(value.getBools()),
            list(value.getInts()),
            list(value.getStrings()),
            list(value.getVersions())
                .map(all -> all.stream().map(it -> new Device.Version(it.toString())).toList()))
        .map(found -> (Optional<?>) found)
        .flatMap(Optional::stream)
        .map(found -> (Object) found)
        .findFirst();
  }

  private static Optional<List<?>> list(List<?> values) {
    return Optional.<List<?>>ofNullable(values).filter(it -> !it.isEmpty());
  }

  /** A class. */
  public static DeviceClass deviceClass(
      io.fabric8.kubernetes.api.model.resource.v1.DeviceClass found) {
    var metadata = found.getMetadata();
    var spec = found.getSpec();
    return new DeviceClass(
        metadata.getName(),
        text(metadata.getResourceVersion()),
        instant(text(metadata.getCreationTimestamp())).orElse(Instant.EPOCH),
        spec == null ? Optional.empty() : filled(spec.getExtendedResourceName()),
        spec == null
            ? List.of()
            : spec.getSelectors().stream()
                // One of a kind to come: no expression, and none that holds.
                .map(it -> it.getCel() == null ? "" : text(it.getCel().getExpression()))
                .toList());
  }

  /** A claim with the devices that nobody else can get, none where it is not allocated. */
  public static Claim claim(ResourceClaim claim) {
    var allocation =
        Optional.ofNullable(claim.getStatus())
            .flatMap(it -> Optional.ofNullable(it.getAllocation()));
    var classes = new HashMap<String, String>();
    if (claim.getSpec() != null && claim.getSpec().getDevices() != null) {
      claim.getSpec().getDevices().getRequests().forEach(it -> addClasses(it, classes));
    }
    return new Claim(
        key(claim),
        allocation.flatMap(it -> node(it.getNodeSelector())),
        pod(claim),
        allocation.stream()
            .flatMap(DeviceReading::results)
            .filter(it -> !Boolean.TRUE.equals(it.getAdminAccess()) && it.getShareID() == null)
            .map(it ->
                new Allocated(
                    new DeviceId(
                        new Pool(text(it.getDriver()), text(it.getPool())), text(it.getDevice())),
                    classes.getOrDefault(text(it.getRequest()), "")))
            .toList());
  }

  /** Namespace and name. */
  public static String key(ResourceClaim claim) {
    return claim.getMetadata().getNamespace() + "/" + claim.getMetadata().getName();
  }

  private static Stream<DeviceRequestAllocationResult> results(AllocationResult allocation) {
    return allocation.getDevices() == null
        ? Stream.of()
        : allocation.getDevices().getResults().stream();
  }

  private static void addClasses(DeviceRequest request, Map<String, String> classes) {
    if (request.getExactly() != null) {
      classes.put(text(request.getName()), text(request.getExactly().getDeviceClassName()));
    }
    request
        .getFirstAvailable()
        .forEach(it ->
            classes.put(
                text(request.getName()) + "/" + text(it.getName()), text(it.getDeviceClassName())));
  }

  /**
   * The pod for which the claim is reserved: of several the one that owns it, else the first. Where
   * it is for nobody, as after a bind that failed, the pod that owns it. kube-scheduler writes for
   * whom, while whoever makes a claim writes who owns it: an owner's word is taken only where no
   * other pod alone has the devices.
   */
  private static Optional<String> pod(ResourceClaim claim) {
    var owner =
        claim.getMetadata().getOwnerReferences().stream()
            .filter(it -> "Pod".equals(it.getKind()) && Boolean.TRUE.equals(it.getController()))
            .map(OwnerReference::getUid)
            .findFirst();
    var users =
        claim.getStatus() == null
            ? List.<ResourceClaimConsumerReference>of()
            : claim.getStatus().getReservedFor();
    if (users.isEmpty()) {
      return owner;
    }
    var pods =
        users.stream()
            .filter(it -> "pods".equals(it.getResource()))
            .flatMap(it -> filled(it.getUid()).stream())
            .toList();
    return owner.filter(pods::contains).or(() -> pods.stream().findFirst());
  }

  /** Whether it was made for a PodGroup or is reserved for one, whose pods share its devices. */
  public static boolean isOfPodGroup(ResourceClaim claim) {
    boolean isReserved =
        claim.getStatus() != null
            && claim.getStatus().getReservedFor().stream()
                .anyMatch(it -> "podgroups".equals(it.getResource()));
    return isReserved
        || claim.getMetadata().getOwnerReferences().stream()
            .anyMatch(
                it -> "PodGroup".equals(it.getKind()) && Boolean.TRUE.equals(it.getController()));
  }

  /** The node that an allocation names; kube-scheduler writes that where a device is on one. */
  private static Optional<String> node(NodeSelector selector) {
    if (selector == null || selector.getNodeSelectorTerms().size() != 1) {
      return Optional.empty();
    }
    return selector.getNodeSelectorTerms().getFirst().getMatchFields().stream()
        .filter(it -> "metadata.name".equals(it.getKey()) && "In".equals(it.getOperator()))
        .filter(it -> it.getValues().size() == 1)
        .map(it -> it.getValues().getFirst())
        .findFirst();
  }

  /** A rule; empty where it keeps claims off no device. */
  public static Optional<TaintRule> rule(
      io.fabric8.kubernetes.api.model.resource.v1beta2.DeviceTaintRule rule) {
    var spec = rule.getSpec();
    if (spec == null || spec.getDeviceSelector() == null || spec.getTaint() == null) {
      return Optional.empty();
    }
    var selector = spec.getDeviceSelector();
    return Optional.of(
            new TaintRule(
                rule.getMetadata().getName(),
                filled(selector.getDriver()),
                filled(selector.getPool()),
                filled(selector.getDevice())))
        .filter(_ -> KEEP_OFF.contains(text(spec.getTaint().getEffect())));
  }

  private static long whole(Long number) {
    return Objects.requireNonNullElse(number, 0L);
  }
}
