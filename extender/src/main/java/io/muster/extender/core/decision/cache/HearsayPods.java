package io.muster.extender.core.decision.cache;

import io.muster.extender.core.cluster.PodKey;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Pods that Muster knows from a call of kube-scheduler only. It may well be ahead of Muster's own
 * watch; but what that has not shown within a while is there no more, and nothing would ever say
 * so: it was deleted before Muster could see it. Confined to the decision thread.
 */
public final class HearsayPods {

  /** Watches are behind by milliseconds, and by seconds where the apiserver is busy. */
  static final Duration CONFIRMED_WITHIN = Duration.ofSeconds(10);

  private record Said(PodKey pod, Instant at) {}

  private final Map<String, Said> said = new HashMap<>();

  /** Uids of those that were given up, and when. */
  private final Map<String, Instant> givenUp = new HashMap<>();

  /** A call has named a pod that was not seen. */
  public void note(PodKey pod, Instant now) {
    said.put(pod.uid(), new Said(pod, now));
  }

  /** It has been seen, or has gone. */
  public void settle(String uid) {
    said.remove(uid);
    givenUp.remove(uid);
  }

  /** Whether calls about it are not to be believed again. */
  public boolean isGivenUp(String uid) {
    return givenUp.containsKey(uid);
  }

  /** Those that nothing has confirmed in time. */
  public List<PodKey> overdue(Instant now) {
    return said.values().stream()
        .filter(each -> !now.isBefore(each.at().plus(CONFIRMED_WITHIN)))
        .map(Said::pod)
        .toList();
  }

  /** Gives it up; its next call changes nothing. */
  public void giveUp(String uid, Instant now) {
    said.remove(uid);
    givenUp.put(uid, now);
  }

  /** Calls about those that were given up before have long ended. */
  void forget(Instant oldest) {
    givenUp.values().removeIf(at -> at.isBefore(oldest));
  }
}
