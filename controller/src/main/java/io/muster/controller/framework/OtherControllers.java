package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ReducedStateItemStore;
import io.muster.controller.kube.Informers;
import io.muster.controller.kube.Remark;
import io.muster.extender.kube.OnChange;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * Knows the Deployments that run another controller of a kind: two would take its objects from each
 * other. Of all other Deployments nothing is kept but their names. Safe for concurrent use.
 */
public final class OtherControllers implements AutoCloseable {

  private final Predicate<Deployment> isOne;
  private final Runnable listener;
  private final Map<String, Deployment> running = new ConcurrentHashMap<>();
  private final SharedIndexInformer<Deployment> informer;

  private OtherControllers(
      SharedIndexInformer<Deployment> informer, Predicate<Deployment> isOne, Runnable listener) {
    this.informer = informer;
    this.isOne = isOne;
    this.listener = listener;
  }

  /**
   * Begins to watch; all Deployments have been read when it returns.
   *
   * @param isOne whether a Deployment runs another controller
   * @param listener told when one has come or gone
   * @throws KubernetesClientException if they cannot be read in time
   */
  public static OtherControllers watched(
      KubernetesClient client, Predicate<Deployment> isOne, Runnable listener) {
    var informer = client.apps().deployments().inAnyNamespace().runnableInformer(0);
    informer.itemStore(
        new ReducedStateItemStore<>(
            ReducedStateItemStore.NAME_KEY_STATE,
            Deployment.class,
            client.getKubernetesSerialization()));
    var others = new OtherControllers(informer, isOne, listener);
    informer.addEventHandler(
        new OnChange<>(found -> others.see(found, true), found -> others.see(found, false)));
    Informers.start(informer, "Deployments");
    return others;
  }

  /** Those that run now, as {@code namespace/name}, in order. */
  public Set<String> running() {
    return new TreeSet<>(running.keySet());
  }

  /** Leaves an Event on each of them. */
  public void tell(JobEvents events, String message) {
    running
        .values()
        .forEach(
            deployment -> events.leave(deployment, new Remark(true, "ForeignController", message)));
  }

  @Override
  public void close() {
    informer.close();
  }

  private void see(Deployment deployment, boolean isThere) {
    var name = deployment.getMetadata().getNamespace() + "/" + deployment.getMetadata().getName();
    var before =
        isThere && isOne.test(deployment)
            ? Optional.ofNullable(running.put(name, deployment))
            : Optional.ofNullable(running.remove(name));
    if (before.isPresent() != running.containsKey(name)) {
      listener.run();
    }
  }
}
