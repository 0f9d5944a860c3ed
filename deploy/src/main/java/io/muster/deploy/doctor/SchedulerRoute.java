package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.kube.Marks;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.scheduler.ServiceAddresses;
import io.muster.deploy.serve.upkeep.LeaderEndpoint;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The way of kube-scheduler's calls in a cluster: Service muster-extender, and behind it the
 * process that leads.
 */
record SchedulerRoute(KubernetesClient client, Config settings) {

  private static final String CHECK = "scheduler.service";

  /**
   * @param leader the pod that leads; empty if none does, or Muster runs outside the cluster
   */
  List<Finding> findings(Optional<Pod> leader) {
    boolean isKeptByMuster =
        settings.isOn(Setting.LEADER_ENDPOINT)
            && settings.optional(Setting.ADVERTISE_ADDRESS).isEmpty();
    if (!settings.rules().placement().isAsked() || leader.isEmpty() || !isKeptByMuster) {
      return List.of();
    }
    var name = settings.text(Setting.NAMESPACE) + "/" + LeaderEndpoint.SERVICE;
    if (service().isEmpty()) {
      return List.of(
          Finding.problem(
              CHECK,
              "Service %s does not exist: kube-scheduler finds no Muster".formatted(name),
              "install Muster again as it was installed; compare the address in kube-scheduler's"
                  + " configuration afterwards"));
    }
    var slices = slices();
    var led = led(slices);
    var own = addresses(leader.get());
    return List.of(
        isOf(slices, leader.get()) || led.stream().anyMatch(own::contains)
            ? Finding.ok(CHECK, "Service %s leads to the pod that leads".formatted(name))
            : Finding.problem(
                CHECK,
                "Service %s leads to %s, and the pod that leads has %s"
                    .formatted(
                        name,
                        led.isEmpty() ? "nobody" : String.join(", ", led),
                        own.isEmpty() ? "no address" : String.join(", ", own)),
                "the leader writes EndpointSlice %s: read in its log why it cannot"
                    .formatted(name)));
  }

  /** Where the Service is reached, as {@code host:port}; empty without one, or without an IP. */
  List<String> addresses() {
    return service().map(ServiceAddresses::of).orElse(List.of());
  }

  private Optional<Service> service() {
    return Optional.ofNullable(
        client
            .services()
            .inNamespace(settings.text(Setting.NAMESPACE))
            .withName(LeaderEndpoint.SERVICE)
            .get());
  }

  private List<EndpointSlice> slices() {
    return client
        .discovery()
        .v1()
        .endpointSlices()
        .inNamespace(settings.text(Setting.NAMESPACE))
        .withLabel("kubernetes.io/service-name", LeaderEndpoint.SERVICE)
        .list()
        .getItems();
  }

  /** The leader has written it itself: it knows an address of its own that its pod may not show. */
  private static boolean isOf(List<EndpointSlice> slices, Pod leader) {
    var name = leader.getMetadata().getName();
    return slices.stream()
        .anyMatch(slice -> name.equals(Marks.annotations(slice).get(LeaderEndpoint.PROCESS)));
  }

  private static List<String> led(List<EndpointSlice> slices) {
    return slices.stream()
        .flatMap(slice -> slice.getEndpoints().stream())
        .map(Endpoint::getAddresses)
        .flatMap(List::stream)
        .distinct()
        .toList();
  }

  private static List<String> addresses(Pod pod) {
    var status = Optional.ofNullable(pod.getStatus());
    return Stream.concat(
            status.map(known -> known.getPodIP()).stream(),
            status.stream().flatMap(known -> known.getPodIPs().stream()).map(PodIP::getIp))
        .distinct()
        .toList();
  }
}
