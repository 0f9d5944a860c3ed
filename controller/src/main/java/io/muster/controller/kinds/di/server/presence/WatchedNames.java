package io.muster.controller.kinds.di.server.presence;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.controller.framework.JobWrites;
import io.muster.controller.kube.ClusterObjects;
import io.muster.controller.kube.Marks;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The names of the server, kept by watches, so that looking at them often costs the API server
 * nothing. Safe for concurrent use.
 */
public final class WatchedNames implements NameStore {

  private final KubernetesClient client;
  private final Map<ServerName, Watch> watches = new HashMap<>();

  /** Of one name. */
  private record Watch(
      SharedIndexInformer<Service> service, SharedIndexInformer<EndpointSlice> slices) {

    boolean isFilled() {
      return service.hasSynced() && slices.hasSynced();
    }
  }

  /** Begins nothing yet. */
  public WatchedNames(KubernetesClient client) {
    this.client = client;
    for (var name : ServerName.ALL) {
      watches.put(
          name,
          new Watch(
              WatchedJobs.informer(
                  client
                      .services()
                      .inNamespace(name.namespace())
                      .withField("metadata.name", name.service())),
              WatchedJobs.informer(
                  client
                      .discovery()
                      .v1()
                      .endpointSlices()
                      .inNamespace(name.namespace())
                      .withLabels(name.labelsOfSlices()))));
    }
  }

  @Override
  public void start() {
    for (var watch : watches.values()) {
      var _ = watch.service().start();
      var _ = watch.slices().start();
    }
  }

  @Override
  public Standing standing(ServerName name) {
    var watch = watches.get(name);
    if (!watch.isFilled()) {
      return Standing.UNKNOWN;
    }
    return watch.service().getStore().list().stream()
        .findFirst()
        .map(service ->
            ClusterObjects.OWNER.equals(Marks.labels(service).get(ClusterObjects.MANAGED_BY))
                ? Standing.MUSTERS
                : Standing.ANOTHERS)
        .orElse(Standing.ABSENT);
  }

  @Override
  public List<EndpointSlice> slices(ServerName name) {
    return watches.get(name).slices().getStore().list();
  }

  @Override
  public void make(ServerName name) {
    ClusterObjects.keep(client, List.of(name.object()));
  }

  @Override
  public void put(EndpointSlice slice) {
    ClusterObjects.keep(client, List.of(slice));
  }

  @Override
  public void turnAway(EndpointSlice seen) {
    // The version that was seen goes with it: its process may have come back in between.
    var patch =
        """
        [{"op":"replace","path":"/metadata/resourceVersion","value":"%s"},
         {"op":"add","path":"/endpoints/0/conditions","value":{"ready":false}}]
        """
            .formatted(seen.getMetadata().getResourceVersion());
    JobWrites.ignoringAbsence(
        () -> client.resource(seen).patch(PatchContext.of(PatchType.JSON), patch));
  }

  @Override
  public void delete(EndpointSlice slice) {
    JobWrites.ignoringAbsence(() -> client.resource(slice).delete());
  }

  @Override
  public void close() {
    for (var watch : watches.values()) {
      watch.service().stop();
      watch.slices().stop();
    }
  }
}
