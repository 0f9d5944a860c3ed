package io.muster.controller.kinds.dlrover;

import io.muster.controller.framework.JobMemory;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of a job besides what is stored. DLRover's master need not be told of its workers,
 * for they come to it, and it holds on to none. Confined to one reconcile at a time.
 */
final class MasterMemory extends JobMemory {

  private Optional<List<String>> told = Optional.empty();
  private Map<String, Boolean> attached = Map.of();
  private Optional<Instant> probedAt = Optional.empty();

  void told(List<String> members) {
    told = Optional.of(List.copyOf(members));
  }

  Optional<List<String>> told() {
    return told;
  }

  void letGo(List<String> members, Instant now) {
    var free = new HashMap<String, Boolean>();
    members.forEach(member -> free.put(member, false));
    attached = Map.copyOf(free);
    probedAt = Optional.of(now);
  }

  Map<String, Boolean> attached() {
    return attached;
  }

  Optional<Instant> probedAt() {
    return probedAt;
  }
}
