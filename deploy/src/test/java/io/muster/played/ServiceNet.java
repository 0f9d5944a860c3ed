package io.muster.played;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.faults.TcpSwitch;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * Plays kube-proxy: listens on the cluster IP and ports of every Service and passes connections on
 * to the ready endpoints of its EndpointSlices, in turn. Connections to an endpoint that goes are
 * ended. Ports below 1024 are for the API server alone, see {@link EgressProxy}. Safe for
 * concurrent use.
 */
final class ServiceNet implements AutoCloseable {

  private static final int FIRST_OPEN_PORT = 1024;
  private static final String SERVICE_NAME = "kubernetes.io/service-name";

  private final SharedIndexInformer<Service> services;
  private final SharedIndexInformer<EndpointSlice> slices;
  private final Map<InetSocketAddress, TcpSwitch> listeners = new HashMap<>();
  private boolean isOpen = true;

  ServiceNet(KubernetesClient client) {
    services = client.services().inAnyNamespace().runnableInformer(0);
    slices = client.discovery().v1().endpointSlices().inAnyNamespace().runnableInformer(0);
    services.addEventHandler(new Changed<>(this::follow));
    slices.addEventHandler(new Changed<>(this::follow));
    services.run();
    slices.run();
  }

  /** Lines of {@code /etc/hosts} with the names of all Services, as DNS has them. */
  String hosts() {
    return services.getStore().list().stream()
        .filter(ServiceNet::hasAddress)
        .map(service -> {
          var name = service.getMetadata().getName() + "." + service.getMetadata().getNamespace();
          return "%s %s %s.svc %s.svc.cluster.local\n"
              .formatted(service.getSpec().getClusterIP(), name, name, name);
        })
        .collect(Collectors.joining("", "127.0.0.1 localhost\n", ""));
  }

  private synchronized void follow() {
    if (!isOpen) {
      return;
    }
    var wanted = new HashSet<InetSocketAddress>();
    for (var service : services.getStore().list()) {
      if (hasAddress(service)) {
        for (var port : service.getSpec().getPorts()) {
          var address = new InetSocketAddress(service.getSpec().getClusterIP(), port.getPort());
          if (port.getPort() >= FIRST_OPEN_PORT) {
            wanted.add(address);
            listeners.computeIfAbsent(address, TcpSwitch::open).turnTo(targets(service, port));
          }
        }
      }
    }
    var gone = new HashSet<>(listeners.keySet());
    gone.removeAll(wanted);
    gone.forEach(address -> listeners.remove(address).close());
  }

  /** Where a call to an address goes: an endpoint if it is a Service's, else where it is. */
  Optional<InetSocketAddress> route(InetSocketAddress address) {
    for (var service : services.getStore().list()) {
      if (address.getHostString().equals(service.getSpec().getClusterIP())) {
        var targets =
            service.getSpec().getPorts().stream()
                .filter(port -> port.getPort() == address.getPort())
                .flatMap(port -> targets(service, port).stream())
                .toList();
        return targets.isEmpty()
            ? Optional.empty()
            : Optional.of(targets.get(ThreadLocalRandom.current().nextInt(targets.size())));
      }
    }
    return Optional.of(address);
  }

  /** Ends the connections that are open; new ones lead where they did. */
  synchronized void cut() {
    listeners.values().forEach(TcpSwitch::cut);
  }

  private static boolean hasAddress(Service service) {
    var address = service.getSpec().getClusterIP();
    return address != null && !address.isEmpty() && !address.equals("None");
  }

  private List<InetSocketAddress> targets(Service service, ServicePort port) {
    var metadata = service.getMetadata();
    return slices.getStore().list().stream()
        .filter(slice -> slice.getMetadata().getNamespace().equals(metadata.getNamespace()))
        .filter(slice ->
            metadata
                .getName()
                .equals(
                    Optional.ofNullable(slice.getMetadata().getLabels())
                        .map(labels -> labels.get(SERVICE_NAME))
                        .orElse("")))
        .flatMap(slice ->
            present(slice.getPorts()).stream()
                .filter(open -> Objects.equals(name(open.getName()), name(port.getName())))
                .flatMap(open ->
                    present(slice.getEndpoints()).stream()
                        .filter(ServiceNet::isReady)
                        .map(endpoint -> endpoint.getAddresses().getFirst())
                        // Pods on other nodes are not played: nobody listens there.
                        .filter(PodNetwork::isPlayed)
                        .map(address -> PodNetwork.listener(address, open.getPort()))))
        .toList();
  }

  /** Lists without elements are left out of what the API server says. */
  private static <T> List<T> present(List<T> list) {
    return Objects.requireNonNullElse(list, List.of());
  }

  private static String name(String port) {
    return Objects.requireNonNullElse(port, "");
  }

  private static boolean isReady(Endpoint endpoint) {
    return endpoint.getConditions() == null
        || !Boolean.FALSE.equals(endpoint.getConditions().getReady());
  }

  @Override
  public synchronized void close() {
    isOpen = false;
    services.close();
    slices.close();
    listeners.values().forEach(TcpSwitch::close);
  }

  /** Any change is a reason to look at all: there are few. */
  record Changed<T>(Runnable follow) implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T added) {
      follow.run();
    }

    @Override
    public void onUpdate(T before, T after) {
      follow.run();
    }

    @Override
    public void onDelete(T deleted, boolean isStateUnknown) {
      follow.run();
    }
  }
}
