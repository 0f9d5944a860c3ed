package io.muster.webhook.kube;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.kube.gang.NativePodGroups;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the API server was last seen to serve PodGroups of the cluster's own gang scheduling.
 * What cannot be read stays as it was. Safe for concurrent use.
 */
public final class PodGroupFeed implements BooleanSupplier {

  private static final Logger LOG = LoggerFactory.getLogger(PodGroupFeed.class);

  private final KubernetesClient client;
  private volatile boolean served;

  public PodGroupFeed(KubernetesClient client) {
    this.client = client;
  }

  @Override
  public boolean getAsBoolean() {
    return served;
  }

  /** Reads it; to be repeated, since the cluster is upgraded one day. */
  public void read() {
    try {
      served = version(client).isPresent();
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("it could not be read whether PodGroups are served; tried again");
    }
  }

  /** The version that is served and that Muster would use; empty if none is. */
  public static Optional<String> version(KubernetesClient client) {
    return NativePodGroups.VERSIONS.stream()
        .filter(version -> client.supports(NativePodGroups.GROUP + "/" + version, "PodGroup"))
        .findFirst();
  }
}
