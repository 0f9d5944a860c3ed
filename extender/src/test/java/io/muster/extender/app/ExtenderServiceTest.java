package io.muster.extender.app;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.isA;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.ResourceSum;
import io.muster.extender.core.decision.GangScheduler;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.Milestones;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.port.FaultMeter.Doing;
import io.muster.extender.port.FixedTenure;
import io.muster.extender.port.Reply;
import io.muster.extender.port.UsageMeter;
import io.muster.extender.port.UsageMeter.Wait;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

final class ExtenderServiceTest {

  private static final Pod POD = aPod("worker-0").build();
  private static final List<String> OFFERED = List.of("n1", "n2");

  private static final GangId GANG = new GangId(Dialect.MUSTER, "ml", "g");

  private final GangScheduler protocol = mock(GangScheduler.class);
  private final List<Effect> run = new ArrayList<>();
  private final List<Doing> faults = new ArrayList<>();
  private final List<Object> measured = new ArrayList<>();
  private final UsageMeter meter =
      new UsageMeter() {
        @Override
        public void used(Usage usage, Duration lasted) {
          measured.add(new Used(usage, lasted));
        }

        @Override
        public void reached(Milestones milestones) {
          if (!milestones.equals(Milestones.NONE)) {
            measured.add(milestones);
          }
        }

        @Override
        public void waited(Wait end, Duration lasted) {
          measured.add(new Waited(end, lasted));
        }
      };

  private record Used(Usage usage, Duration lasted) {}

  private record Waited(Wait end, Duration lasted) {}

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private Duration wall = Duration.ZERO;
  private final InstantSource clock = () -> now;
  private final ExtenderService desk =
      new ExtenderService(
          protocol,
          Deadlines.DEFAULT,
          (effects, _) -> run.addAll(effects),
          new ExtenderService.Surroundings(
              clock, clock, Runnable::run, faults::add, meter, FixedTenure.FOR_EVER));

  @BeforeEach
  void decideNothing() {
    when(protocol.on(any(), any())).thenReturn(List.of());
    when(protocol.bind(any(), any())).thenReturn(List.of());
    when(protocol.afterFault(any())).thenReturn(List.of());
    when(protocol.usage(any())).thenReturn(Usage.NONE);
    when(protocol.takeMilestones()).thenReturn(Milestones.NONE);
  }

  @Test
  void answersNothingBeforeTheClusterHasBeenRead() {
    assertThat(desk.filter(POD, OFFERED))
        .isEqualTo(new Reply.Unavailable<>(ExtenderService.STARTING));
    assertThat(desk.prioritize(POD, OFFERED))
        .isEqualTo(new Reply.Unavailable<>(ExtenderService.STARTING));
    assertThat(desk.bind(POD.key(), "n1"))
        .isCompletedWithValue(Optional.of(ExtenderService.STARTING));
    assertThat(desk.preemptable(POD, Map.of("n1", Set.of("victim")))).isEmpty();
    assertThat(desk.isReady()).isFalse();
    assertThat(desk.heldCalls()).isZero();
  }

  @Test
  void saysByHowMuchItsTimeIsAheadOnceAClockWasSet() {
    var ahead = Duration.ofHours(1);
    var service =
        new ExtenderService(
            protocol,
            Deadlines.DEFAULT,
            (effects, _) -> run.addAll(effects),
            new ExtenderService.Surroundings(
                clock,
                () -> now.minus(wall),
                Runnable::run,
                faults::add,
                meter,
                FixedTenure.FOR_EVER));
    service.accept(new Event.Tick());
    service.takeQueuedEvents();
    wall = ahead;
    service.accept(new Event.Ready());
    service.accept(new Event.Tick());
    service.takeQueuedEvents();

    var order = inOrder(protocol);
    order.verify(protocol).on(new Event.ClockSet(ahead), now);
    order.verify(protocol).on(new Event.Ready(), now);
    verify(protocol, times(1)).on(isA(Event.ClockSet.class), any());
  }

  @Test
  void takesEventsInInTheirOrder() {
    var first = new Event.PodSeen(POD);
    var second = new Event.PodGone(POD.key());
    desk.accept(first);
    desk.accept(second);
    assertThat(desk.queuedEvents()).isEqualTo(2);

    desk.takeQueuedEvents();

    var order = inOrder(protocol);
    order.verify(protocol).on(first, now);
    order.verify(protocol).on(second, now);
    assertThat(desk.queuedEvents()).isZero();
  }

  @Test
  void aSearchThatWasLeftForCallsGoesOnOnceAfterThem() {
    makeReady();
    when(protocol.isSearching()).thenReturn(true);
    when(protocol.filter(POD, OFFERED, now))
        .thenReturn(new GangScheduler.Decision(new Answer.Refuse("no"), List.of()));
    desk.filter(POD, OFFERED);
    desk.filter(POD, OFFERED);
    assertThat(desk.queuedEvents()).isEqualTo(1);

    desk.takeQueuedEvents();
    verify(protocol).on(new Event.Idle(), now);
    assertThat(desk.queuedEvents()).as("there is more to it").isEqualTo(1);

    when(protocol.isSearching()).thenReturn(false);
    desk.takeQueuedEvents();
    verify(protocol, times(2)).on(new Event.Idle(), now);
    assertThat(desk.queuedEvents()).isZero();
  }

