package io.muster.extender.app;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.muster.extender.core.protocol.ClusterCopy;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.query.LearnedRuns;
import io.muster.extender.port.FaultMeter.Doing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

final class StartEstimatorTest {

  private static final Instant NOW = Instant.parse("2026-11-26T06:00:00Z");

  private final ExtenderService service = mock();
  private long clock;

  private StartEstimator estimator(LongSupplier nanoTime) {
    return new StartEstimator(service, nanoTime);
  }

  private static ClusterCopy copy(Event... more) {
    var events = new ArrayList<Event>(List.of(more));
    events.add(new Event.NodeSeen(aNode("n").gpus(8).build()));
    return new ClusterCopy(
        NOW, Rules.extender(NodePinPolicy.NEVER), Deadlines.DEFAULT, events, LearnedRuns.NONE);
  }

  @Test
  void whatIsFoundIsToldToTheDecisions() {
    var pod = aPod("ml", "a-0").gpus(8).gang("a", 1).createdAt(NOW).build();
    when(service.copy()).thenReturn(Optional.of(copy(new Event.PodSeen(pod))));

    var next = estimator(() -> clock).estimate();

    assertThat(next).isEqualTo(StartEstimator.APART);
    var told = ArgumentCaptor.forClass(Event.class);
    verify(service).accept(told.capture());
    var starts = (Event.StartsEstimated) told.getValue();
    assertThat(starts.takenAt()).isEqualTo(NOW);
    assertThat(starts.starts().values()).singleElement().extracting("start").isEqualTo(NOW);
  }

  @Test
  void whatTakesLongIsDoneTheLessOften() {
    when(service.copy()).thenReturn(Optional.of(copy()));

    var next = estimator(() -> clock += 100_000_000).estimate();

    assertThat(next).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void whereNobodyWaitsNothingIsTold() {
    when(service.copy()).thenReturn(Optional.empty());

    assertThat(estimator(() -> clock).estimate()).isEqualTo(StartEstimator.APART);
    verify(service, never()).accept(any());
  }

  @Test
  void aFaultIsCountedAndTheNextEstimateIsMade() {
    ClusterCopy broken = mock();
    when(broken.runTimes()).thenReturn(LearnedRuns.NONE);
    when(broken.takenAt()).thenThrow(new IllegalStateException("broken"));
    when(service.copy()).thenReturn(Optional.of(broken));

    assertThat(estimator(() -> clock).estimate()).isEqualTo(StartEstimator.APART);
    verify(service).report(eq(Doing.OUTLOOK), any(), any(IllegalStateException.class));
  }
}
