package io.muster.webhook.core;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangKeys;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The rules by which pods are changed. Immutable.
 *
 * @param name stamped on every member
 * @param schedulers pods of any other scheduler are left alone
 */
public record Profile(String name, Set<String> schedulers) {

  /** The cluster's own kube-scheduler serves everybody. */
  public static final Profile DEFAULT = new Profile("default", Set.of("default-scheduler"));

  /** Raise when an edit changes what it writes. */
  private static final int EDITS_VERSION = 3;

  public Profile {
    schedulers = Set.copyOf(schedulers);
  }

  /** Name and hash of the rules: differs whenever a pod might be changed otherwise. */
  String stamp() {
    var rules =
        List.of(
            EDITS_VERSION,
            Pod.GATE,
            GangKeys.PINNED,
            Accelerators.MARKER,
            new TreeSet<>(Accelerators.NAMES),
            new TreeSet<>(Accelerators.PREFIXES),
            new TreeSet<>(schedulers));
    return "%s@%08x".formatted(name, rules.toString().hashCode());
  }
}
