package io.muster.extender.core.device;

import io.muster.extender.core.device.Slice.DeviceId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/** Allocated claims by pod and by node. Not safe for concurrent use. */
final class Claims {

  private final Map<String, Claim> claims = new HashMap<>();
  private final Map<String, Set<Claim>> ofPod = new HashMap<>();
  private final Map<String, Set<Claim>> ofNode = new HashMap<>();

  /** How many claims have a device: more than one only while one follows another. */
  private final Map<DeviceId, Integer> allocated = new HashMap<>();

  /** The claim as it was and as it is, where that differs. */
  List<Claim> seen(Claim claim) {
    if (claim.equals(claims.get(claim.key()))) {
      return List.of();
    }
    var changed = new ArrayList<>(gone(claim.key()));
    if (!claim.devices().isEmpty()) {
      claims.put(claim.key(), claim);
      claim.pod().ifPresent(uid -> add(ofPod, uid, claim));
      claim.node().ifPresent(node -> add(ofNode, node, claim));
      claim.devices().forEach(it -> allocated.merge(it.device(), 1, Integer::sum));
      changed.add(claim);
    }
    return changed;
  }

  List<Claim> gone(String key) {
    var claim = claims.remove(key);
    if (claim == null) {
      return List.of();
    }
    claim.pod().ifPresent(uid -> remove(ofPod, uid, claim));
    claim.node().ifPresent(node -> remove(ofNode, node, claim));
    claim
        .devices()
        .forEach(it -> allocated.computeIfPresent(it.device(), (_, n) -> n == 1 ? null : n - 1));
    return List.of(claim);
  }

  List<Claim> of(String uid) {
    return List.copyOf(ofPod.getOrDefault(uid, Set.of()));
  }

  Set<String> nodes() {
    return ofNode.keySet();
  }

  boolean isAllocated(DeviceId id) {
    return allocated.containsKey(id);
  }

  /**
   * Devices that the ledger counts for the pods that have them, by name: no more of a pod than it
   * counts.
   *
   * @param names under which devices that a pod has of a class count, by uid and class
   */
  Map<String, Long> held(
      String node,
      CountedPods pods,
      BiFunction<String, String, ? extends Collection<String>> names) {
    var byPod = new HashMap<String, Map<String, Long>>();
    for (var claim : ofNode.getOrDefault(node, Set.of())) {
      claim
          .pod()
          .map(uid -> byPod.computeIfAbsent(uid, _ -> new HashMap<>()))
          .ifPresent(ofThePod ->
              claim.devices().forEach(it -> ofThePod.merge(it.deviceClass(), 1L, Long::sum)));
    }
    var held = new HashMap<String, Long>();
    byPod.forEach((uid, ofClasses) -> {
      var devices = new HashMap<String, Long>();
      ofClasses.forEach((deviceClass, units) ->
          names.apply(uid, deviceClass).forEach(name -> devices.merge(name, units, Long::sum)));
      devices.forEach((name, units) ->
          held.merge(name, Math.min(units, pods.units(uid, node, name)), Long::sum));
    });
    return held;
  }

  private static void add(Map<String, Set<Claim>> index, String key, Claim claim) {
    index.computeIfAbsent(key, _ -> new HashSet<>()).add(claim);
  }

  private static void remove(Map<String, Set<Claim>> index, String key, Claim claim) {
    var claims = index.get(key);
    claims.remove(claim);
    if (claims.isEmpty()) {
      index.remove(key);
    }
  }
}
