package io.muster.simulator.edl;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Replays the published experiment of EDL, and Muster in its place. */
@Command(
    name = "edl",
    mixinStandardHelpOptions = true,
    description = {
      "Replays the published experiment of elastic training in virtual time, and Muster in its"
          + " place: its planner and its policy on the same nodes, jobs and online service.",
      "Prints a table and a line of JSON for each case. What they mean is in"
          + " deploy/docs/elasticity.md."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:all that must hold does",
      "1:something does not: the replay is not true, or a bar is missed",
      "2:wrong use"
    })
public final class SimulateEdlCommand implements Callable<Integer> {

  private static final int MOST_SEEDS = 1_000;
  private static final List<String> CASES =
      List.of("fidelity", "1", "2", "mixes", "gpus", "finishing");

  @Spec private CommandSpec spec;

  @Option(
      names = "--case",
      description =
          "1, 2, mixes, gpus, finishing or fidelity; may be given several times."
              + " Default: all. Fidelity is always looked at first.")
  private List<String> cases = CASES;

  @Option(names = "--seeds", description = "How many, from 1 to 1000. Default: 20.")
  private int seeds = 20;

  @Override
  public Integer call() {
    if (seeds < 1 || seeds > MOST_SEEDS) {
      throw new ParameterException(
          spec.commandLine(), "--seeds must be from 1 to %d, not %d".formatted(MOST_SEEDS, seeds));
    }
    for (var name : cases) {
      if (!CASES.contains(name)) {
        throw new ParameterException(
            spec.commandLine(),
            "--case must be 1, 2, mixes, gpus, finishing or fidelity, not \"%s\"".formatted(name));
      }
    }
    var tables = new ArrayList<Table>();
    tables.add(shown(Cases.fidelity()));
    for (var name : cases) {
      if (!name.equals("fidelity")) {
        tables.add(shown(table(name)));
      }
    }
    return tables.stream().allMatch(Table::holds)
        ? CommandLine.ExitCode.OK
        : CommandLine.ExitCode.SOFTWARE;
  }

  private Table table(String name) {
    return switch (name) {
      case "1" -> Cases.caseOne(seeds);
      case "2" -> Cases.caseTwo(seeds);
      case "mixes" -> Cases.mixes(seeds);
      case "gpus" -> Cases.gpus(seeds);
      case "finishing" -> Cases.finishing(seeds);
      default -> throw new IllegalArgumentException(name);
    };
  }

  private Table shown(Table table) {
    var out = spec.commandLine().getOut();
    out.println(table.text());
    out.println(table.json());
    out.println();
    out.flush();
    return table;
  }
}
