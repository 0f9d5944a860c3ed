package io.muster.deploy.serve.upkeep;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.muster.controller.kube.Marks;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leads kube-scheduler's calls to this process while it leads: the one EndpointSlice of the Service
 * {@value #SERVICE}, which has no selector. The next leader replaces it. Safe for concurrent use.
 */
public final class LeaderEndpoint {

  /** Name of the Service, and of its slice. */
  public static final String SERVICE = "muster-extender";

  /** Name of the port, in the Service as in the slice. */
  public static final String PORT = "extender";

  /** The annotation that names the process, as the Lease names its holder. */
  public static final String PROCESS = "muster.io/process";

  private static final Logger LOG = LoggerFactory.getLogger(LeaderEndpoint.class);
  private static final String OF_SERVICE = "kubernetes.io/service-name";
  private static final String MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
  private static final Duration BETWEEN_CHECKS = Duration.ofSeconds(5);

  private final KubernetesClient client;
  private final Place place;
  private final InstantSource clock;
  private Instant checkedAt = Instant.MIN;
  private boolean stands;

  /**
   * Where this process is reached.
   *
   * @param namespace of the Service
   * @param process a name that no other process has
   * @param address an IP address
   */
  public record Place(String namespace, String process, String address, int port) {}

  /**
   * @param clock that never goes back
   */
  public LeaderEndpoint(KubernetesClient client, Place place, InstantSource clock) {
    this.client = client;
    this.place = place;
    this.clock = clock;
  }

  /**
   * Makes the slice lead here; asks the API server once at the begin of a term, and every five
   * seconds.
   *
   * @param owner whose deletion takes the slice along
   * @param leads whether this process still leads: the API server may have answered late
   * @throws KubernetesClientException if that fails; to be tried again
   */
  public synchronized void lead(Optional<OwnerReference> owner, BooleanSupplier leads) {
    var now = clock.instant();
    if (stands && now.isBefore(checkedAt.plus(BETWEEN_CHECKS))) {
      return;
    }
    var found = Optional.ofNullable(slice().get());
    if (!leads.getAsBoolean()) {
      return;
    }
    put(wanted(owner), found);
    checkedAt = now;
    stands = true;
  }

  /** Over what was read alone: the next leader may have made it its own since. */
  private void put(EndpointSlice wanted, Optional<EndpointSlice> found) {
    if (found.filter(there -> says(there, wanted)).isPresent()) {
      return;
    }
    if (found.filter(there -> there.getAddressType().equals(wanted.getAddressType())).isPresent()) {
      var metadata = wanted.getMetadata();
      metadata.setResourceVersion(found.get().getMetadata().getResourceVersion());
      client.resource(wanted).update();
    } else {
      found.ifPresent(this::delete);
      client.resource(wanted).create();
    }
    LOG.atInfo()
        .addKeyValue("address", place.address())
        .addKeyValue("port", place.port())
        .log("kube-scheduler's calls are led here");
  }

  private static boolean says(EndpointSlice there, EndpointSlice wanted) {
    return there.getEndpoints().equals(wanted.getEndpoints())
        && there.getPorts().equals(wanted.getPorts())
        && Marks.labels(there).equals(wanted.getMetadata().getLabels())
        && there
            .getMetadata()
            .getOwnerReferences()
            .equals(wanted.getMetadata().getOwnerReferences())
        && isOf(there, wanted.getMetadata().getAnnotations().get(PROCESS));
  }

  private static boolean isOf(EndpointSlice slice, String process) {
    return process.equals(Marks.annotations(slice).get(PROCESS));
  }

  private EndpointSlice wanted(Optional<OwnerReference> owner) {
    return new EndpointSliceBuilder()
        .withNewMetadata()
        .withName(SERVICE)
        .withNamespace(place.namespace())
        .withLabels(Map.of(OF_SERVICE, SERVICE, MANAGED_BY, "muster"))
        .withAnnotations(Map.of(PROCESS, place.process()))
        .withOwnerReferences(owner.map(List::of).orElse(List.of()))
        .endMetadata()
        .withAddressType(place.address().contains(":") ? "IPv6" : "IPv4")
        .addNewEndpoint()
        .withAddresses(place.address())
        .withNewConditions()
        .withReady(true)
        .endConditions()
        .endEndpoint()
        .addNewPort()
        .withName(PORT)
        .withPort(place.port())
        .withProtocol("TCP")
        .endPort()
        .build();
  }

  /** Takes the slice away if it still leads here. */
  public synchronized void leave() {
    if (!stands) {
      return;
    }
    stands = false;
    try {
      Optional.ofNullable(slice().get())
          .filter(there -> isOf(there, place.process()))
          .ifPresent(this::delete);
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("kube-scheduler's calls are led here until another process leads");
    }
  }

  /** Only as it was read: the next leader may have made it its own since. */
  private void delete(EndpointSlice read) {
    client.resource(read).lockResourceVersion().delete();
  }

  private Resource<EndpointSlice> slice() {
    return client
        .discovery()
        .v1()
        .endpointSlices()
        .inNamespace(place.namespace())
        .withName(SERVICE);
  }
}
