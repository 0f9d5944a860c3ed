package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.TestSpace;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Kills Muster right after a write of its own. Confined to the test's thread. */
record Kills(MusterProcess muster) {

  /** Whether it has that name. */
  static <T extends HasMetadata> Predicate<T> named(String name) {
    return object -> object.getMetadata().getName().equals(name);
  }

  /** Does it, kills Muster as soon as such an object is seen, and starts it again. */
  <T extends HasMetadata> void on(
      TestSpace space, Class<T> kind, Predicate<T> sign, Runnable cause) {
    var killed = new CountDownLatch(1);
    var handler =
        new ResourceEventHandler<T>() {
          @Override
          public void onAdd(T object) {
            look(object);
          }

          @Override
          public void onUpdate(T before, T object) {
            look(object);
          }

          @Override
          public void onDelete(T object, boolean isStale) {}

          private void look(T object) {
            if (killed.getCount() > 0 && sign.test(object)) {
              muster.kill();
              killed.countDown();
            }
          }
        };
    try (var _ = space.client().resources(kind).inNamespace(space.namespace()).inform(handler)) {
      cause.run();
      assertThat(killed.await(TrainingJobs.SOON.toSeconds(), TimeUnit.SECONDS))
          .as("a %s was seen that Muster was to be killed on", kind.getSimpleName())
          .isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
    muster.start();
  }
}
