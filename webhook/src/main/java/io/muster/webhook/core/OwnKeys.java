package io.muster.webhook.core;

import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The keys under Muster's own prefix. */
public final class OwnKeys {

  private static final String PREFIX = "muster.io/";

  /** What users may state of a gang, without the prefix; in the order in which it is told. */
  private static final List<String> OF_GANGS =
      Stream.of(
              GangKeys.NAME,
              GangKeys.MIN,
              GangKeys.TOTAL,
              GangKeys.INDEX,
              GangKeys.GROUPS,
              GangKeys.ROLE,
              GangKeys.ROLES,
              GangKeys.TOPOLOGY_REQUIRED,
              GangKeys.TOPOLOGY_PREFERRED,
              GangKeys.SEGMENTS,
              GangKeys.ON_LOSS,
              GangKeys.MATCH_POLICY,
              GangKeys.LATER,
              GangKeys.TIMEOUT,
              GangKeys.MODE)
          .map(key -> key.substring(GangKeys.PREFIX.length()))
          .toList();

  /** What users may state of a pod beside that. */
  private static final List<String> OF_PODS =
      List.of(
          "queue",
          "run-time",
          "run-time-limit",
          "checkpoint-every",
          "preemptible",
          "pin",
          "nvlink-domain",
          "rendezvous-profile",
          "rendezvous-nodes",
          "inject-env",
          "inject-shm",
          "inject-tolerations",
          "inject-nccl",
          "inject-visible-devices");

  /** What Muster writes itself, and what is said of other objects: some copy it to their pods. */
  private static final Set<String> OTHERS =
      Set.of(
          "adds",
          "adds-lost",
          "adopt",
          "completion-policy",
          "controlled",
          "dlrover-mode",
          "domain",
          "elastic",
          "ends-first",
          "enrol",
          "forced-at",
          "gang",
          "gang-dialect",
          "gang-incarnation",
          "gang-joins",
          "gang-member",
          "gang-of",
          "gang-service",
          "grace-seconds",
          "index",
          "infer-gangs",
          "inject",
          "injected",
          "injection",
          "job-queue",
          "job-uid",
          "member",
          "members-enough",
          "occurrence",
          "own-gang",
          "paddle-job",
          "pinned",
          "priority-class",
          "process",
          "profiles",
          "released",
          "replicas",
          "resize-cost",
          "role",
          "scale-plan",
          "segment",
          "start-at-min",
          "suspend-policy",
          "trainer-failure-limit",
          "trainers",
          "urgent",
          "user-env",
          "wake",
          "withheld",
          "worker-request",
          "worker-requests",
          "worker-restart-budget");

  /** One that the API server takes; it refuses others itself. */
  private static final Pattern KEY = Pattern.compile(PREFIX + "[A-Za-z0-9._-]{1,63}");

  private OwnKeys() {}

  /** Whether anything of Muster reads or writes that key, or it is none of Muster's. */
  public static boolean isKnown(String key) {
    if (!KEY.matcher(key).matches()) {
      return true;
    }
    var name = key.substring(PREFIX.length());
    return OF_PODS.contains(name)
        || OTHERS.contains(name)
        || (key.startsWith(GangKeys.PREFIX)
            && OF_GANGS.contains(key.substring(GangKeys.PREFIX.length())));
  }

  /** An annotation that nobody reads: most likely a slip. */
  static Optional<String> misspelt(Markings markings) {
    var unknown = new TreeSet<String>();
    for (var key : markings.annotations().keySet()) {
      if (!isKnown(key)) {
        unknown.add(key);
      }
    }
    return unknown.stream()
        .findFirst()
        .map(key -> {
          boolean isOfGangs = key.startsWith(GangKeys.PREFIX);
          return "%s is not known and has no effect; after %s come %s"
              .formatted(
                  key,
                  isOfGangs ? GangKeys.PREFIX : PREFIX,
                  String.join(", ", isOfGangs ? OF_GANGS : OF_PODS));
        });
  }
}
