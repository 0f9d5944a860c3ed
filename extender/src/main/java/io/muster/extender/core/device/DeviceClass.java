package io.muster.extender.core.device;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A DeviceClass. Immutable.
 *
 * @param version changes with each change of the object
 * @param extendedResource the name by which pods ask for its devices too
 * @param selectors CEL expressions that a device must all meet
 */
public record DeviceClass(
    String name,
    String version,
    Instant createdAt,
    Optional<String> extendedResource,
    List<String> selectors) {

  /** Every class is an extended resource of this name, followed by its own. */
  public static final String IMPLICIT = "deviceclass.resource.kubernetes.io/";

  /** Of those with one extended resource name, the first is the one that it means. */
  static final Comparator<DeviceClass> NEWEST_FIRST =
      Comparator.comparing(DeviceClass::createdAt).reversed().thenComparing(DeviceClass::name);

  /** A class that comes later takes no devices over. */
  static final Comparator<DeviceClass> OLDEST_FIRST =
      Comparator.comparing(DeviceClass::createdAt).thenComparing(DeviceClass::name);

  public DeviceClass {
    selectors = List.copyOf(selectors);
  }

  /** The extended resource that every class has. */
  public String implicitResource() {
    return IMPLICIT + name;
  }
}
