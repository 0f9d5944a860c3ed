package io.muster.bench;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.sandbox.MissingToolException;
import io.muster.sandbox.SandboxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command behind {@code deploy/bench}. The last line is JSON. Exit codes: 0 what was asked for
 * holds, or was not measured; 1 it does not, or nothing could be measured; 2 wrong usage or a tool
 * that is missing.
 */
@Command(
    name = "bench",
    description = "Measures kube-scheduler, the least extender and Muster side by side.",
    mixinStandardHelpOptions = true)
final class Bench implements Runnable {

  private static final int NOT_SO = 1;
  private static final int TOOL_MISSING = 2;

  /** What can be measured here. */
  enum Name {
    FIT500,
    FIT5000,
    CONTEND,
    ONE512,
    VERDICT,
    FILTER,
    IDLE,
    SIZES,
    ADMISSION,
    JOBS,
    PREEMPT,
    REPLAY,
    HYBRID,
    OVERLOAD,
    KILLS,
    DI_POLL {
      @Override
      public String toString() {
        return "di-poll";
      }
    }
  }

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NAME", description = "One of ${COMPLETION-CANDIDATES}.")
  private Name name;

  @Option(
      names = "--pairs",
      defaultValue = "5",
      description = "How often each side has its turn (${DEFAULT-VALUE}); contend: how many seeds.")
  private int pairs;

  @Option(
      names = "--sides",
      split = ",",
      description = "Of ${COMPLETION-CANDIDATES} (bare,probe,muster; contend: bare,native,muster).")
  private List<Side> sides = new ArrayList<>();

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Of the first pair; each further pair has the next (${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--warm-ups",
      defaultValue = "1",
      description = "Rounds of each turn that do not count (${DEFAULT-VALUE}).")
  private int warmUps;

  @Option(
      names = "--rate",
      defaultValue = "500",
      description = "admission: pods offered a second (${DEFAULT-VALUE}).")
  private int rate;

  @Option(
      names = "--seconds",
      defaultValue = "10",
      description = "admission: for how long they are offered (${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--scale",
      defaultValue = "1",
      description = "hybrid: how much of the experiment, above 0 and at most 1 (${DEFAULT-VALUE}).")
  private double scale;

  @Option(
      names = "--whole-nodes",
      description = "contend: members have 8 GPUs each, and gangs so many fewer of them.")
  private boolean isOfWholeNodes;

  @Mixin private Overload.Sizes overloadSizes;

  @Mixin private Kills.Sizes killSizes;

  @Mixin private Sizes.Asked sizes;

  @Option(names = "--profile", description = "Also say where the time goes.")
  private boolean profile;

  private Verdict verdict;

  Bench() {}

  public static void main(String[] arguments) {
    var bench = new Bench();
    int code =
        new CommandLine(bench)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setExecutionExceptionHandler((e, line, _) -> explain(e, line))
            .execute(arguments);
    if (code == 0 && bench.verdict != null) {
      System.out.println(bench.verdict.line());
      code = bench.verdict.holds().orElse(true) ? 0 : NOT_SO;
    }
    System.exit(code);
  }

  @Override
  public void run() {
    var plan = new Pairs.Plan(sides(), pairs, warmUps, seed);
    verdict =
        switch (name) {
          case FIT500 -> Fit.onFiveHundred().measure(plan, profile);
          case FIT5000 -> Fit.onFiveThousand().measure(plan, profile);
          case CONTEND -> new Contention(isOfWholeNodes).measure(plan);
          case ONE512 -> new OneGang().measure(plan, profile);
          case VERDICT -> new WhyNot().measure(plan);
          case FILTER -> new FilterTime().measure();
          case IDLE -> new Idle().measure(plan);
          case SIZES -> new Sizes(sizes).measure();
          case ADMISSION -> new Admissions(rate, Duration.ofSeconds(seconds)).measure(plan);
          case REPLAY -> new Replaying().measure(seed);
          case PREEMPT -> new Preempting().measure(plan);
          case JOBS -> new JobCrowd().measure();
          case HYBRID -> hybrid().measure();
          case OVERLOAD -> new Overload(overloadSizes).measure(plan);
          case KILLS ->
              new Kills(killSizes)
                  .measure(
                      seed, sides.stream().filter(Side::isMuster).findFirst().orElse(Side.MUSTER));
          case DI_POLL -> new DiPoll().measure();
        };
  }

  /** Those asked for, or else those that the work is usually given to. */
  List<Side> sides() {
    return sides.isEmpty() ? usualSides() : List.copyOf(sides);
  }

  private List<Side> usualSides() {
    return List.of(Side.BARE, name == Name.CONTEND ? Side.NATIVE : Side.PROBE, Side.MUSTER);
  }

  private Hybrid hybrid() {
    if (!(scale > 0 && scale <= 1)) {
      throw new ParameterException(
          spec.commandLine(), "--scale must be above 0 and at most 1, not " + scale);
    }
    return new Hybrid(scale);
  }

  private static int explain(Exception e, CommandLine line) {
    switch (e) {
      case MissingToolException missing -> {
        line.getErr().println("bench: " + missing.getMessage());
        return TOOL_MISSING;
      }
      case SandboxException known -> line.getErr().println("bench: " + known.getMessage());
      case KubernetesClientException refused ->
          line.getErr().println("bench: " + refused.getMessage());
      default -> e.printStackTrace(line.getErr());
    }
    return NOT_SO;
  }
}
