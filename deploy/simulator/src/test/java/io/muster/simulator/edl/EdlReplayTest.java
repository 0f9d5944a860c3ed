package io.muster.simulator.edl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.controller.core.elastic.GangPolicy.HeadRoom;
import io.muster.simulator.edl.regime.BackingOffScheduler.Preference;
import io.muster.simulator.edl.regime.JobRun;
import io.muster.simulator.edl.regime.JobShape;
import io.muster.simulator.edl.regime.Regime;
import io.muster.simulator.edl.regime.Regimes;
import io.muster.simulator.edl.regime.ReplayPod;
import io.muster.simulator.edl.regime.World;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IntSummaryStatistics;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The replay of the published experiment, with few seeds; {@code muster simulate edl} has 20. */
@Tag("slow")
final class EdlReplayTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter problems = new StringWriter();

  private int run(String... arguments) {
    return new CommandLine(new SimulateEdlCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(problems))
        .execute(arguments);
  }

  private static void holds(Table table) {
    assertThat(table.holds()).as(table.text()).isTrue();
  }

  @Test
  void itComesOutLikeTheOneWhoseFiguresAreKnown() {
    holds(Cases.fidelity());
  }

  @Test
  void gangsFindRoomAndSizesBecomeEven() {
    holds(Cases.caseOne(2));
  }

  @Test
  void theOnlineServiceComesBeforeTraining() {
    holds(Cases.caseTwo(2));
  }

  @Test
  void otherNodesAndAnotherPaceAreNoWorseForAnybody() {
    holds(Cases.mixes(1));
  }

  @Test
  void gpusAreAllTakenAndNobodyWaits() {
    holds(Cases.gpus(1));
  }

  @Test
  void jobsThatEndAreAllDoneSooner() {
    holds(Cases.finishing(1));
  }

  @Test
  void theSameSeedGivesTheSame() {
    var scenario = Scenario.caseTwo(15);
    var once = EdlReplay.of(scenario, 7, true, Regimes.muster());
    assertThat(EdlReplay.of(scenario, 7, true, Regimes.muster())).isEqualTo(once);
    assertThat(EdlReplay.of(scenario, 8, true, Regimes.muster())).isNotEqualTo(once);
  }

  /** What kube-scheduler and ReplicaSets do today, as a control plane shows it. */
  @Test
  void aServiceIsSpreadEvenlyAndLeavesNodesFirstOnWhichItHasMost() {
    var onNodes = new HashMap<Integer, IntSummaryStatistics>();
    EdlReplay.of(
        Scenario.caseTwo(15),
        1,
        false,
        world -> {
          var regime = Regimes.muster().apply(world);
          return new Regime() {
            @Override
            public void submitted(JobRun job) {
              regime.submitted(job);
            }

            @Override
            public void act() {
              regime.act();
              onNodes.put(
                  world.now,
                  world.machines.stream()
                      .mapToInt(machine -> machine.services)
                      .summaryStatistics());
            }

            @Override
            public Comparator<ReplayPod> firstToLeave() {
              return regime.firstToLeave();
            }
          };
        });
    assertThat(onNodes.get(60).getSum()).isEqualTo(400);
    assertThat(onNodes.get(60).getMin()).isEqualTo(3);
    assertThat(onNodes.get(60).getMax()).isEqualTo(4);
    assertThat(onNodes.get(350).getSum()).isEqualTo(100);
    assertThat(onNodes.get(350).getMax()).isLessThanOrEqualTo(2);
  }

  @Test
  void withoutRoomForTheNextGangItWaitsForAsLongAsTrainersTakeToEnd() {
    var none = Regimes.muster(HeadRoom.NONE, Preference.SPREAD);
    var without = EdlReplay.of(Scenario.caseOne(), 1, true, none);
    var with = EdlReplay.of(Scenario.caseOne(), 1, true, Regimes.muster());
    assertThat(EdlOutcome.mean(without.waitsForGang()))
        .isGreaterThan(EdlOutcome.mean(with.waitsForGang()) + 5);
  }

  @Test
  void jobsThatEndLoseWhatTheirMovedTrainersHadDone() {
    var work = new JobShape.Work(1_000, 0);
    var world = new World(NodeMix.FITTED.machines(new Random(1)), 30, new Random(1));
    var job = new JobRun(0, JobShape.published(2).working(work), 0);
    var trainer = world.addTrainer(job);
    world.bind(trainer, world.machines.getFirst());
    world.moveAway(trainer);
    assertThat(job.lost).isEqualTo(30);
    assertThat(world.moved).isEqualTo(1);
    assertThat(trainer.goneAt).isEqualTo(30);
  }

  @Test
  void theCommandPrintsATableAndALineOfJsonForEachCase() throws Exception {
    assertThat(run("--case", "fidelity")).as(out.toString()).isZero();
    var line =
        out.toString().lines().filter(text -> text.startsWith("{")).findFirst().orElseThrow();
    var json = new ObjectMapper().readTree(line);
    assertThat(json.get("holds").asBoolean()).isTrue();
    assertThat(json.get("rows")).hasSize(4);
    assertThat(json.get("bars")).hasSize(6);
  }

  @Test
  void aTableThatMissesABarSaysSo() {
    var table = new Table("any", "column").row("cell").atMost("wait", 2, 1);
    assertThat(table.holds()).isFalse();
    assertThat(table.text()).contains("FAILS: wait 2.00, at most 1.00");
    assertThat(new Table("any", "column").atLeast("share", 2, 1).holds()).isTrue();
    assertThat(new Table("any", "column").within("wait", 2.1, 1, 2).holds()).isFalse();
  }

  @Test
  void wrongArgumentsAreRefusedWithWhatWouldBeRight() {
    assertThat(run("--seeds", "0")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(run("--case", "3")).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(problems.toString())
        .contains("--seeds must be from 1 to 1000, not 0")
        .contains("--case must be 1, 2, mixes, gpus, finishing or fidelity, not \"3\"");
  }
}
