package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.core.gang.NvlinkDomain;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why the cluster has no NVLink domains, as was read last; empty if it has. It has them where the
 * API server serves ComputeDomains and some node says in which clique its GPUs are. What cannot be
 * read stays as it was. Safe for concurrent use.
 */
public final class NvlinkFeed implements Supplier<Optional<String>> {

  private static final Logger LOG = LoggerFactory.getLogger(NvlinkFeed.class);
  private static final String API = NvlinkDomain.GROUP + "/" + NvlinkDomain.VERSION;
  private static final String KIND = "ComputeDomain";

  private final KubernetesClient client;
  private volatile Optional<String> absence = Optional.of("it is not known whether there are any");

  public NvlinkFeed(KubernetesClient client) {
    this.client = client;
  }

  @Override
  public Optional<String> get() {
    return absence;
  }

  /** Reads it; to be repeated, since drivers and nodes come and go. */
  public void read() {
    try {
      absence = absence(client);
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("it could not be read whether there are NVLink domains; tried again");
    }
  }

  /** Whether the API server serves ComputeDomains. */
  public static boolean servesDomains(KubernetesClient client) {
    return client.supports(API, KIND);
  }

  private static Optional<String> absence(KubernetesClient client) {
    if (!servesDomains(client)) {
      return Optional.of("the cluster has no ComputeDomains (%s)".formatted(API));
    }
    var some = new ListOptionsBuilder().withLabelSelector(NvlinkDomain.LEVEL).withLimit(1L).build();
    return client.nodes().list(some).getItems().isEmpty()
        ? Optional.of("no node has the label " + NvlinkDomain.LEVEL)
        : Optional.empty();
  }
}
