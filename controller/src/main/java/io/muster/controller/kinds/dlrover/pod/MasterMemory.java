package io.muster.controller.kinds.dlrover.pod;

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
public final class MasterMemory extends JobMemory {

  private Optional<List<String>> told = Optional.empty();
  private Map<String, Boolean> attached = Map.of();
  private Optional<Instant> probedAt = Optional.empty();

  public void told(List<String> members) {
    told = Optional.of(List.copyOf(members));
  }

  public Optional<List<String>> told() {
    return told;
  }

  public void letGo(List<String> members, Instant now) {
    var free = new HashMap<String, Boolean>();
    members.forEach(member -> free.put(member, false));
    attached = Map.copyOf(free);
    probedAt = Optional.of(now);
  }

  public Map<String, Boolean> attached() {
    return attached;
  }

  public Optional<Instant> probedAt() {
    return probedAt;
  }
}
