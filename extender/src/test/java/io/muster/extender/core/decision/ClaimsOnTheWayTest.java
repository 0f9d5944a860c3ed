package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms.OnLoss;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What a member asks for by a claim can change while it has a place: others name the claim, or it
 * is deleted and made again.
 */
final class ClaimsOnTheWayTest extends ProtocolScenes {

  private static PodBuilder of(String gang, int index, long gpus) {
    return aPod(gang + "-" + index).gpus(gpus).gang(gang, 2).queue("a");
  }

  private void aQueueOfTwo() {
    on(
        new Event.QueuesSet(
            new Queues(
                List.of(
                    new Queue(
                        "a",
                        1,
                        Optional.empty(),
                        Optional.of(2L),
                        Order.PRIORITY,
                        false,
                        Optional.empty(),
                        Set.of())))));
  }

  @Test
  void aQueueHoldsWhatItsPlannedMembersWereGivenWhateverBecomesOfTheirClaims() {
    aQueueOfTwo();
    nodes(FOUR);
    lead(false);
    for (int i = 0; i < 2; i++) {
      seen(of("first", i, 1).build());
    }
    var place = placeOf(of("first", 0, 1).build(), FOUR);

    for (int i = 0; i < 2; i++) {
      seen(of("first", i, 0).unplaceable("f", "v", "names a claim of several members").build());
    }
    for (int i = 0; i < 2; i++) {
      seen(of("second", i, 1).build());
    }
    after(2);
    assertThat(ask(of("second", 0, 1).build(), FOUR)).isInstanceOf(Answer.Refuse.class);

    for (int i = 0; i < 2; i++) {
      seen(of("first", i, 1).build());
    }
    assertThat(placeOf(of("first", 0, 1).build(), FOUR)).isEqualTo(place);
  }

  @Test
  void aReplacementOnTheWayToThePlaceKeptForItCountsToo() {
    aQueueOfTwo();
    nodes(FOUR);
    lead(false);
    var running = started();
    on(new Event.PodGone(running.get(1).key()));
    var again = replaceable(2, 1).build();
    seen(again);
    var place = placeOf(again, FOUR);

    seen(replaceable(2, 0).unplaceable("f", "v", "names a claim of several members").build());
    var single = aPod("single").gpus(1).queue("a").build();
    seen(single);
    assertThat(ask(single, FOUR)).isInstanceOf(Answer.Refuse.class);

    seen(again);
    assertThat(placeOf(again, FOUR)).isEqualTo(place);
  }

  private static PodBuilder replaceable(int index, long gpus) {
    return aPod("first-" + index)
        .gpus(gpus)
        .gang("first", terms("first", 2).onLoss(OnLoss.REPLACE).build(), "")
        .queue("a");
  }

  private List<Pod> started() {
    var effects = new ArrayList<Effect>();
    for (int i = 0; i < 2; i++) {
      seen(replaceable(i, 1).build());
    }
    for (int i = 0; i < 2; i++) {
      var pod = replaceable(i, 1).build();
      effects.addAll(bind(i + 1, pod, placeOf(pod, FOUR)));
    }
    var record = record(effects);
    var running = new ArrayList<Pod>();
    for (var effect : on(new Event.RecordWritten(record.gang(), record.epoch(), true))) {
      if (effect instanceof Effect.Bind bind) {
        on(
            new Event.BindingEnded(
                bind.gang(), bind.pod(), bind.node(), new BindingOutcome.Bound()));
        int index = Integer.parseInt(bind.pod().name().substring(6));
        var pod = replaceable(index, 1).on(bind.node()).placedBy(1);
        running.add(pod.phase(Pod.Phase.RUNNING).build());
        seen(running.getLast());
      }
    }
    assertThat(running).hasSize(2);
    return running;
  }
}
