package io.muster.simulator.edl;

import io.muster.controller.core.elastic.GangPolicy.HeadRoom;
import io.muster.simulator.edl.regime.BackingOffScheduler.Preference;
import io.muster.simulator.edl.regime.JobShape;
import io.muster.simulator.edl.regime.Regime;
import io.muster.simulator.edl.regime.Regimes;
import io.muster.simulator.edl.regime.World;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** The replays, each a table with its bars. Stateless. */
final class Cases {

  private static final int PLAIN_SEEDS = 10;

  private Cases() {}

  private static double gangWait(EdlOutcome outcome) {
    return EdlOutcome.mean(outcome.waitsForGang());
  }

  private static double anyWait(EdlOutcome outcome) {
    return EdlOutcome.mean(outcome.waitsForAny());
  }

  private static double longest(EdlOutcome outcome) {
    return outcome.waitsForGang().stream().mapToInt(Integer::intValue).max().orElse(0);
  }

  private static double percent(double share) {
    return 100 * share;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /** Whether this replay is true to the one whose figures are known. */
  static Table fidelity() {
    var fixed = EdlFigures.plain(Scenario.caseOneFixed(), PLAIN_SEEDS, Regimes.fixed());
    var measured = EdlFigures.plain(Scenario.caseOne(), PLAIN_SEEDS, Regimes.edlAsMeasured(0.97));
    var right = EdlFigures.plain(Scenario.caseOne(), PLAIN_SEEDS, Regimes.edl(0.97));
    var lower = EdlFigures.plain(Scenario.caseOne(), PLAIN_SEEDS, Regimes.edl(0.90));
    var table =
        new Table(
            "Fidelity: case 1, " + PLAIN_SEEDS + " seeds of ties and starts",
            "regime",
            "wait any s",
            "wait gang s",
            "never whole",
            "trainers at 520 s",
            "used 0-550 s %");
    fidelityRow(table, "fixed", fixed);
    fidelityRow(table, "EDL 0.97 as measured", measured);
    fidelityRow(table, "EDL 0.97", right);
    fidelityRow(table, "EDL 0.90", lower);
    return table
        .within("EDL 0.97 as measured: wait any", measured.mean(Cases::anyWait), 35, 41)
        .within("EDL 0.97 as measured: wait gang", measured.mean(Cases::gangWait), 95, 143)
        .within("EDL 0.97 as measured: never whole", measured.mean(EdlOutcome::neverWhole), 2, 5)
        .within("EDL 0.90: wait gang", lower.mean(Cases::gangWait), 25.2, 29.2)
        .within("fixed: trainers", fixed.mean(Cases::trainers), 346, 352)
        .within("fixed: never started", fixed.mean(EdlOutcome::neverAny), 14, 14)
        .note("simulated; the node mix was fitted to the fixed runs, so those are no evidence")
        .note(
            "measured on the real cluster in 2017: any 48.0, gang 141.6, never whole 5.5,"
                + " trainers 253; fixed 306.5, 347 trainers, 14 never");
  }

  private static double trainers(EdlOutcome outcome) {
    return outcome.samples().get(520).trainers();
  }

  private static void fidelityRow(Table table, String name, EdlFigures figures) {
    table.row(
        name,
        figures.shown(1, Cases::anyWait),
        figures.shown(1, Cases::gangWait),
        figures.shown(1, EdlOutcome::neverWhole),
        figures.shown(0, Cases::trainers),
        figures.shown(1, outcome -> percent(outcome.used(0, 550))));
  }

  /** Training jobs alone. */
  static Table caseOne(int seeds) {
    var scenario = Scenario.caseOne();
    var muster = EdlFigures.varied(scenario, seeds, Regimes.muster());
    var lower = EdlFigures.varied(scenario, seeds, Regimes.edl(0.90));
    var table =
        new Table(
            "Case 1: 20 jobs of 2 to 60 trainers, grace 30 s, %d seeds".formatted(seeds),
            "regime",
            "wait gang s",
            "longest s",
            "never whole",
            "CPU held in vain",
            "used 250-550 s %",
            "used + kept %",
            "used 0-550 s %",
            "evenness at 520 s",
            "moved",
            "useful trainer-s");
    oneRow(
        table,
        "EDL 0.97 as measured",
        EdlFigures.varied(scenario, seeds, Regimes.edlAsMeasured(0.97)));
    oneRow(table, "EDL 0.97", EdlFigures.varied(scenario, seeds, Regimes.edl(0.97)));
    oneRow(table, "EDL 0.90", lower);
    oneRow(table, "Muster, gang", muster);
    oneRow(
        table,
        "Muster, no room kept",
        EdlFigures.varied(scenario, seeds, Regimes.muster(HeadRoom.NONE, Preference.SPREAD)));
    return barsOfCaseOne(table, muster, lower);
  }

  private static Table barsOfCaseOne(Table table, EdlFigures muster, EdlFigures lower) {
    return table
        .atMost("wait gang, mean", muster.mean(Cases::gangWait), 21)
        .atMost("wait gang, longest of all", muster.most(Cases::longest), 40)
        .atMost("never whole", muster.most(EdlOutcome::neverWhole), 0)
        .atMost("CPU held in vain", muster.most(EdlOutcome::heldInVain), 0)
        .atLeast("used + kept, mean", muster.mean(Cases::usedAndKept), 86)
        .atLeast("evenness, mean", muster.mean(EdlOutcome::evenness), 0.97)
        .atMost("moved, most", muster.most(EdlOutcome::moved), 320)
        .atLeast(
            "useful trainer-seconds, to those of EDL 0.90",
            muster.mean(EdlOutcome::useful) / lower.mean(EdlOutcome::useful),
            1)
        .note(
            "beyond the bars, room that is kept not counted: used 250-550 s %s %%"
                .formatted(muster.shown(1, outcome -> percent(outcome.used(250, 550)))));
  }

  private static double usedAndKept(EdlOutcome outcome) {
    return percent(outcome.used(250, 550) + outcome.kept(250, 550));
  }

  private static void oneRow(Table table, String name, EdlFigures figures) {
    table.row(
        name,
        figures.shown(1, Cases::gangWait),
        number(figures.most(Cases::longest)),
        figures.shown(1, EdlOutcome::neverWhole),
        figures.shown(0, EdlOutcome::heldInVain),
        figures.shown(1, outcome -> percent(outcome.used(250, 550))),
        figures.shown(1, Cases::usedAndKept),
        figures.shown(1, outcome -> percent(outcome.used(0, 550))),
        figures.shown(3, EdlOutcome::evenness),
        figures.shown(0, EdlOutcome::moved),
        figures.shown(0, EdlOutcome::useful));
  }

  /** Beside an online service. */
  static Table caseTwo(int seeds) {
    var scenario = Scenario.caseTwo(15);
    var muster = EdlFigures.varied(scenario, seeds, Regimes.muster());
    var dense =
        EdlFigures.varied(
            scenario, seeds, Regimes.muster(HeadRoom.WITHOUT_DEVICES, Preference.FULLEST));
    var table =
        new Table(
            "Case 2: 6 jobs beside an online service, grace 30 s, %d seeds".formatted(seeds),
            "regime",
            "used off-peak %",
            "used + kept %",
            "would still fit %",
            "missing service pods",
            "used 0-705 s %",
            "wait gang s",
            "never whole");
    twoRow(
        table,
        "EDL 0.97 as measured",
        EdlFigures.varied(scenario, seeds, Regimes.edlAsMeasured(0.97)));
    twoRow(table, "EDL 0.90", EdlFigures.varied(scenario, seeds, Regimes.edl(0.90)));
    twoRow(table, "Muster, gang", muster);
    twoRow(
        table,
        "Muster, no room kept",
        EdlFigures.varied(scenario, seeds, Regimes.muster(HeadRoom.NONE, Preference.SPREAD)));
    twoRow(
        table,
        "EDL 0.90, service packed",
        EdlFigures.varied(scenario, seeds, Regimes.edl(0.90, false, Preference.FULLEST)));
    twoRow(table, "Muster, service packed", dense);
    return barsOfCaseTwo(table, muster, dense);
  }

  private static Table barsOfCaseTwo(Table table, EdlFigures muster, EdlFigures dense) {
    return table
        .atMost("missing service pods, mean", muster.mean(Cases::missing), 30)
        .atMost("never whole", muster.most(EdlOutcome::neverWhole), 0)
        .aimedAt("off-peak used + kept, mean", muster.mean(Cases::offPeakAndKept), "at least 86")
        .atMost("off-peak, would still fit beside what is kept", muster.mean(Cases::unused), 0.5)
        .atLeast(
            "off-peak used + kept with the service packed, mean",
            dense.mean(Cases::offPeakAndKept),
            86)
        .note("off-peak is 300-370 s; missing is the mean of 387-677 s; no bar on waits")
        .note(
            "packed: the service's own scheduler prefers full nodes (MostAllocated) and does not"
                + " spread; by default three quarters of the nodes have one of the last 100 pods of"
                + " 3 CPU, and what is left takes 4 trainers instead of 5, or 1 instead of 2");
  }

  private static double unused(EdlOutcome outcome) {
    return percent(outcome.open(365, 370));
  }

  private static double missing(EdlOutcome outcome) {
    return outcome.missing(387, 677);
  }

  private static double offPeakAndKept(EdlOutcome outcome) {
    return percent(outcome.used(300, 370) + outcome.kept(300, 370));
  }

  private static void twoRow(Table table, String name, EdlFigures figures) {
    table.row(
        name,
        figures.shown(1, outcome -> percent(outcome.used(300, 370))),
        figures.shown(1, Cases::offPeakAndKept),
        figures.shown(1, Cases::unused),
        figures.shown(1, Cases::missing),
        figures.shown(1, outcome -> percent(outcome.used(0, 705))),
        figures.shown(1, Cases::gangWait),
        figures.shown(1, EdlOutcome::neverWhole));
  }

  /** The same jobs on other nodes and at another pace. */
  static Table mixes(int seeds) {
    var table =
        new Table(
            "Other nodes and gaps: wait for the whole gang in s, %d seeds".formatted(seeds),
            "nodes",
            "gap s",
            "EDL 0.97",
            "EDL 0.90",
            "Muster, gang",
            "never whole");
    var one = Scenario.caseOne();
    for (var scenario :
        List.of(
            one,
            one.every(5),
            one.every(20),
            one.on(NodeMix.cpu(23, 16, 110, 18)),
            one.on(NodeMix.cpu(39, 12, 94, 20)),
            one.on(NodeMix.cpu(78, 16, 55, 20)))) {
      var muster = EdlFigures.varied(scenario, seeds, Regimes.muster());
      var edl = EdlFigures.varied(scenario, seeds, Regimes.edl(0.90));
      var name = "%s every %.1f s".formatted(scenario.nodes().name(), scenario.gap());
      table.row(
          scenario.nodes().name(),
          number(scenario.gap()),
          EdlFigures.varied(scenario, seeds, Regimes.edl(0.97)).shown(1, Cases::gangWait),
          edl.shown(1, Cases::gangWait),
          muster.shown(1, Cases::gangWait),
          muster.shown(1, EdlOutcome::neverWhole));
      table.atMost(
          name + ": wait beyond that of EDL 0.90",
          muster.mean(Cases::gangWait) - edl.mean(Cases::gangWait),
          1);
      table.atMost(name + ": never whole", muster.most(EdlOutcome::neverWhole), 0);
    }
    return table;
  }

  /** Jobs of the same kind on nodes with GPUs. */
  static Table gpus(int seeds) {
    var table =
        new Table(
            "GPUs: 44 nodes of 8, 20 jobs, %d seeds".formatted(seeds),
            "trainer",
            "regime",
            "running at the end",
            "GPUs taken at the end %",
            "GPUs taken 250-550 s %",
            "wait gang s",
            "moved");
    gpuRows(
        table,
        seeds,
        "1 GPU, 2 to 60",
        new JobShape(1_000, 10, 4_000, 5_000, 1, 2, 60, 60, Optional.empty()));
    gpuRows(
        table,
        seeds,
        "8 GPUs, 1 to 4",
        new JobShape(1_000, 10, 4_000, 40_000, 8, 1, 4, 4, Optional.empty()));
    return table.note("no room is kept for jobs with GPUs unless it is asked for");
  }

  private static void gpuRows(Table table, int seeds, String trainer, JobShape shape) {
    var scenario = Scenario.caseOne().on(NodeMix.gpu(44, 8)).of(shape).until(900);
    var muster = EdlFigures.varied(scenario, seeds, Regimes.muster());
    gpuRow(
        table,
        trainer,
        "whole gangs, fixed",
        EdlFigures.varied(scenario, seeds, Regimes.fixedGangs()));
    gpuRow(table, trainer, "Muster, gang", muster);
    table.atLeast(trainer + ": running at the end", muster.least(EdlOutcome::wholeAtEnd), 20);
    table.atLeast(trainer + ": GPUs taken at the end", muster.least(Cases::gpusAtEnd), 100);
  }

  private static double gpusAtEnd(EdlOutcome outcome) {
    return percent(outcome.samples().getLast().gpus());
  }

  private static void gpuRow(Table table, String trainer, String name, EdlFigures figures) {
    table.row(
        trainer,
        name,
        figures.shown(1, EdlOutcome::wholeAtEnd),
        figures.shown(1, Cases::gpusAtEnd),
        figures.shown(1, outcome -> percent(outcome.gpus(250, 550))),
        figures.shown(1, Cases::gangWait),
        figures.shown(0, EdlOutcome::moved));
  }

  /** Jobs that end. */
  static Table finishing(int seeds) {
    var table =
        new Table(
            "Jobs that end: 20 jobs, a full one takes 300 to 900 s alone, %d seeds"
                .formatted(seeds),
            "serial %",
            "regime",
            "mean completion s",
            "all done after s",
            "wait gang s",
            "moved",
            "not done");
    for (double serial : new double[] {0.005, 0.02, 0.05}) {
      finishing(table, seeds, serial);
    }
    return table
        .note(
            "own construction: a share of the work is serial (Amdahl), so that 60 trainers do as"
                + " much as 46, 28 or 15; a trainer that is moved loses 30 s of its work")
        .note(
            "on average jobs end sooner for whoever runs some at full size and lets others wait,"
                + " the more so the better more trainers help: that is what even shares cost");
  }

  private static void finishing(Table table, int seeds, double serial) {
    var work = new JobShape.Work(600 * new JobShape.Work(0, serial).rate(60), serial);
    var scenario = Scenario.caseOne().of(JobShape.published(60).working(work)).until(4 * 3_600);
    var elastic = scenario.of(JobShape.published(2).working(work));
    var muster = EdlFigures.varied(elastic, seeds, Regimes.muster());
    finishingRow(table, serial, "Muster, gang", muster);
    record Rival(
        String name, Scenario scenario, Function<World, Regime> regime, boolean isHeldTo) {}

    for (var rival :
        List.of(
            new Rival("whole gangs, fixed, in order", scenario, Regimes.fixedGangs(), true),
            new Rival("EDL 0.97", elastic, Regimes.edl(0.97), true),
            new Rival("EDL 0.90", elastic, Regimes.edl(0.90), false))) {
      var figures = EdlFigures.varied(rival.scenario(), seeds, rival.regime());
      finishingRow(table, serial, rival.name(), figures);
      var whom = "%s %% serial, to that of %s".formatted(number(100 * serial), rival.name());
      table.aimedAt(
          "mean completion, " + whom,
          muster.mean(Cases::completion) / figures.mean(Cases::completion),
          "at most 1");
      double end = muster.mean(EdlOutcome::lastEnd) / figures.mean(EdlOutcome::lastEnd);
      if (rival.isHeldTo()) {
        table.atMost("all done, " + whom, end, 1);
      } else {
        table.aimedAt("all done, " + whom, end, "at most 1");
      }
    }
    table.atMost("not done", muster.most(outcome -> 20 - outcome.ends().size()), 0);
  }

  private static double completion(EdlOutcome outcome) {
    return EdlOutcome.mean(outcome.ends());
  }

  private static void finishingRow(Table table, double serial, String name, EdlFigures figures) {
    table.row(
        number(100 * serial),
        name,
        figures.shown(0, Cases::completion),
        figures.shown(0, EdlOutcome::lastEnd),
        figures.shown(1, Cases::gangWait),
        figures.shown(0, EdlOutcome::moved),
        figures.shown(1, outcome -> 20 - outcome.ends().size()));
  }
}