  @Test
  void handsEffectsOverAndAnswersFromMemory() {
    makeReady();
    var wake = new Effect.Wake(POD.key(), 1);
    var accept = new Answer.Accept(List.of("n1"), "taken");
    when(protocol.filter(POD, OFFERED, now))
        .thenReturn(new GangScheduler.Decision(accept, List.of(wake)));

    assertThat(desk.filter(POD, OFFERED)).isEqualTo(new Reply.Answered<>(accept));
    assertThat(run).containsExactly(wake);
  }

  @Test
  void holdsABindCallUntilItsAnswerIsDecided() {
    makeReady();
    var answer = desk.bind(POD.key(), "n1");
    assertThat(answer).isNotDone();
    assertThat(desk.heldCalls()).isOne();
    var call = lastCall();
    when(protocol.on(any(Event.Tick.class), any()))
        .thenReturn(List.of(new Effect.AnswerBind(call.id(), Optional.empty())));

    desk.tick();
    desk.takeQueuedEvents();

    assertThat(answer).isCompletedWithValue(Optional.empty());
    assertThat(desk.heldCalls()).isZero();
    assertThat(run).isEmpty();
  }

  @Test
  void answersACallThatOutlivedEveryDeadlineEvenWhileEventsQueue() {
    makeReady();
    var answer = desk.bind(POD.key(), "n1");

    now = now.plus(Duration.ofSeconds(28));
    desk.tick();
    assertThat(answer).isNotDone();
    now = now.plus(Duration.ofSeconds(1));
    desk.tick();

    assertThat(answer).isCompletedWithValue(Optional.of(DelayedBindCalls.TOO_LATE));
    assertThat(desk.heldCalls()).isZero();
    assertThat(measured).containsExactly(new Waited(Wait.EXPIRED, Duration.ofSeconds(29)));
  }

  @Test
  void countsForHowLongWhatWasReadAtATickLasted() {
    makeReady();
    var usage =
        new Usage(
            Map.of(),
            Duration.ZERO,
            Duration.ZERO,
            Map.of(),
            Map.of(),
            List.of(),
            ResourceSum.NONE,
            ResourceSum.NONE,
            7,
            3);
    var miss = new Milestones(List.of(), Map.of(), Map.of(Milestones.PlanMiss.STALE, 1), Map.of());
    when(protocol.usage(any())).thenReturn(usage);
    tickAfter(Duration.ZERO);
    assertThat(measured).isEmpty();
    assertThat(desk.usage()).isEqualTo(usage);

    when(protocol.usage(any())).thenReturn(Usage.NONE);
    when(protocol.takeMilestones()).thenReturn(miss);
    tickAfter(Duration.ofMillis(500));
    assertThat(measured).containsExactly(miss, new Used(usage, Duration.ofMillis(500)));
    assertThat(desk.usage()).isEqualTo(Usage.NONE);
  }

  @Test
  void countsNoMoreThanTenSecondsForATimeThatItSlept() {
    makeReady();
    tickAfter(Duration.ZERO);
    tickAfter(Duration.ofMinutes(5));
    assertThat(measured).containsExactly(new Used(Usage.NONE, Duration.ofSeconds(10)));
    assertThat(faults).isEmpty();
  }

  @Test
  void countsTheWaitOfACallUntilItsBindingGoesOut() {
    makeReady();
    var answer = desk.bind(POD.key(), "n1");
    var call = lastCall();
    now = now.plusSeconds(3);
    var bind = new Effect.Bind(GANG, POD.key(), "n1", 1, true, Effect.Location.UNTOLD);
    when(protocol.on(any(Event.NodeGone.class), any())).thenReturn(List.of(bind));
    desk.accept(new Event.NodeGone("n2"));
    desk.takeQueuedEvents();
    assertThat(measured).containsExactly(new Waited(Wait.OPENED, Duration.ofSeconds(3)));

    now = now.plusSeconds(3);
    when(protocol.on(any(Event.NodeGone.class), any()))
        .thenReturn(List.of(new Effect.AnswerBind(call.id(), Optional.empty())));
    desk.accept(new Event.NodeGone("n2"));
    desk.takeQueuedEvents();
    assertThat(answer).isCompletedWithValue(Optional.empty());
    assertThat(measured).hasSize(1);
  }

