package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.muster.kit.Launcher;
import io.muster.kit.Launchers;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Jobs whose launcher reaches its workers by exec. kubectl and the API server are real, so is the
 * launcher's account; what runs in a worker runs beside the launcher.
 */
@ExtendWith(SandboxExtension.class)
final class EtOperatorKubexecIT {

  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

  private static Launchers launchers;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  private static String manifest(TrainingJobs jobs) {
    return jobs.manifest("j")
        .replace("cleanPodPolicy:", "launcherAttachMode: kubexec\n  cleanPodPolicy:");
  }

  /** Row 28. */
  @Test
  void aJobWithoutKeysStartsScalesInScalesOutAndEnds(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(manifest(jobs));
    jobs.awaitPhase("j", "Running");
    var launcher = jobs.launcher("j");
    awaitHosts(launcher, "j-worker-0", "j-worker-1");
    awaitBegun(launcher, "j-worker-0", "j-worker-1");
    Await.until("steps", TrainingJobs.SOON, () -> launcher.step() > 0);
    nothingIsThereForSsh(space, jobs);
    assertThat(launcher.file("/etc/edl/hostfile")).isEqualTo("j-worker-0:1\nj-worker-1:1\n");
    assertThat(mayRunIn(space)).containsExactly("j-worker-0", "j-worker-1");
    long before = launcher.step();

    launcher.keepWorker("j-worker-1");
    jobs.scaleIn("in", "j", "{count: 1}");
    Await.until(
        "the launcher to be told",
        TrainingJobs.SOON,
        () -> launcher.file("/etc/edl/hostfile").equals("j-worker-0:1\n"));
    assertThat(mayRunIn(space)).containsExactly("j-worker-0");
    assertThat(Await.within(Duration.ofSeconds(4), () -> !jobs.podNames().contains("j-worker-1")))
        .as("a worker was deleted that its launcher still reached out to")
        .isFalse();
    launcher.letLeave("j-worker-1");
    jobs.awaitEnd("ScaleIn", "in", "ScaleSucceeded");
    jobs.awaitPhase("j", "Running");

    jobs.scaleOut("out", "j", "toAdd: {count: 2}");
    jobs.awaitEnd("ScaleOut", "out", "ScaleSucceeded");
    assertThat(mayRunIn(space)).containsExactly("j-worker-0", "j-worker-1", "j-worker-2");
    awaitHosts(launcher, "j-worker-0", "j-worker-1", "j-worker-2");
    Await.until("steps", TrainingJobs.SOON, () -> launcher.step() > before);
    assertThat(launcher.output()).contains("kubexec.sh", ": j-worker-1 ended with 1");
    assertThat(launcher.blacklist()).isEmpty();

    launcher.failWorker("j-worker-0", 0);
    jobs.awaitPhase("j", "Succeeded");
    assertThat(launcher.output()).contains(": j-worker-0 ended with 0");
  }

  /** The API server may take a while to know of a role that was just written. */
  private static void awaitBegun(Launcher launcher, String... workers) {
    for (var worker : workers) {
      Await.until(
          worker + " to begin",
          TrainingJobs.SOON,
          () -> launcher.output().contains("kit: the worker on " + worker + " has begun"));
    }
  }

  private static void nothingIsThereForSsh(TestSpace space, TrainingJobs jobs) {
    assertThat(space.client().secrets().inNamespace(space.namespace()).list().getItems()).isEmpty();
    assertThat(jobs.pods())
        .flatMap(pod -> pod.getSpec().getVolumes())
        .extracting(Volume::getSecret)
        .containsOnlyNulls();
    assertThat(jobs.pods().stream().flatMap(pod -> pod.getSpec().getContainers().stream()))
        .flatMap(Container::getCommand)
        .noneMatch(word -> word.contains("sshd"));
    assertThat(space.client().services().inNamespace(space.namespace()).list().getItems())
        .flatMap(service -> service.getSpec().getPorts())
        .extracting(ServicePort::getPort)
        .containsOnly(9009);
  }

