package io.muster.demo;

import ch.qos.logback.classic.LoggerContext;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.e2e.GangWatch;
import io.muster.e2e.GangWatch.GangName;
import io.muster.sandbox.Layout;
import io.muster.sandbox.MissingToolException;
import io.muster.sandbox.Program;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/**
 * The program behind {@code deploy/demo}: starts a sandbox, plays the acts on it, looks back over
 * all of it, and stops everything unless told to keep it. Exit codes: 0 all of it was so, 1
 * something was not, 2 a tool is missing.
 */
final class Demo {

  private static final int NOT_SO = 1;
  private static final int TOOL_MISSING = 2;

  /** From the first member seen bound to the last that is needed. */
  private static final Duration BURST_LIMIT = Duration.ofSeconds(2);

  private static final Map<GangName, Integer> MINIMUMS =
      Map.of(
          Stage.TORCH_MNIST, 4,
          StartsWithTheMinimum.GANG, 2,
          OneAfterTheOther.A, 4,
          OneAfterTheOther.B, 4);

  private final InstantSource clock = InstantSource.system();
  private final Layout layout = Layout.current();
  private final StateDirectory state =
      new StateDirectory(layout.deploy().resolve("target").resolve("demo"));
  private final boolean keep;

  /** Set when the JVM was told to end; what fails from then on is no news. */
  private volatile boolean ending;

  private Demo(boolean keep) {
    this.keep = keep;
  }

  /** The property {@code muster.demo.since} says when the script began, in epoch milliseconds. */
  public static void main(String[] arguments) {
    var demo = new Demo(List.of(arguments).contains("--keep"));
    Runtime.getRuntime().addShutdownHook(new Thread(demo::fallSilent, "demo-end"));
    int code;
    try {
      code = demo.run();
    } catch (MissingToolException missing) {
      demo.say("demo: " + missing.getMessage());
      code = TOOL_MISSING;
    } catch (SandboxException | KubernetesClientException e) {
      demo.say("demo: " + e.getMessage());
      code = NOT_SO;
    }
    System.exit(code);
  }

  private void fallSilent() {
    ending = true;
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logging) {
      logging.stop();
    }
  }

  private void say(String failure) {
    if (!ending) {
      System.out.println(failure);
    }
  }

  private int run() {
    var since =
        Optional.ofNullable(Long.getLong("muster.demo.since"))
            .map(Instant::ofEpochMilli)
            .orElseGet(clock::instant);
    System.out.println("Starting a control plane and Muster on this machine.");
    int code;
    try (var sandbox = Sandbox.start(layout, SandboxOptions.withMuster(state))) {
      System.out.println("They are up after " + passed(since) + ".");
      code = play(sandbox);
      if (keep) {
        sandbox.detach();
      }
    }
    System.out.println();
    System.out.println("The whole took " + passed(since) + ".");
    explainEnd();
    return code;
  }

  private int play(Sandbox sandbox) {
    try (var watch = new GangWatch(sandbox.client(), clock)) {
      var stage =
          new Stage(
              sandbox,
              new Kubectl(sandbox.programs().path(Program.KUBECTL), state.kubeconfig()),
              new Pods(sandbox.client()),
              watch,
              new Checks());
      for (var act :
          List.of(
              new WaitsWhole(),
              new StartsWithTheMinimum(),
              new StartsTogether(),
              new OneAfterTheOther())) {
        var begin = clock.instant();
        stage.say("=== " + act.title(), act.promise());
        act.play(stage);
        stage.say("This took " + passed(begin) + ".");
      }
      lookBack(stage);
      return 0;
    } catch (UnmetException unmet) {
      say("FAILED: " + unmet.getMessage());
    } catch (SandboxException | KubernetesClientException e) {
      say("FAILED: " + e.getMessage());
    }
    return NOT_SO;
  }

  private static void lookBack(Stage stage) {
    stage.say("=== looking back", "A watch has seen every pod from the beginning.");
    var watch = stage.watch();
    var checks = stage.checks();
    checks.equal("it saw these gangs and no other", MINIMUMS.keySet(), watch.gangs());
    MINIMUMS.entrySet().stream()
        .sorted(Comparator.comparing(entry -> entry.getKey().name()))
        .forEach(entry -> {
          var gang = entry.getKey();
          int minimum = entry.getValue();
          checks.under(
              BURST_LIMIT,
              "%s: from the first binding to number %d".formatted(gang.name(), minimum),
              watch.spread(gang, minimum).orElse(Duration.ofDays(1)));
          checks.under(
              BURST_LIMIT,
              "%s: the longest time it was there in part".formatted(gang.name()),
              watch.longestInPart(gang, minimum, Instant.EPOCH));
        });
  }

  private void explainEnd() {
    if (!keep) {
      System.out.println("Everything is stopped; the logs are in " + state.logs() + ".");
      return;
    }
    System.out.println(
        """
        It runs on, as --keep says. From the top of the checkout:
          export MUSTER_SANDBOX_STATE=%s
          deploy/sandbox/sandbox kubectl get pods,gangs -A
          deploy/sandbox/sandbox down\
        """
            .formatted(state.root()));
  }

  private String passed(Instant since) {
    return "%.1f s".formatted(Duration.between(since, clock.instant()).toMillis() / 1000.0);
  }
}
