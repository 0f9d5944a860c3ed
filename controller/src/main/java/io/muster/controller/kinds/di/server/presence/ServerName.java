package io.muster.controller.kinds.di.server.presence;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPortBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.muster.controller.kinds.di.server.call.Caller;
import io.muster.controller.kube.ClusterObjects;
import java.util.List;
import java.util.Map;

/**
 * A name by which DI-engine's pods and manifests know the server, and the ports at which they call
 * it: a Service without a selector, and an EndpointSlice for each process that serves. Immutable.
 */
public record ServerName(String namespace, String service, List<Integer> ports) {

  /** All of them. */
  static final List<ServerName> ALL =
      List.of(
          new ServerName(Caller.SYSTEM, "di-server", List.of(8080, 8081)),
          new ServerName("ding-system", "ding-server", List.of(8080)));

  /** Labels that slices of Muster's have, whichever process they are for. */
  Map<String, String> labelsOfSlices() {
    return Map.of(
        "kubernetes.io/service-name",
        service,
        "endpointslice.kubernetes.io/managed-by",
        ClusterObjects.OWNER);
  }

  /** The Service, as Muster makes it. */
  Service object() {
    return new ServiceBuilder()
        .withNewMetadata()
        .withName(service)
        .withNamespace(namespace)
        .withLabels(Map.of(ClusterObjects.MANAGED_BY, ClusterObjects.OWNER))
        .endMetadata()
        .withNewSpec()
        .withPorts(ports.stream().map(ServerName::port).toList())
        .endSpec()
        .build();
  }

  private static ServicePort port(int at) {
    return new ServicePortBuilder().withName("http-" + at).withPort(at).withProtocol("TCP").build();
  }

  /** That one process serves under this name. */
  EndpointSlice slice(ServingProcess process) {
    return new EndpointSliceBuilder()
        .withNewMetadata()
        .withName(service + "-" + process.nameOfObject())
        .withNamespace(namespace)
        .withLabels(labelsOfSlices())
        .withAnnotations(Map.of(ServingProcess.KEY, process.name()))
        .endMetadata()
        .withAddressType(process.address().contains(":") ? "IPv6" : "IPv4")
        .addNewEndpoint()
        .withAddresses(process.address())
        .withNewConditions()
        .withReady(true)
        .endConditions()
        .endEndpoint()
        .withPorts(ports.stream().map(at -> endpointPort(at, process.port())).toList())
        .build();
  }

  private static EndpointPort endpointPort(int at, int port) {
    return new EndpointPortBuilder()
        .withName("http-" + at)
        .withPort(port)
        .withProtocol("TCP")
        .build();
  }
}