  /** The pods in which the launcher's Role lets it run commands. */
  private static List<String> mayRunIn(TestSpace space) {
    return space
        .client()
        .rbac()
        .roles()
        .inNamespace(space.namespace())
        .withName("j-launcher")
        .get()
        .getRules()
        .stream()
        .filter(rule -> rule.getResources().contains("pods/exec"))
        .map(PolicyRule::getResourceNames)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aRoleOfTheUsersOwnIsLeftAsItIsAndBoundToNobody(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    space
        .client()
        .resource(
            new RoleBuilder()
                .withNewMetadata()
                .withName("j-launcher")
                .withNamespace(space.namespace())
                .endMetadata()
                .addNewRule()
                .withApiGroups("")
                .withResources("pods/exec")
                .withResourceNames("mine")
                .withVerbs("create")
                .endRule()
                .build())
        .create();
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(jobs.manifest("j"));
    Await.until(
        "the job to say whose the Role is",
        TrainingJobs.SOON,
        () ->
            space.client().v1().events().inNamespace(space.namespace()).list().getItems().stream()
                .anyMatch(event ->
                    event.getInvolvedObject().getName().equals("j")
                        && event
                            .getMessage()
                            .contains("Role j-launcher exists and belongs to another")));
    assertThat(mayRunIn(space)).containsExactly("mine");
    assertThat(jobs.podNames()).as("its launcher waits").doesNotContain("j-launcher");

    space.client().rbac().roles().inNamespace(space.namespace()).withName("j-launcher").delete();
    jobs.awaitPhase("j", "Running");
  }

  /** As the launcher that it tells of them does. */
  @Test
  void theScriptOfAScaleOutReachesTheWorkersThatCome(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    var script = "echo '/etc/mpi/kubexec.sh ${1%%:*} true' > /job/add.sh; ";
    jobs.create(
        manifest(jobs)
            .replace("[sh, -c, horovodrun", "[sh, -c, \"" + script + "horovodrun")
            .replace("python train.py]", "python train.py\"]"));
    jobs.awaitPhase("j", "Running");
    jobs.scaleOut("out", "j", "toAdd: {count: 1}\n  script: /job/add.sh");
    jobs.awaitEnd("ScaleOut", "out", "ScaleSucceeded");
    assertThat(mayRunIn(space)).containsExactly("j-worker-0", "j-worker-1", "j-worker-2");
  }

  /** The stream to a pod that is gone stays open and silent here, as it may in any cluster. */
  @Test
  void aWorkerThatVanishesIsNoticedWithinTenSecondsAndReplaced(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var jobs = new TrainingJobs(space, launchers);
    jobs.create(
        manifest(jobs).replace("maxReplicas: 9", "maxReplicas: 9\n      restartPolicy: Always"));
    jobs.awaitPhase("j", "Running");
    var launcher = jobs.launcher("j");
    awaitHosts(launcher, "j-worker-0", "j-worker-1");
    awaitBegun(launcher, "j-worker-1");
    // Otherwise the launcher ends it, as soon as the host list is without it.
    launcher.keepWorker("j-worker-1");
    space
        .client()
        .pods()
        .inNamespace(space.namespace())
        .withName("j-worker-1")
        .withGracePeriod(0)
        .delete();

    Await.until(
        "the end of the stream",
        TEN_SECONDS,
        () -> launcher.output().contains("kubexec.sh: j-worker-1: the pod is gone"));
    awaitHosts(launcher, "j-worker-0", "j-worker-2");
    assertThat(jobs.phase("j")).isEqualTo("Running");
  }

  private static void awaitHosts(Launcher launcher, String... hosts) {
    Await.until(
        launcher + " to use " + List.of(hosts),
        TrainingJobs.SOON,
        () -> launcher.hosts().equals(List.of(hosts)));
  }
}
