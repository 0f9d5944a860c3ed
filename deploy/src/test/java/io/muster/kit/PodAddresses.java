package io.muster.kit;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * An address on loopback for every pod name, so that processes of pods meet under the pods' names
 * as if each had a Service of its own. A name keeps its address; only pods that are there are
 * known. Confined to one thread.
 */
final class PodAddresses {

  private static final int BYTE = 256;

  private final Map<String, String> addresses = new HashMap<>();
  private final Set<String> known = new TreeSet<>();

  /** The address of a pod, which processes may bind. */
  String of(Pod pod) {
    return addresses.computeIfAbsent(
        key(pod),
        _ -> "127.1.%d.%d".formatted(1 + addresses.size() / BYTE, addresses.size() % BYTE));
  }

  /** Returns whether other names are known than before. */
  boolean note(Pod pod, boolean isGone) {
    of(pod);
    return isGone ? known.remove(key(pod)) : known.add(key(pod));
  }

  /** The names known in a namespace, as {@code /etc/hosts} lists them. */
  String hosts(String namespace) {
    var start = namespace + "/";
    return known.stream()
        .filter(key -> key.startsWith(start))
        .map(key -> addresses.get(key) + " " + key.substring(start.length()) + "\n")
        .collect(Collectors.joining("", "127.0.0.1 localhost\n", ""));
  }

  private static String key(Pod pod) {
    return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
  }
}
