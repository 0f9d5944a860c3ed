package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.webhook.port.NamespaceLabels;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the labels of all namespaces, as a watch shows them. Safe for concurrent use. */
public final class NamespaceFeed implements NamespaceLabels, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NamespaceFeed.class);
  private static final long NO_RESYNC = 0;

  private final Map<String, Map<String, String>> labels = new ConcurrentHashMap<>();
  private final SharedIndexInformer<Namespace> informer;

  public NamespaceFeed(KubernetesClient client) {
    informer = client.namespaces().runnableInformer(NO_RESYNC);
    informer.exceptionHandler((_, problem) -> {
      LOG.atWarn()
          .addKeyValue("message", problem.getMessage())
          .log("the watch of namespaces failed and is opened again");
      return true;
    });
    informer.addEventHandler(new Handler());
  }

  /** Begins to list and to watch; returns at once and tries until it succeeds. */
  public void start() {
    var _ = informer.start();
  }

  @Override
  public Map<String, String> of(String namespace) {
    return labels.getOrDefault(namespace, Map.of());
  }

  @Override
  public void close() {
    informer.stop();
  }

  private final class Handler implements ResourceEventHandler<Namespace> {

    @Override
    public void onAdd(Namespace namespace) {
      var metadata = namespace.getMetadata();
      labels.put(
          metadata.getName(),
          Optional.ofNullable(metadata.getLabels()).map(Map::copyOf).orElse(Map.of()));
    }

    @Override
    public void onUpdate(Namespace before, Namespace now) {
      onAdd(now);
    }

    @Override
    public void onDelete(Namespace namespace, boolean finalStateUnknown) {
      labels.remove(namespace.getMetadata().getName());
    }
  }
}
