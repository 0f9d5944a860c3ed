package io.muster.extender.core.decision.cache;

import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Which kube-schedulers ask Muster, and about which pods. Confined to the decision thread. */
public final class SchedulerCalls {

  /** Names of kube-schedulers that ask about some pods: one has, or the webhook serves its pods. */
  private final Set<String> asking = new HashSet<>();

  /** Uids of pods without a node that kube-scheduler has asked about. */
  private final Set<String> askedAbout = new HashSet<>();

  /** Uids of members that kube-scheduler asked about before they were seen, and when. */
  private final Map<String, Instant> askedEarly = new HashMap<>();

  private Instant cameToAnotherAt = Instant.MIN;

  /** The kube-scheduler of that name asks, or the webhook serves its pods. */
  public void asks(String schedulerName) {
    asking.add(schedulerName);
  }

  public boolean isAskedBy(String schedulerName) {
    return asking.contains(schedulerName);
  }

  /** kube-scheduler asks about a pod that waits. */
  public void asked(String uid, Instant now) {
    if (askedAbout.add(uid)) {
      cameToAnotherAt = now;
    }
  }

  /** When it last came to a pod that it had not asked about before; long ago if it never has. */
  public Instant cameToAnotherAt() {
    return cameToAnotherAt;
  }

  /** It has been refused an answer about a pod that was not seen yet. */
  public void askedEarly(String uid, Instant now) {
    askedEarly.put(uid, now);
  }

  /** Whether kube-scheduler has been refused for that; true once. */
  public boolean takeAskedEarly(String uid) {
    return askedEarly.remove(uid) != null;
  }

  void placed(String uid) {
    askedAbout.remove(uid);
  }

  void gone(String uid) {
    askedEarly.remove(uid);
    askedAbout.remove(uid);
  }

  void forget(Instant oldest) {
    askedEarly.values().removeIf(at -> at.isBefore(oldest));
  }
}
