package io.muster.extender.core.estimate;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.TermsBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.query.StartEstimate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** When gangs would start of which pods run that do not count for them. */
final class WaitingBesideEndingTest {

  private static final GangId GANG =
      aPod("ml", "g-0").gang("g", 2).build().membership().orElseThrow().gang();
  private static final Instant BEGIN = Instant.parse("2026-11-26T06:00:00Z");

  private final GangScheduler muster =
      new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
  private Instant now = BEGIN;

  private List<Effect> on(Event event) {
    return muster.on(event, now);
  }

  private void lead(Pod... pods) {
    on(new Event.LeaseHeld(Instant.MAX, false));
    List.of("a", "b", "c").forEach(name -> on(new Event.NodeSeen(aNode(name).gpus(8).build())));
    List.of(pods).forEach(pod -> on(new Event.PodSeen(pod)));
    on(new Event.Ready());
  }

  private static PodBuilder member(String name, Terms.Usable terms) {
    return aPod("ml", name).gpus(8).gang("g", terms, "");
  }

  private static Pod runningOn(String node, PodBuilder pod) {
    var made = BEGIN.minusSeconds(1800);
    return pod.on(node).placedBy(1).createdAt(made).build().runningOn(node, made);
  }

  /** Is over in an hour. */
  private static Pod other(String name, String node) {
    return runningOn(
        node, aPod("ml", name + "-0").gpus(8).gang(name, 1).running(Duration.ofMinutes(90)));
  }

  private Map<GangId, StartEstimate> estimates() {
    return StartEstimates.of(
        muster.copy(now).orElseThrow(), _ -> true, fault -> fail(fault.step(), fault.cause()));
  }

  /** Its member has not heard yet that it is to end, or may not be evicted now. */
  @Test
  void aGangThatStartsAgainWaits() {
    var terms = TermsBuilder.terms("g", 2).onLoss(Terms.OnLoss.RESTART).build();
    var lost = runningOn("a", member("g-0", terms));
    lead(lost, runningOn("b", member("g-1", terms)), other("train", "c"));
    on(new Event.PodGone(lost.key()));
    boolean isEnding = false;
    for (int i = 0; i < 10 && !isEnding; i++) {
      now = now.plusSeconds(1);
      isEnding = on(new Event.Tick()).stream().anyMatch(Effect.Evict.class::isInstance);
    }
    assertThat(isEnding).isTrue();
    on(new Event.PodSeen(other("next", "a")));
    for (int i = 0; i < 2; i++) {
      on(new Event.PodSeen(member("again-" + i, terms).gated().createdAt(now).build()));
    }

    assertThat(estimates().get(GANG).start()).isEqualTo(BEGIN.plusSeconds(3600));
  }

  /** It had none of them when they started. */
  @Test
  void aGangThatGotRunningMembersWaits() {
    var terms = TermsBuilder.terms("g", 2).build();
    lead(other("train", "b"), other("next", "c"));
    on(new Event.PodSeen(runningOn("a", member("g-0", terms))));
    on(new Event.PodSeen(member("g-1", terms).gated().createdAt(now).build()));

    assertThat(estimates().get(GANG).start()).isEqualTo(BEGIN.plusSeconds(3600));
  }
}
