package io.muster.real;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.demo.Checks;
import io.muster.sandbox.SandboxException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A job with tasks whose pods are real ditasks: it starts whole, all hear each other, and whoever
 * is lost comes back with name and rank and is heard by those that stayed. Confined to the thread
 * that plays.
 */
final class DiTasksPlay {

  private static final String JOB = "bus";
  private static final int RANKS = 3;

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** From the deletion of a pod until its peers hear from the next of that name. */
  private static final Duration HEARD_AGAIN = Duration.ofSeconds(10);

  private final InstantSource clock = InstantSource.system();
  private final Checks checks = new Checks(LIMIT);
  private final DiScene scene;
  private final Notes notes;

  /**
   * @param notes what hear.py writes
   */
  DiTasksPlay(DiScene scene, Notes notes) {
    this.scene = scene;
    this.notes = notes;
  }

  void run(String manifest) {
    startsWholeAndAllHearEachOther(manifest);
    comesBack("bus-collector-1", 2);
    comesBack("bus-learner-0", 0);
    endsWell();
  }

  private void startsWholeAndAllHearEachOther(String manifest) {
    say("+ a learner and two collectors are asked for, and two GPUs are there");
    scene.join(2, "early");
    scene.create(manifest);
    checks.becomes("the job is Starting", "Starting", () -> scene.phase(JOB));
    checks.stays("nothing of it runs", PATIENCE, 0, () -> notes.lines("starts").size());
    checks.equal("no pod has a node", 0L, scene.bound());
    say("+ one more GPU");
    Instant since = clock.instant();
    scene.join(1, "late");
    checks.becomes(
        "each hears both others", RANKS * (RANKS - 1), () -> notes.lines("heard").size());
    System.out.printf("    after %.1f s%n", seconds(since, clock.instant()));
    checks.becomes("the job is Running", "Running", () -> scene.phase(JOB));
  }

  private void comesBack(String name, int rank) {
    say("+ kubectl delete pod " + name);
    var lost = scene.pod(name).orElseThrow(() -> new SandboxException(name + " is not there."));
    var births = births(rank);
    Instant since = clock.instant();
    scene.kubectl("delete", "pod", name, "--wait=false");
    checks.becomes("another of that name runs", true, () -> runsAnother(lost));
    var running = clock.instant();
    checks.equal(
        "with the same DI_RANK and DI_NODES",
        List.of(Integer.toString(rank), DiScene.variable(lost, "DI_NODES")),
        List.of(variable(name, "DI_RANK"), variable(name, "DI_NODES")));
    checks.becomes("a process of that rank starts", births.size() + 1, () -> births(rank).size());
    var started = clock.instant();
    var birth = births(rank).getLast();
    var others = IntStream.range(0, RANKS).filter(other -> other != rank).boxed().toList();
    checks.becomes("the others hear it", others, () -> hearing(rank, birth));
    var heard = clock.instant();
    System.out.printf(
        "    since the deletion: the pod runs after %.1f s, DI-engine after %.1f s, heard after"
            + " %.1f s%n",
        seconds(since, running), seconds(since, started), seconds(since, heard));
    checks.under(HEARD_AGAIN, "heard soon after the deletion", Duration.between(since, heard));
    checks.becomes("it hears them", others, () -> heardBy(rank, birth));
    checks.becomes("the job is Running", "Running", () -> scene.phase(JOB));
  }

  private void endsWell() {
    say("+ all are told to stop");
    notes.stop();
    checks.becomes("the job has succeeded", "Succeeded", () -> scene.phase(JOB));
    checks.equal("no other process was ever started", RANKS + 2, notes.lines("starts").size());
    scene.kubectl("delete", "dijob", JOB, "--wait=false");
    checks.becomes("deleted, it leaves no pod", 0, () -> scene.pods().size());
    scene.removeNodes();
  }

  private boolean runsAnother(Pod lost) {
    return scene
        .pod(lost.getMetadata().getName())
        .filter(DiScene::isRunning)
        .filter(pod -> !pod.getMetadata().getUid().equals(lost.getMetadata().getUid()))
        .isPresent();
  }

  private String variable(String pod, String name) {
    return scene.pod(pod).map(found -> DiScene.variable(found, name)).orElse("");
  }

  /** One word for each process of that rank, in their order. */
  private List<String> births(int rank) {
    return words("starts").stream()
        .filter(line -> line.getFirst().equals(Integer.toString(rank)))
        .map(line -> line.get(1))
        .toList();
  }

  /** The ranks that hear that process. */
  private List<Integer> hearing(int rank, String birth) {
    return words("heard").stream()
        .filter(line -> line.subList(2, 4).equals(List.of(Integer.toString(rank), birth)))
        .map(line -> Integer.valueOf(line.getFirst()))
        .sorted()
        .toList();
  }

  /** The ranks that it hears. */
  private List<Integer> heardBy(int rank, String birth) {
    return words("heard").stream()
        .filter(line -> line.subList(0, 2).equals(List.of(Integer.toString(rank), birth)))
        .map(line -> Integer.valueOf(line.get(2)))
        .sorted()
        .toList();
  }

  private List<List<String>> words(String file) {
    return notes.lines(file).stream().map(line -> List.of(line.split(" ", -1))).toList();
  }

  private static double seconds(Instant from, Instant to) {
    return Duration.between(from, to).toMillis() / 1000.0;
  }

  private static void say(String line) {
    System.out.println();
    System.out.println(line);
  }
}
