package io.muster.extender.core.device;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** For which classes the whole devices of a class count, by slice. Not safe for concurrent use. */
final class Owners {

  /** Names of slices, by class and by the class for which its devices there count. */
  private final Map<String, Map<String, Set<String>>> slices = new HashMap<>();

  /** The devices of the slice that meet a class count for these, by class. */
  void seen(String slice, Map<String, Set<String>> owners) {
    gone(slice);
    owners.forEach((deviceClass, all) ->
        all.forEach(owner ->
            slices
                .computeIfAbsent(deviceClass, _ -> new HashMap<>())
                .computeIfAbsent(owner, _ -> new HashSet<>())
                .add(slice)));
  }

  void gone(String slice) {
    for (var ofClass : slices.values()) {
      ofClass.values().forEach(names -> names.remove(slice));
      ofClass.values().removeIf(Set::isEmpty);
    }
  }

  void clear() {
    slices.clear();
  }

  /** Classes for which devices of this one count; none where it has no whole devices. */
  Set<String> of(String deviceClass) {
    return slices.getOrDefault(deviceClass, Map.of()).keySet();
  }
}
