package io.muster.deploy.scheduler;

import io.fabric8.kubernetes.api.model.Service;
import java.util.List;
import java.util.stream.Stream;

/** Where a Service is reached by IP, since a static pod does not resolve cluster names. */
public final class ServiceAddresses {

  private ServiceAddresses() {}

  /** As {@code host:port}, its first IP and port first; empty without an IP. */
  public static List<String> of(Service service) {
    var spec = service.getSpec();
    return Stream.concat(Stream.ofNullable(spec.getClusterIP()), spec.getClusterIPs().stream())
        .distinct()
        .filter(address -> !address.isEmpty() && !address.equals("None"))
        .map(address -> address.contains(":") ? "[" + address + "]" : address)
        .flatMap(address -> spec.getPorts().stream().map(port -> address + ":" + port.getPort()))
        .toList();
  }
}
