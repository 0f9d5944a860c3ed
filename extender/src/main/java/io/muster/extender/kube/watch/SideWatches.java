package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ReducedStateItemStore;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.extender.kube.Denials;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches of what makes plans better and is not needed to start: where Muster may not read it, it
 * says so once, goes on without and tries again. Safe for concurrent use.
 */
public final class SideWatches implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(SideWatches.class);
  private static final long NO_RESYNC = 0;

  private final KubernetesClient client;
  private final List<SharedIndexInformer<?>> informers = new CopyOnWriteArrayList<>();

  SideWatches(KubernetesClient client) {
    this.client = client;
  }

  /** Tells each object when it is seen, and when it has gone; returns at once. */
  <T extends HasMetadata> void open(Informable<T> resources, Consumer<T> seen, Consumer<T> gone) {
    open(resources, seen, gone, () -> {});
  }

  /**
   * The same.
   *
   * @param listed is run whenever all have been told, and where the apiserver says that they may
   *     not be read, or that there is no such kind
   */
  <T extends HasMetadata> void open(
      Informable<T> resources, Consumer<T> seen, Consumer<T> gone, Runnable listed) {
    open(resources, new Changes<>(seen, gone), new Reading(listed, listed));
  }

  /** The same, where it matters whether they have been read. */
  <T extends HasMetadata> void open(Informable<T> resources, Changes<T> changes, Reading reading) {
    open(resources.runnableInformer(NO_RESYNC), changes, reading);
  }

  /**
   * Who is told of the objects of a kind.
   *
   * @param seen each object when it is seen
   * @param gone each that has gone
   */
  record Changes<T>(Consumer<T> seen, Consumer<T> gone) {}

  /**
   * Who is told how far a kind has been read.
   *
   * @param listed is run whenever all have been told
   * @param denied is run where the apiserver says that they may not be read, or that there is no
   *     such kind, each time that it does
   * @param kind which it is, where the class of the objects does not say it
   */
  record Reading(Runnable listed, Runnable denied, Optional<Denials.Kind> kind) {

    Reading(Runnable listed, Runnable denied) {
      this(listed, denied, Optional.empty());
    }
  }

  /**
   * The same, with no more of an object kept than its name: it is whole when it is seen, and only a
   * name when it has gone.
   *
   * @param form how names are kept
   */
  <T extends HasMetadata> void openByName(
      KubernetesSerialization form, Informable<T> resources, Changes<T> changes, Reading reading) {
    var informer = resources.runnableInformer(NO_RESYNC);
    open(
        informer.itemStore(
            new ReducedStateItemStore<>(
                ReducedStateItemStore.NAME_KEY_STATE, informer.getApiTypeClass(), form)),
        changes,
        reading);
  }

  private <T extends HasMetadata> void open(
      SharedIndexInformer<T> informer, Changes<T> changes, Reading reading) {
    var kind = informer.getApiTypeClass().getSimpleName();
    var isDenialTold = new AtomicBoolean();
    var denials =
        new Denials(
            client,
            reading.kind().orElseGet(() -> Denials.Kind.of(informer.getApiTypeClass())),
            reading.denied());
    informer.exceptionHandler((_, problem) -> {
      if (!denials.seen(problem) || isDenialTold.compareAndSet(false, true)) {
        LOG.atWarn()
            .addKeyValue("kind", kind)
            .addKeyValue("message", problem.getMessage())
            .log("a kind of objects cannot be watched; tried again");
      }
      return true;
    });
    informer.addEventHandler(
        new ResourceEventHandler<>() {
          @Override
          public void onAdd(T object) {
            take(changes.seen(), object);
          }

          @Override
          public void onUpdate(T before, T now) {
            take(changes.seen(), now);
          }

          @Override
          public void onDelete(T object, boolean finalStateUnknown) {
            take(changes.gone(), object);
          }

          @Override
          public void onList(String resourceVersion, boolean remainedEmpty) {
            isDenialTold.set(false);
            denials.listed();
            reading.listed().run();
          }
        });
    informers.add(informer);
    informer.start();
  }

  /** Never throws, since the informer would lose the rest. */
  private static <T extends HasMetadata> void take(Consumer<T> change, T object) {
    try {
      change.accept(object);
    } catch (RuntimeException e) {
      LOG.atError()
          .setCause(e)
          .addKeyValue("kind", object.getKind())
          .addKeyValue("object", object.getMetadata().getName())
          .log("an object could not be read");
    }
  }

  @Override
  public void close() {
    informers.forEach(SharedIndexInformer::stop);
  }
}
