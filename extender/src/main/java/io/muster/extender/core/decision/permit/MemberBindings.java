package io.muster.extender.core.decision.permit;

import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.filter.Singles;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.Locations;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Effect.AnswerBind;
import io.muster.extender.core.protocol.Event;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The Bindings and releases of members whose record is stored: sends them, and takes in what came
 * of them. None is sent again before it has been answered, or would have been. Confined to the
 * decision thread.
 */
final class MemberBindings {

  /** A release that nobody has seen yet is not sent again before. */
  private static final Duration RELEASED_APART = Duration.ofSeconds(2);

  /** An API server that does not answer is left alone for so long. */
  private static final Duration UNANSWERED_APART = Duration.ofSeconds(2);

  private final ClusterState cluster;

  MemberBindings(ClusterState cluster) {
    this.cluster = cluster;
  }

  /** Has a recorded member bound: by a Binding, or by kube-scheduler where that does not ask. */
  void send(GangState gang, Pod pod, String node, Locations locations, Instant now) {
    var location = locations.of(pod, List.of(node));
    if (!cluster.isAsked()) {
      gang.burst.restUntil(pod.key().uid(), now.plus(RELEASED_APART));
      var pin = new NodePin(Long.toString(cluster.nextTurn()), List.of(node));
      cluster.emit(
          new Effect.Release(
              pod.key(),
              pin,
              pin.tie(pod.demand()).anyOfTerms(),
              gang.incarnation(),
              pod.isControlled(),
              location));
      return;
    }
    gang.burst.sent(pod.key().uid());
    cluster.emit(
        new Effect.Bind(
            gang.id, pod.key(), node, gang.incarnation(), pod.isControlled(), location));
  }

  /** Takes in what came of one. */
  void ended(GangState gang, Event.BindingEnded ended, Instant now) {
    var uid = ended.pod().uid();
    gang.burst.ended(uid);
    switch (ended.outcome()) {
      case BindingOutcome.Bound _ -> {
        // One that has left the gang meanwhile holds what it has got since.
        if (gang.members.include(uid)) {
          gang.burst.bound(uid);
        }
        answer(gang, uid, Optional.empty());
      }
      case BindingOutcome.Lost(String message) -> {
        gang.record.remove(uid);
        cluster.releaseUnbound(uid);
        answer(gang, uid, Optional.of("muster: " + message));
      }
      case BindingOutcome.Refused(String _) -> {
        gang.burst.refused(uid, now);
      }
      case BindingOutcome.Unanswered(String _) -> {
        gang.burst.unanswered(uid, now.plus(UNANSWERED_APART), now.plus(Singles.UNSEEN_FOR));
      }
    }
  }

  private void answer(GangState gang, String uid, Optional<String> error) {
    gang.heldCalls.take(uid).ifPresent(held -> cluster.emit(new AnswerBind(held.call(), error)));
  }
}
