package io.muster.kit;

import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * An address on loopback for every pod name, so that processes of pods meet under the pods' names
 * as if each had a Service of its own, and under the name that its subdomain gives it. A name keeps
 * its address; only pods that are there are known. Confined to one thread.
 */
final class PodAddresses {

  private static final int BYTE = 256;

  private final Map<String, String> addresses = new HashMap<>();

  /** The names of each pod. */
  private final SortedMap<String, List<String>> known = new TreeMap<>();

  /** The address of a pod, which processes may bind. */
  String of(Pod pod) {
    return addresses.computeIfAbsent(
        key(pod),
        _ -> "127.1.%d.%d".formatted(1 + addresses.size() / BYTE, addresses.size() % BYTE));
  }

  /** Returns whether other names are known than before. */
  boolean note(Pod pod, boolean isGone) {
    of(pod);
    return isGone
        ? known.remove(key(pod)) != null
        : !names(pod).equals(known.put(key(pod), names(pod)));
  }

  /** The names known in a namespace, as {@code /etc/hosts} lists them. */
  String hosts(String namespace) {
    var start = namespace + "/";
    return known.entrySet().stream()
        .filter(pod -> pod.getKey().startsWith(start))
        .map(pod -> addresses.get(pod.getKey()) + " " + String.join(" ", pod.getValue()) + "\n")
        .collect(Collectors.joining("", "127.0.0.1 localhost\n", ""));
  }

  private static List<String> names(Pod pod) {
    var namespace = pod.getMetadata().getNamespace();
    var names = new ArrayList<String>();
    if (pod.getSpec().getHostname() != null && pod.getSpec().getSubdomain() != null) {
      var name = pod.getSpec().getHostname() + "." + pod.getSpec().getSubdomain();
      names.add("%s.%s.svc.cluster.local".formatted(name, namespace));
      names.add(name);
    }
    names.add(pod.getMetadata().getName() + "." + namespace);
    names.add(pod.getMetadata().getName());
    return names;
  }

  private static String key(Pod pod) {
    return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
  }
}
