package io.muster.real;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.demo.Checks;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * DLRover's own master drives the jobs of its tutorial: what it makes, what it is refused, whom it
 * makes anew, and when it gives up. Confined to the thread that plays.
 */
final class DlroverPlay {

  private static final String GANG_JOB = "torch-mnist-gang";
  private static final String SUSPENDED_JOB = "torch-mnist";
  private static final int ASKED = 4;

  private static final Duration LIMIT = Duration.ofSeconds(150);
  private static final Duration CALM = Duration.ofSeconds(5);
  private static final Duration SUSPENSION = Duration.ofSeconds(20);

  /** The master looks every 30 s whether a worker has waited for more than 30 s. */
  private static final Duration LONGER_THAN_ITS_PATIENCE = Duration.ofSeconds(90);

  /** As the client of the master prints it; a bare number would be found in times. */
  private static final Pattern REFUSAL = Pattern.compile("\\(403\\)|[Ff]orbidden");

  private final InstantSource clock = InstantSource.system();
  private final Checks checks = new Checks(LIMIT);
  private final Sandbox sandbox;
  private final Path code;
  private final Path programs;

  /**
   * @param code the folder deploy/real-clients/dlrover
   * @param programs the folder in which {@code python} is the one that knows DLRover
   */
  DlroverPlay(Sandbox sandbox, Path code, Path programs) {
    this.sandbox = sandbox;
    this.code = code;
    this.programs = programs;
  }

  void run() {
    aGangStartsWholeAndALostWorkerComesBack();
    aMinimumIsEnough();
    aSuspendedJobHasNoWorkers();
    withoutMustersArgumentTheMasterGivesUp();
    withItTheMasterWaits();
  }

  private void aGangStartsWholeAndALostWorkerComesBack() {
    say("+ four workers are asked for as a gang, and two GPUs are there");
    try (var scene = DlroverScene.open(sandbox, "whole", GANG_JOB)) {
      scene.space().nodes(2, NodeShape.GPU1);
      scene.create(example(GANG_JOB));
      try (var master = startMaster(scene, command(scene))) {
        awaitRejection(scene);
        say("+ two more GPUs");
        scene.space().nodes(2, NodeShape.GPU1);
        timed("all four run", (long) ASKED, scene::running);
        aLostWorkerComesBack(scene);
        checks.that(
            "the master was refused nothing",
            !REFUSAL.matcher(master.output()).find(),
            "no refusal in its output",
            "one");
      }
      itsAccountMayDoNothingElse(scene);
    }
  }

  private void awaitRejection(DlroverScene scene) {
    timed("the master makes four workers", ASKED, () -> scene.workers().size());
    checks.becomes("each says why it waits", (long) ASKED, () -> scene.saying("gets rejected"));
    checks.stays("none of them has a node", CALM, 0L, scene::bound);
  }

  private void aLostWorkerComesBack(DlroverScene scene) {
    var lost =
        scene.workers().stream()
            .filter(pod -> DlroverScene.label(pod, "rank-index").equals("1"))
            .map(pod -> pod.getMetadata().getName())
            .findFirst()
            .orElseThrow();
    say("+ kubectl delete pod " + lost);
    scene.deletePod(lost);
    timed(
        "the master makes it anew with rank 1 and another id, and it runs",
        List.of("relaunched once as id 4"),
        () ->
            scene.workers().stream()
                .filter(DlroverScene::isRunning)
                .filter(pod -> DlroverScene.label(pod, "rank-index").equals("1"))
                .map(DlroverPlay::relaunch)
                .toList());
    checks.equal("all four run again", (long) ASKED, scene.running());
  }

  private static String relaunch(Pod pod) {
    var times = DlroverScene.label(pod, "relaunch-count");
    return "relaunched %s as id %s"
        .formatted(
            times.equals("1") ? "once" : times + " times",
            DlroverScene.label(pod, "replica-index"));
  }

  private void itsAccountMayDoNothingElse(DlroverScene scene) {
    say("+ with the token of its account");
    try (var client = scene.masterClient()) {
      checks.that(
          "pods may be listed",
          !client.pods().inNamespace(scene.namespace()).list().getItems().isEmpty(),
          "pods",
          "none");
      refuses(
          "secrets are not shown", () -> client.secrets().inNamespace(scene.namespace()).list());
      refuses(
          "pods of other namespaces are not shown",
          () -> client.pods().inNamespace("default").list());
      refuses("nodes are not shown", () -> client.nodes().list());
    }
  }

  private void refuses(String claim, Runnable call) {
    int code = HttpURLConnection.HTTP_OK;
    try {
      call.run();
    } catch (KubernetesClientException e) {
      code = e.getCode();
    }
    checks.equal(claim, HttpURLConnection.HTTP_FORBIDDEN, code);
  }

