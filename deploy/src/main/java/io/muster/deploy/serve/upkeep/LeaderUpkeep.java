package io.muster.deploy.serve.upkeep;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.port.Delays;
import io.muster.webhook.kube.Registration;
import io.muster.webhook.kube.RegistrationKeeper;
import io.muster.webhook.port.AdmissionMeter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps in the cluster what the leader keeps there beside its decisions: its registration with the
 * API server, the way to it for kube-scheduler, and who owns both. No other process touches them,
 * but each ends when the installation is deleted. Confined to one thread at a time.
 */
public final class LeaderUpkeep implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LeaderUpkeep.class);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  private final InstallationOwner owner;
  private final RegistrationKeeper registration;
  private final Optional<LeaderEndpoint> endpoint;
  private final OwnedObjects owned;
  private final Runnable whenUninstalled;
  private final InstantSource clock;

  /** The term of what stands now. */
  private Optional<?> kept = Optional.empty();

  /** When each work that has failed is tried again, by what is said of it. */
  private final Map<String, Instant> againAt = new HashMap<>();

  /**
   * What it needs of the process.
   *
   * @param client for all writes
   * @param owner of all that is made
   * @param clock that never goes back
   * @param whenUninstalled run if the installation is deleted, until the process has ended
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
    clock = process.clock();
    owner = process.owner();
    owned = new OwnedObjects(client, wanted.namespace(), wanted.secrets(), process.clock());
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
   * To be called again and again once this process is ready: costs next to nothing where all is as
   * it should be.
   *
   * @param term what it leads in now; what was kept in another, or where it is empty, is let go of
   * @throws KubernetesClientException if the registration could not be written; to be called again
   */
  public void keep(Supplier<? extends Optional<?>> term) {
    switch (owner.standing()) {
      case InstallationOwner.Standing.Absent _ -> keep(term, Optional.empty());
      case InstallationOwner.Standing.Present(var reference) -> keep(term, Optional.of(reference));
      case InstallationOwner.Standing.Missed _ -> registration.close();
      case InstallationOwner.Standing.Gone _ -> {
        registration.close();
        whenUninstalled.run();
      }
    }
  }

  /** A term may have ended, and the next begun, while the API server let wait for an answer. */
  private void keep(Supplier<? extends Optional<?>> term, Optional<OwnerReference> reference) {
    Optional<?> now = term.get();
    if (!now.equals(kept)) {
      registration.close();
      kept = now;
    }
    if (now.isEmpty()) {
      close();
      return;
    }
    endpoint.ifPresent(way ->
        beside(
            "kube-scheduler's calls could not be led here",
            () -> way.lead(reference, () -> term.get().isPresent())));
    registration.keep();
    reference.ifPresent(by ->
        beside("Secrets and Lease could not be given to the installation", () -> owned.adopt(by)));
  }

  /** What fails here keeps nothing else from being done, and is tried again a little later. */
  private void beside(String failure, Runnable work) {
    if (clock.instant().isBefore(againAt.getOrDefault(failure, Instant.MIN))) {
      return;
    }
    try {
      work.run();
    } catch (KubernetesClientException e) {
      againAt.put(failure, clock.instant().plus(AFTER_FAILURE));
      LOG.atWarn().addKeyValue("message", e.getMessage()).log(failure + "; tried again");
    }
  }

  @Override
  public void close() {
    registration.close();
    endpoint.ifPresent(LeaderEndpoint::leave);
  }
}
