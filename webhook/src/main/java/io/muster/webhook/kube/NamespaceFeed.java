package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.kube.OnChange;
import io.muster.webhook.port.NamespaceLabels;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the labels of all namespaces, as a watch shows them. Safe for concurrent use. */
public final class NamespaceFeed implements NamespaceLabels, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NamespaceFeed.class);
  private static final long NO_RESYNC = 0;
  private static final int FORBIDDEN = 403;

  private final Map<String, Map<String, String>> labels = new ConcurrentHashMap<>();
  private final KubernetesClient client;
  private volatile Optional<SharedIndexInformer<Namespace>> informer = Optional.empty();
  private volatile boolean isListed;

  public NamespaceFeed(KubernetesClient client) {
    this.client = client;
  }

  /**
   * Reads them all, so that the first pod meets the labels of its namespace, and watches them from
   * then on; once more where etcd was restored, of which a watch does not tell.
   *
   * @throws KubernetesClientException where the apiserver does not answer
   */
  public synchronized void start() {
    try {
      var present = client.namespaces().list().getItems();
      present.forEach(this::seen);
      labels
          .keySet()
          .retainAll(
              present.stream()
                  .map(namespace -> namespace.getMetadata().getName())
                  .collect(Collectors.toSet()));
      isListed = true;
    } catch (KubernetesClientException e) {
      if (e.getCode() != FORBIDDEN) {
        throw e;
      }
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("namespaces may not be read; Muster is not ready before it may");
    }
    close();
    informer = Optional.of(watching());
  }

  private SharedIndexInformer<Namespace> watching() {
    var watch = client.namespaces().runnableInformer(NO_RESYNC);
    watch.exceptionHandler((_, problem) -> {
      LOG.atWarn()
          .addKeyValue("message", problem.getMessage())
          .log("the watch of namespaces failed and is opened again");
      return true;
    });
    watch.addEventHandler(
        new OnChange<>(this::seen, namespace -> labels.remove(namespace.getMetadata().getName())));
    var _ = watch.start();
    return watch;
  }

  /** Whether the labels are those that the namespaces had at the start, or later. */
  public boolean isRead() {
    return isListed || informer.filter(SharedIndexInformer::hasSynced).isPresent();
  }

  @Override
  public Map<String, String> of(String namespace) {
    return labels.getOrDefault(namespace, Map.of());
  }

  @Override
  public synchronized void close() {
    informer.ifPresent(SharedIndexInformer::stop);
  }

  /** Takes in what a namespace says; once for each word that is not understood it is logged. */
  void seen(Namespace namespace) {
    var name = namespace.getMetadata().getName();
    var present = Optional.ofNullable(namespace.getMetadata().getLabels()).orElse(Map.of());
    var before = Optional.ofNullable(labels.put(name, Map.copyOf(present))).orElse(Map.of());
    var unknown = Enrolment.unknown(present);
    if (!unknown.equals(Enrolment.unknown(before))) {
      unknown.ifPresent(value ->
          LOG.atWarn()
              .addKeyValue("namespace", name)
              .addKeyValue("label", Enrolment.LABEL)
              .addKeyValue("value", value)
              .log(
                  "the label is neither gang, all nor shadow, and counts as if it were not there"));
    }
  }
}
