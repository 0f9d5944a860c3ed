package io.muster.controller.di.server;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.ServicePortBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPortBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.kube.ClusterObjects;
import io.muster.controller.kube.JobWrites;
import io.muster.controller.port.JobController;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the names by which DI-engine's pods and manifests know the server, beside a controller that
 * leads: each is a Service without a selector whose one endpoint is this process. Services of
 * others are left alone. Confined to the controller's thread.
 */
public final class ServerServices implements JobController {

  private static final Logger LOG = LoggerFactory.getLogger(ServerServices.class);
  private static final String MANAGED_BY = "app.kubernetes.io/managed-by";

  private static final List<Name> NAMES =
      List.of(
          new Name(Caller.SYSTEM, "di-server", List.of(8080, 8081)),
          new Name("ding-system", "ding-server", List.of(8080)));

  private final KubernetesClient client;
  private final JobController controller;
  private final String address;
  private final int port;
  private final JobWrites writes;
  private final Set<String> told = new HashSet<>();

  /** A name, and the ports at which it is called. */
  private record Name(String namespace, String service, List<Integer> ports) {

    String slice() {
      return service + "-" + ClusterObjects.OWNER;
    }
  }

  /**
   * Begins nothing yet.
   *
   * @param controller that runs beside it
   * @param address at which pods reach this process
   * @param port of the server
   */
  public ServerServices(
      KubernetesClient client,
      JobController controller,
      String address,
      int port,
      InstantSource clock) {
    this.client = client;
    this.controller = controller;
    this.address = Access.canonical(address);
    this.port = port;
    this.writes = new JobWrites(client, clock);
  }

  @Override
  public void start() {
    controller.start();
    keep();
  }

  @Override
  public void tick() {
    controller.tick();
    keep();
  }

  @Override
  public void close() {
    controller.close();
  }

  private void keep() {
    for (var name : NAMES) {
      try {
        keep(name);
      } catch (KubernetesClientException e) {
        LOG.atWarn()
            .addKeyValue("service", name.namespace() + "/" + name.service())
            .addKeyValue("message", e.getMessage())
            .log("a name of the server for DIJobs cannot be kept; tried again");
      }
    }
  }

  private void keep(Name name) {
    var service = client.services().inNamespace(name.namespace()).withName(name.service()).get();
    if (service != null && !isOwn(service)) {
      if (told.add(name.service())) {
        LOG.atWarn()
            .addKeyValue("service", name.namespace() + "/" + name.service())
            .log("this Service is another's and is left alone; delete it to have Muster make it");
      }
      return;
    }
    var slice =
        client
            .discovery()
            .v1()
            .endpointSlices()
            .inNamespace(name.namespace())
            .withName(name.slice())
            .get();
    if (service != null && slice != null && leadsHere(slice)) {
      return;
    }
    if (client.namespaces().withName(name.namespace()).get() == null) {
      writes.putIfAbsent(
          new NamespaceBuilder()
              .withNewMetadata()
              .withName(name.namespace())
              .endMetadata()
              .build());
    }
    ClusterObjects.keep(client, objects(name));
  }

  private static boolean isOwn(Service service) {
    var labels = service.getMetadata().getLabels();
    return labels != null && ClusterObjects.OWNER.equals(labels.get(MANAGED_BY));
  }

  private boolean leadsHere(EndpointSlice slice) {
    return slice.getEndpoints().size() == 1
        && slice.getEndpoints().getFirst().getAddresses().equals(List.of(address))
        && slice.getPorts().stream().map(EndpointPort::getPort).allMatch(at -> at == port);
  }

  private List<HasMetadata> objects(Name name) {
    var service =
        new ServiceBuilder()
            .withNewMetadata()
            .withName(name.service())
            .withNamespace(name.namespace())
            .withLabels(Map.of(MANAGED_BY, ClusterObjects.OWNER))
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .build();
    var ports = new ArrayList<EndpointPort>();
    for (int at : name.ports()) {
      service
          .getSpec()
          .getPorts()
          .add(
              new ServicePortBuilder()
                  .withName("http-" + at)
                  .withPort(at)
                  .withProtocol("TCP")
                  .build());
      ports.add(
          new EndpointPortBuilder()
              .withName("http-" + at)
              .withPort(port)
              .withProtocol("TCP")
              .build());
    }
    return List.of(service, slice(name, ports));
  }

  private EndpointSlice slice(Name name, List<EndpointPort> ports) {
    return new EndpointSliceBuilder()
        .withNewMetadata()
        .withName(name.slice())
        .withNamespace(name.namespace())
        .withLabels(
            Map.of(
                "kubernetes.io/service-name",
                name.service(),
                "endpointslice.kubernetes.io/managed-by",
                ClusterObjects.OWNER))
        .endMetadata()
        .withAddressType(address.contains(":") ? "IPv6" : "IPv4")
        .addNewEndpoint()
        .withAddresses(address)
        .withNewConditions()
        .withReady(true)
        .endConditions()
        .endEndpoint()
        .withPorts(ports)
        .build();
  }
}
