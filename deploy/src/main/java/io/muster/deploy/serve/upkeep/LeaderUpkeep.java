package io.muster.deploy.serve.upkeep;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.port.Delays;
import io.muster.webhook.kube.Registration;
import io.muster.webhook.kube.RegistrationKeeper;
import io.muster.webhook.port.AdmissionMeter;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps in the cluster what the leader keeps there beside its decisions: its registration with the
 * API server, the way to it for kube-scheduler, and who owns both. No other process touches them.
 * Confined to one thread at a time.
 */
public final class LeaderUpkeep implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LeaderUpkeep.class);

  private final InstallationOwner owner;
  private final RegistrationKeeper registration;
  private final Optional<LeaderEndpoint> endpoint;
  private final OwnedObjects owned;
  private final Runnable whenUninstalled;

  /**
   * What it needs of the process.
   *
   * @param client for all writes
   * @param owner of all that is made
   * @param whenUninstalled run if the installation is deleted
   */
  public record Surroundings(
      KubernetesClient client,
      InstallationOwner owner,
      Delays timers,
      InstantSource clock,
      AdmissionMeter meter,
      Runnable whenUninstalled) {}

  /**
   * What is to be kept.
   *
   * @param namespace where Muster runs
   * @param secrets names of those that Muster makes
   * @param endpoint empty if kube-scheduler's calls find the leader in another way
   * @param registration as it should stand now, by its owner
   */
  public record Wanted(
      String namespace,
      List<String> secrets,
      Optional<LeaderEndpoint.Place> endpoint,
      Function<Optional<OwnerReference>, Registration> registration) {
    public Wanted {
      secrets = List.copyOf(secrets);
    }
  }

  public LeaderUpkeep(Wanted wanted, Surroundings process) {
    var client = process.client();
    whenUninstalled = process.whenUninstalled();
    owner = process.owner();
    owned = new OwnedObjects(client, wanted.namespace(), wanted.secrets());
    endpoint = wanted.endpoint().map(place -> new LeaderEndpoint(client, place, process.clock()));
    registration =
        new RegistrationKeeper(
            client,
            () ->
                switch (owner.standing()) {
                  case InstallationOwner.Standing.Absent _ ->
                      Optional.of(wanted.registration().apply(Optional.empty()));
                  case InstallationOwner.Standing.Present(var reference) ->
                      Optional.of(wanted.registration().apply(Optional.of(reference)));
                  case InstallationOwner.Standing.Missed _, InstallationOwner.Standing.Gone _ ->
                      Optional.empty();
                },
            wanted.namespace(),
            process.timers(),
            process.clock(),
            process.meter());
  }

  /**
   * To be called again and again while this process leads and is ready: costs nothing where all is
   * as it should be.
   *
   * @throws KubernetesClientException if something could not be written; to be called again
   */
  public void lead() {
    switch (owner.standing()) {
      case InstallationOwner.Standing.Absent _ -> stand(Optional.empty());
      case InstallationOwner.Standing.Present(var reference) -> stand(Optional.of(reference));
      case InstallationOwner.Standing.Missed _ -> registration.close();
      case InstallationOwner.Standing.Gone _ -> {
        registration.close();
        whenUninstalled.run();
      }
    }
  }

  private void stand(Optional<OwnerReference> reference) {
    endpoint.ifPresent(way -> way.lead(reference));
    registration.keep();
    reference.ifPresent(this::own);
  }

  /** No reason not to serve: what has no owner must be removed by hand, and that is all. */
  private void own(OwnerReference reference) {
    try {
      owned.adopt(reference);
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("Secrets and Lease could not be given to the installation; tried again");
    }
  }

  /** Of a process that does not lead any more. */
  public void follow() {
    registration.close();
    endpoint.ifPresent(LeaderEndpoint::leave);
  }

  @Override
  public void close() {
    follow();
  }
}
