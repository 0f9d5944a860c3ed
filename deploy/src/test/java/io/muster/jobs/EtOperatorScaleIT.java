package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.muster.kit.Launcher;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What must never happen while et-operator's jobs scale; script C of acceptance.md. */
@ExtendWith(SandboxExtension.class)
final class EtOperatorScaleIT {

  private static final int ROUNDS = 10;

  /**
   * Runs beside the training and reads the list of workers all the time: notes each time that it is
   * not there, shorter than two lines, or holds anything but whole lines.
   */
  private static final String READER =
      """
      reads=0
      while :; do
        count=0
        while IFS= read -r line; do
          case $line in
            j-worker-[0-9]:1|j-worker-[0-9][0-9]:1) count=$((count + 1)) ;;
            *) echo "a strange line: $line" >> /job/odd ;;
          esac
        done < /etc/edl/hostfile
        [ -z "$line" ] || echo "the last line is cut: $line" >> /job/odd
        [ "$count" -ge 2 ] || echo "$count lines" >> /job/odd
        reads=$((reads + 1))
        [ $((reads % 500)) -ne 0 ] || { echo "$reads" > /job/reads.new; mv /job/reads.new /job/reads; }
      done &
      """;

  private static Launchers launchers;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  @Test
  void aWorkerLeavesWhileAnotherWhoseNameBeginsWithItsNameWorks(TestSpace space) {
    space.nodes(2, NodeShape.GPU8);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        jobs.manifest("j")
            .replace("replicas: 2", "replicas: 11")
            .replace("maxReplicas: 9", "maxReplicas: 11")
            .replace("--max-np 9", "--max-np 11"));
    jobs.awaitPhase("j", "Running");
    var launcher = jobs.launcher("j");
    Await.until("all at work", TrainingJobs.SOON, () -> launcher.hosts().size() == 11);
    jobs.scaleIn("in", "j", "{podNames: [j-worker-1]}");
    jobs.awaitEnd("ScaleIn", "in", "ScaleSucceeded");
    assertThat(jobs.podNames()).hasSize(11).contains("j-worker-10").doesNotContain("j-worker-1");
    assertThat(launcher.hosts()).hasSize(10).contains("j-worker-10");
    assertThat(launcher.blacklist()).isEmpty();
  }

  @Test
  void torchrunsThatAScaleOutAddsAreToldToMeetWhereTheOthersDo(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    var worker = "maxReplicas: 9\n      template:\n";
    assertThat(jobs.manifest("j")).contains(worker);
    jobs.create(
        jobs.manifest("j")
            .replace(
                worker,
                worker
                    + "        metadata:\n"
                    + "          annotations: {muster.io/rendezvous-profile: torchrun-elastic}\n"));
    jobs.awaitPhase("j", "Running");
    jobs.scaleOut("out", "j", "toAdd: {count: 1}");
    jobs.awaitEnd("ScaleOut", "out", "ScaleSucceeded");
    var told =
        jobs.pods().stream()
            .filter(pod -> pod.getMetadata().getName().startsWith("j-worker-"))
            .map(pod ->
                pod.getSpec().getContainers().getFirst().getEnv().stream()
                    .filter(variable -> variable.getName().startsWith("PET_"))
                    .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue)))
            .toList();
    assertThat(told).hasSize(3);
    assertThat(told.stream().distinct().toList())
        .containsExactly(
            Map.of(
                "PET_NNODES", "1:9",
                "PET_NPROC_PER_NODE", "1",
                "PET_RDZV_BACKEND", "c10d",
                "PET_RDZV_ENDPOINT", "j-worker-0:29400",
                "PET_RDZV_ID", jobs.job("j").orElseThrow().getMetadata().getUid()));
  }

  @Test
  void whoeverReadsTheListOfWorkersNeverSeesItEmptyOrCut(TestSpace space) {
    readsWhileItChanges(space, ROUNDS);
  }

  @Test
  @Tag("long")
  void norOverAHundredScaleOperations(TestSpace space) {
    readsWhileItChanges(space, 5 * ROUNDS);
  }

  private static void readsWhileItChanges(TestSpace space, int rounds) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(withReader(jobs.manifest("j")));
    jobs.awaitPhase("j", "Running");
    var launcher = jobs.launcher("j");
    Await.until("the first reads", TrainingJobs.SOON, () -> reads(launcher) > 0);
    long before = reads(launcher);
    for (int i = 0; i < rounds; i++) {
      jobs.scaleOut("out-" + i, "j", "toAdd: {count: 1}");
      jobs.awaitEnd("ScaleOut", "out-" + i, "ScaleSucceeded");
      jobs.scaleIn("in-" + i, "j", "{count: 1}");
      jobs.awaitEnd("ScaleIn", "in-" + i, "ScaleSucceeded");
    }
    assertThat(reads(launcher)).isGreaterThan(before + 20L * rounds);
    assertThat(launcher.file("/job/odd")).isEmpty();
  }

  /** Mounted over what the machine lends the launcher, so that whoever calls them fails. */
  @Test
  void aLauncherNeedsNeitherBashNorPsNorGrep(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    var hide =
        "for name in bash ps grep; do for file in /bin/$name /usr/bin/$name; do"
            + " [ ! -e $file ] || mount --bind /dev/null $file || exit 9; done; done;"
            + " { bash -c : || ps || grep -V; } && exit 8; ";
    jobs.create(
        jobs.manifest("j")
            .replace("[sh, -c, horovodrun", "[sh, -c, \"" + hide + " horovodrun")
            .replace("python train.py]", "python train.py\"]"));
    jobs.awaitPhase("j", "Running");
    var launcher = jobs.launcher("j");
    Await.until("both at work", TrainingJobs.SOON, () -> launcher.hosts().size() == 2);
    jobs.scaleIn("in", "j", "{count: 1}");
    jobs.awaitEnd("ScaleIn", "in", "ScaleSucceeded");
    jobs.scaleOut("out", "j", "toAdd: {count: 1}");
    jobs.awaitEnd("ScaleOut", "out", "ScaleSucceeded");
    Await.until("both at work", TrainingJobs.SOON, () -> launcher.hosts().size() == 2);
    assertThat(launcher.isRunning()).isTrue();
    assertThat(launcher.blacklist()).isEmpty();
  }

  private static String withReader(String manifest) {
    var reader = READER.strip().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    return manifest
        .replace("[sh, -c, horovodrun", "[sh, -c, \"" + reader + " horovodrun")
        .replace("python train.py]", "python train.py\"]");
  }

  private static long reads(Launcher launcher) {
    var text = launcher.file("/job/reads").strip();
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }
}
