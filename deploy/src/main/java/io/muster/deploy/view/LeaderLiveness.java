package io.muster.deploy.view;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/** Whether a Muster is running that writes Gang objects. Safe for concurrent use. */
public final class LeaderLiveness {

  private static final String LEASE = "muster";

  /** Clocks differ. */
  private static final Duration SKEW = Duration.ofSeconds(10);

  private final KubernetesClient client;
  private final String namespace;

  /** Asks by the client, where the settings say that Muster is. */
  public LeaderLiveness(KubernetesClient client, Config settings) {
    this.client = client;
    this.namespace = settings.text(Setting.NAMESPACE);
  }

  /** By its Lease; who may not see that takes the objects as they are. */
  public boolean isLed() {
    try {
      return Optional.ofNullable(client.leases().inNamespace(namespace).withName(LEASE).get())
          .map(Lease::getSpec)
          .filter(spec -> spec.getRenewTime() != null && spec.getLeaseDurationSeconds() != null)
          .filter(spec ->
              spec.getRenewTime()
                  .toInstant()
                  .plusSeconds(spec.getLeaseDurationSeconds())
                  .plus(SKEW)
                  .isAfter(InstantSource.system().instant()))
          .isPresent();
    } catch (KubernetesClientException _) {
      return true;
    }
  }
}
