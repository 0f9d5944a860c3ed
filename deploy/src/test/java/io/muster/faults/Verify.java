package io.muster.faults;

import io.muster.e2e.GangWatch;
import io.muster.faults.KillRun.Outcome;
import io.muster.sandbox.Layout;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command behind {@code deploy/verify}. Exit codes: 0 all is well, 1 a fault, 2 wrong usage.
 */
@Command(
    name = "verify",
    description = "Tries what would take too long for every build.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "(kill | leaders | outage)")
final class Verify {

  private final InstantSource clock = InstantSource.system();

  private Verify() {}

  public static void main(String[] arguments) {
    int code =
        new CommandLine(new Verify())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setExecutionExceptionHandler((e, line, parsed) -> {
              line.getErr().println("verify: " + e.getMessage());
              return 1;
            })
            .execute(arguments);
    System.exit(code);
  }

  @Command(description = "Kills Muster or kube-scheduler in the middle of starting gangs.")
  int kill(
      @Option(
              names = "--runs",
              defaultValue = "20",
              description = "How many of each point (${DEFAULT-VALUE}).")
          int runs,
      @Option(
              names = "--point",
              description = "Only these of ${COMPLETION-CANDIDATES}; may be repeated.")
          List<KillSpot> chosen,
      @Option(
              names = "--seed",
              defaultValue = "1",
              description = "Seed of the first run of a point (${DEFAULT-VALUE}).")
          long firstSeed) {
    var spots = chosen == null ? Arrays.asList(KillSpot.values()) : chosen;
    var begun = clock.instant();
    var outcomes = new ArrayList<Outcome>();
    try (var sandbox = Sandbox.start(Layout.current(), SandboxOptions.withMuster(state()));
        var muster = ProxiedMuster.in(sandbox, clock);
        var watch = new GangWatch(sandbox.client(), clock)) {
      for (long seed = firstSeed; seed < firstSeed + runs; seed++) {
        for (var spot : spots) {
          outcomes.add(oneRun(muster, watch, spot, seed));
        }
      }
    }
    spots.forEach(spot -> summary(spot, outcomes));
    say(outcomes.size() + " runs in " + seconds(Duration.between(begun, clock.instant())));
    return outcomes.stream().allMatch(outcome -> outcome.faults().isEmpty()) ? 0 : 1;
  }

  @Command(description = "Loses the leader of two processes in the middle of starting gangs.")
  int leaders(
      @Option(
              names = "--runs",
              defaultValue = "5",
              description = "How many of each kind (${DEFAULT-VALUE}).")
          int runs,
      @Option(
              names = "--spot",
              description = "Only these of ${COMPLETION-CANDIDATES}; may be repeated.")
          List<LeaderSpot> chosen) {
    var spots = chosen == null ? Arrays.asList(LeaderSpot.values()) : chosen;
    boolean well = true;
    try (var sandbox = Sandbox.start(Layout.current(), SandboxOptions.withMuster(state()));
        var musters = TwoMusters.in(sandbox, clock, Map.of());
        var watch = new GangWatch(sandbox.client(), clock)) {
      for (int run = 1; run <= runs; run++) {
        for (var spot : spots) {
          var outcome = oneLoss(musters, watch, spot);
          well &= outcome.faults().isEmpty();
          say("run %d: %s".formatted(run, told(outcome)));
        }
      }
    }
    return well ? 0 : 1;
  }

  private LeaderRun.Outcome oneLoss(TwoMusters musters, GangWatch watch, LeaderSpot spot) {
    try {
      return LeaderRun.of(musters, watch, clock, spot);
    } catch (SandboxException e) {
      return LeaderRun.Outcome.failed(spot, e.getMessage());
    }
  }

  private static String told(LeaderRun.Outcome outcome) {
    return "%s: %d of 4 bound then; the other led after %s, whole after %s, in part for %s%s"
        .formatted(
            outcome.spot().meaning(),
            outcome.boundAtLoss(),
            seconds(outcome.taken()),
            seconds(outcome.whole()),
            seconds(outcome.inPart()),
            outcome.faults().isEmpty() ? "" : "; FAILED: " + String.join("; ", outcome.faults()));
  }

  @Command(description = "Freezes Muster, then kills it, and looks how other pods fare.")
  int outage(
      @Option(
              names = "--seconds",
              defaultValue = "60",
              description = "How long (${DEFAULT-VALUE}).")
          int seconds) {
    var time = Duration.ofSeconds(seconds);
    try (var sandbox = Sandbox.start(Layout.current(), SandboxOptions.withMuster(state()))) {
      var muster = sandbox.muster().orElseThrow();
      try (var space = TestSpace.open(sandbox, "frozen")) {
        tell("frozen", new Outage(space, muster, clock).frozenFor(time));
      }
      try (var space = TestSpace.open(sandbox, "dead")) {
        tell("dead", new Outage(space, muster, clock).deadFor(time));
      }
    }
    return 0;
  }

  private static void tell(String what, Outage.Outcome outcome) {
    say(
        "Muster %s for %s: pods that ask for CPU alone waited %s; all bound %s after its return"
            .formatted(
                what,
                seconds(outcome.away()),
                outcome.waits().stream().map(Verify::seconds).collect(Collectors.joining(", ")),
                seconds(outcome.whole())));
  }

  private Outcome oneRun(ProxiedMuster muster, GangWatch watch, KillSpot spot, long seed) {
    Instant begun = clock.instant();
    Outcome outcome;
    try {
      outcome = KillRun.of(muster, watch, clock, spot, seed);
    } catch (SandboxException e) {
      outcome = Outcome.failed(spot, seed, e.getMessage());
    }
    say(
        "%s seed %3d: %d of 4 bound at the kill, ready %s after it, all whole %s later; in part %s; run %s%s"
            .formatted(
                spot,
                seed,
                outcome.boundAtKill(),
                seconds(outcome.ready()),
                seconds(outcome.whole()),
                seconds(outcome.inPart()),
                seconds(Duration.between(begun, clock.instant())),
                outcome.faults().isEmpty()
                    ? ""
                    : "; FAILED: " + String.join("; ", outcome.faults())));
    return outcome;
  }

  private static void summary(KillSpot spot, List<Outcome> all) {
    var outcomes = all.stream().filter(outcome -> outcome.spot() == spot).toList();
    var times = outcomes.stream().map(Outcome::whole).sorted().toList();
    if (times.isEmpty()) {
      return;
    }
    say(
        "%s %-38s %3d runs, %d failed; whole after readiness: median %s, longest %s"
            .formatted(
                spot,
                spot.meaning(),
                outcomes.size(),
                outcomes.stream().filter(outcome -> !outcome.faults().isEmpty()).count(),
                seconds(times.get(times.size() / 2)),
                seconds(times.getLast())));
  }

  private static StateDirectory state() {
    return new StateDirectory(Layout.current().deploy().resolve("target/sandbox/verify"));
  }

  private static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
