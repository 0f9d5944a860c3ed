package io.muster.controller.kinds.etoperator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.elastic.CapacityOracle;
import io.muster.controller.core.elastic.View.OnlinePod;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.api.TrainingJobStatus;
import io.muster.controller.kube.Remark;
import io.muster.controller.port.ResizeAdvice;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Shortage;
import io.muster.extender.core.protocol.query.WaitingGang;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A job that has not started says what it waits for. */
final class WaitingReasonsTest {

  private static final String TALLY = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";

  private final Map<String, Shortage> shortages = new HashMap<>();
  private final Map<String, GangReport> reports = new HashMap<>();
  private final List<String> asked = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  private final ResizeAdvice advice =
      new ResizeAdvice() {
        @Override
        public List<WaitingGang> waiting() {
          throw new AssertionError("not asked here");
        }

        @Override
        public Optional<Shortage> shortage(GangId gang) {
          asked.add(gang.name());
          return Optional.ofNullable(shortages.get(gang.name()));
        }

        @Override
        public List<OnlinePod> online() {
          throw new AssertionError("not asked here");
        }

        @Override
        public CapacityOracle room() {
          throw new AssertionError("not asked here");
        }

        @Override
        public void isGivenRoom(GangId gang) {
          throw new AssertionError("not told here");
        }
      };
  private final WaitingReasons reasons =
      new WaitingReasons(
          advice,
          this::report,
          (job, remark, _) -> told.add(job.getMetadata().getName() + " " + text(remark)));

  private Optional<GangReport> report(GangId gang) {
    return Optional.ofNullable(reports.get(gang.name()))
        .or(() -> Optional.of(report(Reason.NO_ROOM, "no room", "add nodes")));
  }

  private static GangReport report(Reason reason, String message, String remedy) {
    return new GangReport(Phase.WAITING, 2, 0, reason, message, remedy);
  }

  private static String text(Remark remark) {
    assertThat(remark.isWarning()).isTrue();
    return remark.reason() + ": " + remark.message();
  }

  private static TrainingJob job(String name) {
    var job = new TrainingJob();
    job.setMetadata(
        new ObjectMetaBuilder().withName(name).withNamespace("ml").withUid("u-" + name).build());
    return job;
  }

  private void after(int seconds, String... names) {
    now = now.plusSeconds(seconds);
    reasons.tell(List.of(names).stream().map(WaitingReasonsTest::job).toList(), now);
  }

  private static Shortage gpus(int needed, int free) {
    return new Shortage(
        needed,
        Optional.empty(),
        List.of(new Shortage.Amount("nvidia.com/gpu", needed, free)),
        TALLY);
  }

  @Test
  void itSaysHowMuchIsNeededAndHowMuchIsFree() {
    shortages.put("j", gpus(2, 1));
    after(0, "j");
    assertThat(told)
        .containsExactly(
            "j TrainingJobWaiting: no room for 2 workers together: 2 nvidia.com/gpu needed, 1 free:"
                + " "
                + TALLY);
  }

  @Test
  void itSaysWhatElseThanRoomKeepsTheWorkersAndNoMoreOfRoom() {
    shortages.put("j", gpus(2, 1));
    after(0, "j");
    reports.put("j", report(Reason.QUOTA, "queue \"q\" has 0 of 2 left", "wait"));
    after(30, "j");
    reports.put("j", report(Reason.MEMBERS_MISSING, "1 of 2 members exist", "see"));
    after(30, "j");
    reports.put("j", report(Reason.RESERVED, "2 places reserved", ""));
    after(30, "j");
    assertThat(told).hasSize(2);
    assertThat(told.getLast()).isEqualTo("j TrainingJobWaiting: queue \"q\" has 0 of 2 left; wait");
  }

  @Test
  void itNamesTheLauncherIfThatIsTheOneWithoutRoom() {
    shortages.put("j", new Shortage(2, Optional.of("cpu 8"), List.of(), "0/1 nodes."));
    after(0, "j");
    assertThat(told)
        .containsExactly(
            "j TrainingJobWaiting: launcher j-launcher (cpu 8) has no room beside 2 workers:"
                + " 0/1 nodes.");
  }

  @Test
  void itSaysWhatTheWorkersOfAScaleOutWaitFor() {
    var job = job("j");
    job.setStatus(
        Serialization.unmarshal("currentScaler: ScaleOut:ml/more", TrainingJobStatus.class));
    shortages.put("more", gpus(2, 0));
    reasons.tell(List.of(job), now);
    assertThat(told)
        .containsExactly(
            "j ScaleOutWaiting: ScaleOut:ml/more: no room for 2 workers together:"
                + " 2 nvidia.com/gpu needed, 0 free: "
                + TALLY);
  }

  @Test
  void itSaysAReasonOnceAndAnotherOneHalfAMinuteLater() {
    shortages.put("j", gpus(2, 1));
    after(0, "j");
    for (int i = 0; i < 19; i++) {
      after(5, "j");
    }
    assertThat(told).hasSize(1);
    // Looked at 0, 30, 60 and 90 s; it is 95 now.
    shortages.put("j", gpus(2, 0));
    after(20, "j");
    assertThat(told).hasSize(1);
    after(5, "j");
    assertThat(told).hasSize(2);
    shortages.put("j", gpus(2, 1));
    after(25, "j");
    assertThat(told).hasSize(2);
    after(5, "j");
    assertThat(told).hasSize(3);
  }

  @Test
  void itSaysNothingWhileThereIsNoReason() {
    after(0, "j");
    assertThat(told).isEmpty();
    shortages.put("j", gpus(2, 1));
    after(5, "j");
    assertThat(told).hasSize(1);
  }

  @Test
  void ofVeryManyAFewAreLookedAtAtATimeAndEachInTurn() {
    var names = IntStream.range(0, 50).mapToObj(i -> "j" + i).toArray(String[]::new);
    for (var name : names) {
      shortages.put(name, gpus(2, 1));
    }
    after(5, names);
    assertThat(asked).hasSize(20);
    after(5, names);
    after(5, names);
    assertThat(asked).hasSize(50).doesNotHaveDuplicates();
    assertThat(told).hasSize(50);
  }

  @Test
  void aJobThatCannotBeToldStopsNoOther() {
    var faulty =
        new WaitingReasons(
            advice,
            this::report,
            (job, remark, _) -> {
              if (job.getMetadata().getName().equals("a")) {
                throw new IllegalStateException("its Events cannot be read");
              }
              told.add(job.getMetadata().getName() + " " + text(remark));
            });
    shortages.put("a", gpus(2, 1));
    shortages.put("b", gpus(2, 1));
    faulty.tell(List.of(job("a"), job("b")), now);
    assertThat(told).singleElement().asString().startsWith("b TrainingJobWaiting");
  }
}
