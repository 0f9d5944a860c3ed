package io.muster.controller.kinds.di.server.presence;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.muster.controller.kube.Marks;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * A process that serves, and where it is reached. Immutable.
 *
 * @param name by which it answers; empty if who wrote it down did not say
 */
public record ServingProcess(String name, String address, int port) {

  /** The annotation of a slice that names its process. */
  static final String KEY = "muster.io/process";

  /** Read from a slice of Muster's; empty if there is no endpoint in it. */
  static Optional<ServingProcess> of(EndpointSlice slice) {
    var name = Marks.annotations(slice).getOrDefault(KEY, "");
    return slice.getEndpoints().stream()
        .flatMap(endpoint -> endpoint.getAddresses().stream())
        .findFirst()
        .flatMap(address ->
            slice.getPorts().stream()
                .map(EndpointPort::getPort)
                .filter(Objects::nonNull)
                .findFirst()
                .map(port -> new ServingProcess(name, address, port)));
  }

  /** Whether callers are led to it. */
  static boolean isReady(EndpointSlice slice) {
    return slice.getEndpoints().stream()
        .anyMatch(endpoint ->
            endpoint.getConditions() == null
                || !Boolean.FALSE.equals(endpoint.getConditions().getReady()));
  }

  /** Its name, as objects may be called. */
  String nameOfObject() {
    var plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.-]", "-");
    return plain.replaceAll("^[.-]+|[.-]+$", "");
  }
}