  private void aMinimumIsEnough() {
    say("+ two of four are enough for the gang, and two GPUs are there");
    try (var scene = DlroverScene.open(sandbox, "minimum", GANG_JOB)) {
      scene.space().nodes(2, NodeShape.GPU1);
      scene.create(example(GANG_JOB).replace("min-available: 4", "min-available: 2"));
      try (var _ = startMaster(scene, command(scene))) {
        timed("the master makes four workers", ASKED, () -> scene.workers().size());
        checks.becomes("two run", 2L, scene::running);
        checks.stays("the others wait", CALM, 2L, scene::bound);
      }
    }
  }

  private void aSuspendedJobHasNoWorkers() {
    say("+ a job that is suspended, and room for all");
    try (var scene = DlroverScene.open(sandbox, "suspended", SUSPENDED_JOB)) {
      scene.space().nodes(1, NodeShape.CPU);
      scene.create(example("torch-mnist-suspend"));
      try (var master = startMaster(scene, command(scene))) {
        checks.becomes(
            "the master waits for it",
            true,
            () -> master.output().contains("Waiting for elasticJob which is suspended"));
        checks.equal("its phase is Suspended", "Suspended", scene.phase());
        checks.stays("there is no worker", SUSPENSION, 0, () -> scene.workers().size());
        say("+ kubectl patch: spec.suspend false");
        scene.suspend(false);
        timed("all four run", (long) ASKED, scene::running);
        checks.becomes("its phase is Running", "Running", scene::phase);
      }
    }
  }

  private void withoutMustersArgumentTheMasterGivesUp() {
    say(
        "+ a gang waits, and the master, 30 s for 15 minutes, is not told --pending_fail_strategy 0");
    try (var scene = DlroverScene.open(sandbox, "impatient", GANG_JOB)) {
      scene.space().nodes(2, NodeShape.GPU1);
      scene.create(example(GANG_JOB));
      var told = impatient(command(scene));
      int at = told.indexOf("--pending_fail_strategy");
      var untold = new ArrayList<>(told.subList(0, at));
      untold.addAll(told.subList(at + 2, told.size()));
      try (var master = startMaster(scene, untold)) {
        timed("the master makes four workers", ASKED, () -> scene.workers().size());
        timed("it gives up, with exit code 1", OptionalInt.of(1), master::exitCode);
        checks.that(
            "for the reason that workers wait",
            master.output().contains("exceeded pending timeout"),
            "\"exceeded pending timeout\" in its output",
            "nothing of it");
      }
      scene.masterEnded(1);
      checks.becomes("the job has failed", "Failed", scene::phase);
    }
  }

  private void withItTheMasterWaits() {
    say("+ the same with --pending_fail_strategy 0, as Muster has it");
    try (var scene = DlroverScene.open(sandbox, "patient", GANG_JOB)) {
      scene.space().nodes(2, NodeShape.GPU1);
      scene.create(example(GANG_JOB));
      try (var master = startMaster(scene, impatient(command(scene)))) {
        awaitRejection(scene);
        checks.stays("it goes on", LONGER_THAN_ITS_PATIENCE, OptionalInt.empty(), master::exitCode);
        checks.equal("the job is Running", "Running", scene.phase());
        say("+ two more GPUs");
        scene.space().nodes(2, NodeShape.GPU1);
        timed("all four run", (long) ASKED, scene::running);
      }
    }
  }

  /** What stands in the pod that Muster has made, once it runs. */
  private List<String> command(DlroverScene scene) {
    checks.becomes(
        "Muster makes the master's pod, and it runs",
        1L,
        () -> scene.masters().stream().filter(DlroverScene::isRunning).count());
    return scene.masters().getFirst().getSpec().getContainers().getFirst().getCommand();
  }

  private RealMaster startMaster(DlroverScene scene, List<String> command) {
    System.out.println("    " + String.join(" ", command));
    return RealMaster.start(sandbox, scene.namespace(), programs, command);
  }

  private List<String> impatient(List<String> command) {
    var changed = new ArrayList<>(command);
    int at = changed.indexOf("-m");
    changed.remove(at);
    changed.set(at, code.resolve("impatient.py").toString());
    return changed;
  }

  private String example(String file) {
    var path = sandbox.layout().deploy().resolveSibling("examples/dlrover/" + file + ".yaml");
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new SandboxException(path + " cannot be read.", e);
    }
  }

  private <T> void timed(String claim, T expected, Supplier<T> observation) {
    Instant since = clock.instant();
    checks.becomes(claim, expected, observation);
    System.out.printf(
        "    after %.1f s%n", Duration.between(since, clock.instant()).toMillis() / 1000.0);
  }

  private static void say(String line) {
    System.out.println();
    System.out.println(line);
  }
}
