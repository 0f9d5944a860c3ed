package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.muster.sandbox.TestSpace;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Every pod that there ever was in a namespace. Safe for concurrent use. */
final class PodsSeen implements AutoCloseable {

  private final Map<String, Set<String>> uids = new ConcurrentHashMap<>();
  private final AutoCloseable informer;

  PodsSeen(TestSpace space) {
    informer =
        space
            .client()
            .pods()
            .inNamespace(space.namespace())
            .inform(
                new ResourceEventHandler<Pod>() {
                  @Override
                  public void onAdd(Pod pod) {
                    uids.computeIfAbsent(
                            pod.getMetadata().getName(), _ -> ConcurrentHashMap.newKeySet())
                        .add(pod.getMetadata().getUid());
                  }

                  @Override
                  public void onUpdate(Pod before, Pod pod) {
                    onAdd(pod);
                  }

                  @Override
                  public void onDelete(Pod pod, boolean isStale) {}
                });
  }

  Set<String> uids(String pod) {
    return uids.getOrDefault(pod, Set.of());
  }

  void assertEachMadeOnce(String... names) {
    assertThat(uids).containsOnlyKeys(names);
    assertThat(uids.values()).allMatch(all -> all.size() == 1);
  }

  @Override
  public void close() {
    try {
      informer.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
