package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.cache.Store;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Event;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads pods as the watch tells them, and again where other objects say what they ask for. One
 * thread reads at a time. Guaranteed: nothing is told of a pod after it has gone, and no state of
 * it after a later one. Safe for concurrent use.
 */
final class PodReading {

  private static final Logger LOG = LoggerFactory.getLogger(PodReading.class);
  private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

  private final PodMemory memory;
  private final Followers followers;
  private final Consumer<Event> told;

  /** Pods that were read again, by uid: versions that the watch may have still to tell. */
  private final Map<String, Long> ahead = new HashMap<>();

  private Optional<Store<Pod>> store = Optional.empty();

  /** Who must hear of pods beside the decisions, or before them. */
  interface Followers {

    /** The pod is about to be read. */
    void reading(Pod pod);

    /** It has been read; they tell it. */
    void read(Pod pod, io.muster.extender.core.cluster.Pod meaning);

    /** It has gone, and the decisions are told next. */
    void leaving(PodKey key);

    /** The decisions know that it has gone. */
    void gone(PodKey key);
  }

  PodReading(PodMemory memory, Followers followers, Consumer<Event> told) {
    this.memory = memory;
    this.followers = followers;
    this.told = told;
  }

  /** Pods stand there before they are told. */
  synchronized void from(Store<Pod> pods) {
    store = Optional.of(pods);
  }

  /** The pod is new. */
  synchronized void seen(Pod pod) {
    if (!isBehind(pod)) {
      read(pod);
    }
  }

  /** The pod has changed. */
  synchronized void changed(Pod before, Pod now) {
    if (!isBehind(now)) {
      followers.reading(now);
      memory.changed(before, now).ifPresent(meaning -> followers.read(now, meaning));
    }
  }

  /** The pod was deleted. */
  synchronized void gone(Pod pod) {
    var key = key(pod);
    ahead.remove(key.uid());
    memory.forget(key.uid());
    followers.leaving(key);
    told.accept(new Event.PodGone(key));
    followers.gone(key);
  }

  /** What these ask for may be something else than before: reads those that are still there. */
  void again(Collection<PodKey> keys) {
    keys.forEach(this::again);
  }

  /** Never throws: it is one of many. */
  private synchronized void again(PodKey key) {
    try {
      store
          .map(pods -> pods.getByKey(key.namespace() + "/" + key.name()))
          .filter(pod -> pod.getMetadata().getUid().equals(key.uid()))
          .ifPresent(pod -> {
            ahead.put(key.uid(), version(pod));
            read(pod);
          });
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).addKeyValue("pod", key).log("a pod could not be read again");
    }
  }

  /** Does that while no pod is being read. */
  synchronized void between(Runnable change) {
    change.run();
  }

  private void read(Pod pod) {
    followers.reading(pod);
    followers.read(pod, memory.read(pod));
  }

  /** Whether a later state of the pod has been read already. */
  private boolean isBehind(Pod pod) {
    var uid = pod.getMetadata().getUid();
    var known = ahead.get(uid);
    if (known == null) {
      return false;
    }
    if (version(pod) < known) {
      return true;
    }
    ahead.remove(uid);
    return false;
  }

  /** Versions of one kind grow; what is no number is never behind. */
  private static long version(Pod pod) {
    var version = String.valueOf(pod.getMetadata().getResourceVersion());
    return NUMBER.matcher(version).matches() ? Long.parseLong(version) : Long.MAX_VALUE;
  }

  private static PodKey key(Pod pod) {
    var metadata = pod.getMetadata();
    return new PodKey(metadata.getNamespace(), metadata.getName(), metadata.getUid());
  }
}
