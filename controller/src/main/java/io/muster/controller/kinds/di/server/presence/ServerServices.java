package io.muster.controller.kinds.di.server.presence;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.kube.Rejection;
import io.muster.controller.port.JobController;
import io.muster.controller.port.JobsUnwatchedException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the Services by which DI-engine's pods and manifests know the server, beside a controller
 * that leads. Who serves under them is each process's own matter ({@link Presence}); slices of
 * processes that have died are removed here. Services of others are left alone. Confined to the
 * controller's thread.
 */
public final class ServerServices implements JobController {

  private static final Logger LOG = LoggerFactory.getLogger(ServerServices.class);

  /** After which a slice that leads nobody anywhere is a leftover. */
  static final Duration LEFT_BEHIND = Duration.ofMinutes(1);

  private final NameStore store;
  private final JobController controller;
  private final InstantSource clock;
  private final Set<ServerName> told = new HashSet<>();

  /** Since when slices are not ready, by their uid. */
  private final Map<String, Instant> silent = new HashMap<>();

  /**
   * Begins nothing yet.
   *
   * @param controller that runs beside it
   */
  public ServerServices(KubernetesClient client, JobController controller, InstantSource clock) {
    this(new WatchedNames(client), controller, clock);
  }

  ServerServices(NameStore store, JobController controller, InstantSource clock) {
    this.store = store;
    this.controller = controller;
    this.clock = clock;
  }

  @Override
  public void start() {
    controller.start();
    store.start();
  }

  @Override
  public void tick() throws JobsUnwatchedException {
    controller.tick();
    for (var name : ServerName.ALL) {
      try {
        keep(name);
      } catch (KubernetesClientException e) {
        LOG.atWarn()
            .addKeyValue("service", name.namespace() + "/" + name.service())
            .addKeyValue("message", Rejection.sentence(e))
            .log(
                "a name of the server for DIJobs cannot be kept; tried again. Its namespace and the"
                    + " rights in it come with deploy/rbac/di.yml");
      }
    }
  }

  @Override
  public void close() {
    store.close();
    controller.close();
  }

  private void keep(ServerName name) {
    switch (store.standing(name)) {
      case UNKNOWN -> {}
      case ABSENT -> store.make(name);
      case MUSTERS -> removeLeftovers(name);
      case ANOTHERS -> {
        if (told.add(name)) {
          LOG.atWarn()
              .addKeyValue("service", name.namespace() + "/" + name.service())
              .log("this Service is another's and is left alone; delete it to have Muster make it");
        }
      }
    }
  }

  private void removeLeftovers(ServerName name) {
    var now = clock.instant();
    for (EndpointSlice slice : store.slices(name)) {
      var uid = slice.getMetadata().getUid();
      if (ServingProcess.isReady(slice)) {
        silent.remove(uid);
      } else if (!silent.computeIfAbsent(uid, _ -> now).plus(LEFT_BEHIND).isAfter(now)) {
        store.delete(slice);
        silent.remove(uid);
      }
    }
  }
}
