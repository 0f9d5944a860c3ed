package io.muster.extender.kube.write;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Effect;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the API server says where it refuses what a pod needs in order to run, a rule of somebody
 * else's for one: its user can read that nowhere else. The same words about one pod once a minute,
 * since such a write is tried again and again. Safe for concurrent use.
 */
final class PodRefusals {

  private static final Duration APART = Duration.ofMinutes(1);
  private static final int REMEMBERED = 10_000;

  private final InstantSource clock;
  private final Map<String, Told> told =
      new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Told> eldest) {
          return size() > REMEMBERED;
        }
      };

  private record Told(String sentence, Instant at) {}

  PodRefusals(InstantSource clock) {
    this.clock = clock;
  }

  /** What its user is to be told; empty where the write has not been refused, or it is known. */
  Optional<Effect.Warn> ofGate(PodKey pod, ApiReply reply) {
    boolean isRefused =
        !reply.isDone() && !reply.saysNothing() && !reply.saysGone() && !reply.saysNamespaceEnds();
    return isRefused
        ? news(
            pod,
            "GateNotRemoved",
            "the API server refuses to take its scheduling gate off: " + reply.message())
        : Optional.empty();
  }

  /** The same of a Binding that was refused. */
  Optional<Effect.Warn> ofBinding(PodKey pod, String node, String message) {
    return news(
        pod,
        "BindingRefused",
        "the API server refuses to bind it to node %s: %s".formatted(node, message));
  }

  private synchronized Optional<Effect.Warn> news(PodKey pod, String reason, String sentence) {
    var now = clock.instant();
    var last = Optional.ofNullable(told.get(pod.uid()));
    if (last.filter(known -> known.sentence().equals(sentence))
        .filter(known -> now.isBefore(known.at().plus(APART)))
        .isPresent()) {
      return Optional.empty();
    }
    told.put(pod.uid(), new Told(sentence, now));
    return Optional.of(new Effect.Warn(pod, reason, sentence));
  }
}
