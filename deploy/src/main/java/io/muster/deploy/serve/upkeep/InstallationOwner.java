package io.muster.deploy.serve.upkeep;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributes;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributesBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.kube.OwnRights;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ClusterRole that came with the installation. What Muster makes by itself names it as owner:
 * whoever deletes the installation, by whatever tool, takes that along by garbage collection. The
 * right to read it goes with it, so one that may not be read any more is as good as gone, unless
 * the API server knows no rights at all: one that has just started refuses everything. Safe for
 * concurrent use.
 */
public final class InstallationOwner {

  private static final Logger LOG = LoggerFactory.getLogger(InstallationOwner.class);
  private static final Duration BETWEEN_READINGS = Duration.ofSeconds(2);

  /** Readings without it in a row: the API server may have got to know of it in between. */
  private static final int MISSES = 2;

  private final KubernetesClient client;
  private final OwnRights rights;
  private final String clusterRole;
  private final InstantSource clock;
  private Instant readAt = Instant.MIN;
  private Standing standing = new Standing.Absent();
  private int misses;

  /** What is known of the ClusterRole. */
  public sealed interface Standing {

    /** There is none, and there was none: whoever installed Muster did without. */
    record Absent() implements Standing {}

    /** It is there, and objects of Muster's refer to it. */
    record Present(OwnerReference reference) implements Standing {}

    /** It was there, and the last reading has not found it: nothing is to be written. */
    record Missed() implements Standing {}

    /** It was there and is not any more: Muster is being taken away. */
    record Gone() implements Standing {}
  }

  /** What one reading found. */
  private sealed interface Reading {

    record Found(Standing.Present there) implements Reading {}

    record NotFound() implements Reading {}

    record Failed(String message) implements Reading {}
  }

  /**
   * @param clusterRole its name
   * @param clock that never goes back
   */
  public InstallationOwner(KubernetesClient client, String clusterRole, InstantSource clock) {
    this.client = client;
    this.rights = new OwnRights(client);
    this.clusterRole = clusterRole;
    this.clock = clock;
  }

  /** As it was read last, at most two seconds ago. */
  public synchronized Standing standing() {
    var now = clock.instant();
    if (!now.isBefore(readAt.plus(BETWEEN_READINGS))) {
      readAt = now;
      take(read());
    }
    return standing;
  }

  /**
   * Whether what is missing in the cluster may be made anew: asks the API server now, since it may
   * be missing because Muster is being taken away. An API server that does not answer is no sign of
   * that. Blocks for one request.
   */
  public synchronized boolean mayMakeAnew() {
    return standing instanceof Standing.Absent || !(read() instanceof Reading.NotFound);
  }

  private void take(Reading reading) {
    switch (reading) {
      case Reading.Found(var there) -> {
        misses = 0;
        standing = there;
      }
      case Reading.NotFound _ -> {
        if (!(standing instanceof Standing.Absent)) {
          misses++;
          standing = misses < MISSES ? new Standing.Missed() : gone();
        }
      }
      case Reading.Failed(var message) ->
          LOG.atWarn()
              .addKeyValue("clusterRole", clusterRole)
              .addKeyValue("message", message)
              .log("the owner of Muster's registration cannot be read; tried again");
    }
  }

  private Standing gone() {
    if (!(standing instanceof Standing.Gone)) {
      LOG.atWarn()
          .addKeyValue("clusterRole", clusterRole)
          .log("the installation has been deleted: this process ends");
    }
    return new Standing.Gone();
  }

  /** One that is being deleted is as good as gone. */
  private Reading read() {
    try {
      return Optional.ofNullable(client.rbac().clusterRoles().withName(clusterRole).get())
          .filter(role -> role.getMetadata().getDeletionTimestamp() == null)
          .<Reading>map(role ->
              new Reading.Found(
                  new Standing.Present(
                      new OwnerReferenceBuilder()
                          .withApiVersion(role.getApiVersion())
                          .withKind(role.getKind())
                          .withName(clusterRole)
                          .withUid(role.getMetadata().getUid())
                          .build())))
          .orElseGet(Reading.NotFound::new);
    } catch (KubernetesClientException e) {
      return e.getCode() == HttpURLConnection.HTTP_FORBIDDEN
              && rights.ask(toReadIt()) == OwnRights.Standing.DENIED
          ? new Reading.NotFound()
          : new Reading.Failed(String.valueOf(e.getMessage()));
    }
  }

  private ResourceAttributes toReadIt() {
    return new ResourceAttributesBuilder()
        .withGroup("rbac.authorization.k8s.io")
        .withResource("clusterroles")
        .withVerb("get")
        .withName(clusterRole)
        .build();
  }
}
