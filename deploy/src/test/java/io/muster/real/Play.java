package io.muster.real;

import io.muster.demo.Checks;
import io.muster.sandbox.NodeRequest;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * One training job with a real launcher, from waiting for room to its end: it starts whole, gives
 * up a worker, gets two more, loses one, and its step counter never goes back. Confined to the
 * thread that plays.
 */
final class Play {

  static final String NAMESPACE = "real";

  private static final Duration LIMIT = Duration.ofSeconds(150);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final int STEPS_AFTER_CHANGE = 10;

  /** Workers at the start, after a ScaleIn and after a ScaleOut; as many GPUs as there may be. */
  private static final int ASKED = 3;

  private static final int FEW = 2;
  private static final int MANY = 4;

  private final InstantSource clock = InstantSource.system();
  private final Checks checks = new Checks(LIMIT);
  private final Sandbox sandbox;
  private final String job;
  private final Training training;
  private int changes;

  Play(Sandbox sandbox, String job, Training training) {
    this.sandbox = sandbox;
    this.job = job;
    this.training = training;
  }

  /**
   * @param rounds how often it gives up workers, gets others and loses one
   */
  void run(String manifest, int rounds) {
    sandbox.kubectl("create", "namespace", NAMESPACE);
    say("+ %d workers are asked for, and two GPUs are there".formatted(ASKED));
    join(2, "early");
    create(manifest);
    checks.becomes("its gang waits", "Waiting", this::gangPhase);
    checks.stays("nothing of it runs", PATIENCE, 0L, training::starts);
    checks.equal("no worker has a node", "", workersOnNodes());
    change("+ two more GPUs", ASKED, () -> join(2, "late"));

    int workers = ASKED;
    for (int round = 1; round <= rounds; round++) {
      int less = workers - FEW;
      int name = round;
      change(
          "+ kubectl create: ScaleIn, %d less".formatted(less),
          FEW,
          () -> scale("ScaleIn", "toDelete", less, name));
      change(
          "+ kubectl create: ScaleOut, %d more".formatted(MANY - FEW),
          MANY,
          () -> scale("ScaleOut", "toAdd", MANY - FEW, name));
      change("+ kubectl delete pod: a worker is lost without notice", MANY, this::loseOne);
      workers = MANY;
    }

    say("+ the training is told to stop");
    training.stop();
    checks.becomes("the job has succeeded", "Succeeded", () -> phase("trainingjob", job));
    lookBack();
  }

  /** What is done makes so many train together, and go on from where they were. */
  private void change(String what, int world, Runnable act) {
    say(what);
    changes++;
    int before = training.worlds().size();
    Instant since = clock.instant();
    act.run();
    checks.becomes(
        "%d processes train together".formatted(world),
        world,
        () -> {
          var worlds = training.worlds();
          var latest = worlds.subList(Math.max(before, worlds.size() - world), worlds.size());
          return latest.size() == world && latest.stream().allMatch(size -> size == world)
              ? world
              : 0;
        });
    var begun = Duration.between(since, clock.instant());
    long at = training.steps().size();
    checks.becomes(
        "they get on: %d steps more".formatted(STEPS_AFTER_CHANGE),
        Optional.of(world),
        () -> {
          var steps = training.steps();
          return steps.size() < at + STEPS_AFTER_CHANGE
              ? Optional.<Integer>empty()
              : Optional.of(steps.getLast().world());
        });
    System.out.printf(
        "    %.1f s until they train together, now at step %d%n",
        begun.toMillis() / 1000.0, training.steps().getLast().number());
  }

  private void lookBack() {
    say("+ looking back");
    var steps = training.steps();
    long repeated = 0;
    for (int i = 1; i < steps.size(); i++) {
      if (steps.get(i).number() <= steps.get(i - 1).number()) {
        repeated++;
      }
    }
    checks.equal(
        "the step counter never went back, over %d steps".formatted(steps.size()), 0L, repeated);
    long lost = steps.getLast().number() - steps.size();
    checks.that(
        "at most a step at each change has left no line: %d".formatted(lost),
        lost <= changes,
        "at most %d steps without a line".formatted(changes),
        lost);
    double first = steps.getFirst().loss();
    double last = steps.getLast().loss();
    checks.that(
        "it has learnt: the loss went from %.3f to %.6f".formatted(first, last),
        last < first / 100,
        "a loss below %.6f".formatted(first / 100),
        last);
  }

  private void join(int count, String prefix) {
    sandbox.nodes().add(NodeRequest.of(prefix, count, NodeShape.GPU1));
  }

  private void scale(String kind, String field, int count, int round) {
    var resource = kind.toLowerCase(Locale.ROOT);
    var name = resource + "-" + round;
    create(
        """
        apiVersion: kai.alibabacloud.com/v1alpha1
        kind: %s
        metadata: {name: %s, namespace: %s}
        spec:
          selector: {name: %s}
          timeout: 120
          %s: {count: %d}
        """
            .formatted(kind, name, NAMESPACE, job, field, count));
    checks.becomes(
        "the %s has succeeded".formatted(kind), "ScaleSucceeded", () -> phase(resource, name));
  }

  /** Never the first, which torchrun meets at. */
  private void loseOne() {
    var before = workers();
    var lost = before.getLast();
    kubectl("delete", lost, "--force", "--grace-period=0");
    checks.becomes(
        "instead of %s another worker is made".formatted(lost),
        before.size(),
        () -> (int) workers().stream().filter(name -> !name.equals(lost)).count());
  }

  /** Their names, in the order in which they were made. */
  private List<String> workers() {
    return kubectl(
            "get",
            "pods",
            "-l",
            "training-job-role=worker",
            "--sort-by=.metadata.creationTimestamp",
            "-o",
            "name")
        .lines()
        .toList();
  }

  private String workersOnNodes() {
    return kubectl(
        "get",
        "pods",
        "-l",
        "training-job-role=worker",
        "-o",
        "jsonpath={.items[*].spec.nodeName}");
  }

  private String gangPhase() {
    return phase("gang", job);
  }

  private String phase(String kind, String name) {
    try {
      return kubectl("get", kind, name, "-o", "jsonpath={.status.phase}");
    } catch (SandboxException e) {
      // Not there yet.
      return "";
    }
  }

  private String kubectl(String... words) {
    var line = new ArrayList<>(List.of(words));
    line.addAll(List.of("-n", NAMESPACE));
    return sandbox.kubectl(line.toArray(String[]::new)).strip();
  }

  private void create(String manifest) {
    Path file = sandbox.state().file("manifest.yaml");
    try {
      Files.writeString(file, manifest);
    } catch (IOException e) {
      throw new SandboxException(file + " cannot be written.", e);
    }
    sandbox.kubectl("create", "-f", file.toString());
  }

  private static void say(String line) {
    System.out.println();
    System.out.println(line);
  }
}
