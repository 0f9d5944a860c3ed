package io.muster.extender.kube;

import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.function.Consumer;

/**
 * What an informer calls where only what an object is now counts, and not what it was before.
 *
 * @param seen takes what is there
 * @param gone takes what was there last
 */
public record OnChange<T>(Consumer<T> seen, Consumer<T> gone) implements ResourceEventHandler<T> {

  @Override
  public void onAdd(T object) {
    seen.accept(object);
  }

  @Override
  public void onUpdate(T before, T object) {
    seen.accept(object);
  }

  @Override
  public void onDelete(T object, boolean isFinalStateUnknown) {
    gone.accept(object);
  }
}