  @Test
  void countsTheWaitOfACallThatIsRefusedAfterAll() {
    makeReady();
    var answer = desk.bind(POD.key(), "n1");
    var call = lastCall();
    now = now.plusSeconds(20);
    when(protocol.on(any(Event.NodeGone.class), any()))
        .thenReturn(List.of(new Effect.AnswerBind(call.id(), Optional.of("too few"))));
    desk.accept(new Event.NodeGone("n2"));
    desk.takeQueuedEvents();
    assertThat(answer).isCompletedWithValue(Optional.of("too few"));
    assertThat(measured).containsExactly(new Waited(Wait.REFUSED, Duration.ofSeconds(20)));
  }

  @Test
  void countsNoWaitWhereTheBindingGoesOutAtOnce() {
    makeReady();
    when(protocol.bind(any(), any()))
        .thenReturn(
            List.of(new Effect.Bind(GANG, POD.key(), "n1", 0, true, Effect.Location.UNTOLD)));
    var answer = desk.bind(POD.key(), "n1");
    var call = lastCall();
    now = now.plusSeconds(1);
    when(protocol.on(any(Event.NodeGone.class), any()))
        .thenReturn(List.of(new Effect.AnswerBind(call.id(), Optional.empty())));
    desk.accept(new Event.NodeGone("n2"));
    desk.takeQueuedEvents();
    assertThat(answer).isCompletedWithValue(Optional.empty());
    assertThat(measured).isEmpty();
  }

  private void tickAfter(Duration passed) {
    now = now.plus(passed);
    desk.tick();
    desk.takeQueuedEvents();
  }

  @Test
  void queuesOneTickAtATime() {
    desk.tick();
    desk.tick();
    assertThat(desk.queuedEvents()).isOne();

    desk.takeQueuedEvents();
    desk.tick();
    assertThat(desk.queuedEvents()).isOne();
  }

  @Test
  void answersAnErrorWhereADecisionFailsAndStaysUp() {
    makeReady();
    when(protocol.filter(any(), any(), any())).thenThrow(new IllegalStateException("negative"));
    when(protocol.bind(any(), any())).thenThrow(new IllegalStateException("negative"));
    when(protocol.on(any(Event.PodSeen.class), any()))
        .thenThrow(new IllegalStateException("negative"));

    assertThat(desk.filter(POD, OFFERED)).isInstanceOf(Reply.Unavailable.class);
    assertThat(desk.bind(POD.key(), "n1").join()).isPresent();
    desk.accept(new Event.PodSeen(POD));
    desk.takeQueuedEvents();

    assertThat(faults).containsExactly(Doing.FILTER, Doing.BIND, Doing.EVENT);
    assertThat(desk.heldCalls()).isZero();
    assertThat(desk.isReady()).isTrue();
  }

  @Test
  void whatWasDecidedBeforeAFaultLeavesAtOnce() {
    makeReady();
    var wake = new Effect.Wake(POD.key(), 1);
    when(protocol.filter(any(), any(), any())).thenThrow(new IllegalStateException("negative"));
    when(protocol.afterFault(any())).thenReturn(List.of(wake));

    assertThat(desk.filter(POD, OFFERED)).isInstanceOf(Reply.Unavailable.class);

    assertThat(run).containsExactly(wake);
    assertThat(faults).containsExactly(Doing.FILTER);
  }

  @Test
  void aFaultAmongTheEffectsIsCountedAndTheOthersGoOut() {
    makeReady();
    var wake = new Effect.Wake(POD.key(), 1);
    when(protocol.on(any(Event.PodSeen.class), any()))
        .thenReturn(
            List.of(
                new Effect.Fault("plan", Optional.of(GANG), new IllegalStateException("no")),
                wake,
                new Effect.Fault("claims", Optional.empty(), new IllegalStateException("no"))));

    desk.accept(new Event.PodSeen(POD));
    desk.takeQueuedEvents();

    assertThat(run).containsExactly(wake);
    assertThat(faults).containsExactly(Doing.GANG, Doing.EVENT);
    assertThat(desk.isFailing()).isFalse();
  }

  @Test
  void itIsFailingOnceNothingSucceedsAnyMoreAndUntilSomethingDoes() {
    makeReady();
    when(protocol.on(any(Event.PodSeen.class), any()))
        .thenThrow(new IllegalStateException("negative"));
    for (int i = 0; i < FaultLog.IN_A_ROW - 1; i++) {
      desk.accept(new Event.PodSeen(POD));
    }
    desk.takeQueuedEvents();
    assertThat(desk.isFailing()).isFalse();

    desk.accept(new Event.PodSeen(POD));
    desk.takeQueuedEvents();
    assertThat(desk.isFailing()).isTrue();
    assertThat(faults).hasSize(FaultLog.IN_A_ROW);

    desk.tick();
    desk.takeQueuedEvents();
    assertThat(desk.isFailing()).isFalse();
  }

  private void makeReady() {
    desk.accept(new Event.Ready());
    desk.takeQueuedEvents();
  }

  private BindCall lastCall() {
    var call = ArgumentCaptor.forClass(BindCall.class);
    verify(protocol).bind(call.capture(), any());
    return call.getValue();
  }
}
