package io.muster.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.muster.sandbox.Await;
import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Launchers of the kit are what an operator meets in a launcher's pod. */
@BareSandbox
@ExtendWith(SandboxExtension.class)
final class LaunchersIT {

  private static final Duration SOON = Duration.ofSeconds(40);

  /** Everything five times as fast. */
  private static final Map<String, String> HURRIED =
      Map.of("KIT_READ_TICKS", "1", "KIT_COMMIT_TICKS", "2");

  private static Launchers launchers;

  @BeforeAll
  static void watch(Sandbox sandbox) {
    launchers = Launchers.watching(sandbox);
  }

  @AfterAll
  static void close() {
    launchers.close();
  }

  @BeforeEach
  void makeRoom(TestSpace space) {
    space.nodes(1, NodeShape.CPU);
  }

  @Test
  void goesOnThroughEachChangeOfItsHosts(Sandbox sandbox, TestSpace space) throws IOException {
    var shell = LauncherPod.create(space, "job", LauncherPod.HOROVOD, Map.of(), "host-0", "host-1");
    var launcher = launchers.launcher(space.namespace(), "job");
    awaitHosts(launcher, "host-0", "host-1");
    assertThat(shell.processes())
        .contains("ssh -o PasswordAuthentication=no -o StrictHostKeyChecking=no host-0 ")
        .contains("ssh -o PasswordAuthentication=no -o StrictHostKeyChecking=no host-1 ");
    assertThat(shell.run("ls -l /etc/edl").output()).contains("-rw------- ", "-rwxr-xr-x ");
    long before = launcher.step();

    shell.writeHosts("host-0");
    awaitHosts(launcher, "host-0");
    Await.until("the worker to leave", SOON, () -> !processes(shell).contains("host-1"));
    long between = launcher.step();
    shell.writeHosts("host-0", "host-1", "host-2");
    awaitHosts(launcher, "host-0", "host-1", "host-2");

    assertThat(between).isGreaterThan(before);
    assertThat(launcher.step()).isGreaterThan(between);
    assertThat(launcher.blacklist()).isEmpty();
    assertThat(launcher.hostSets())
        .containsExactly(
            List.of("host-0", "host-1"), List.of("host-0"), List.of("host-0", "host-1", "host-2"));

    launcher.finish(0);
    Await.until("the pod to succeed", SOON, () -> phase(space, "job").equals("Succeeded"));
    assertThat(sandbox.kubectl("logs", "-n", space.namespace(), "job"))
        .contains("[0]<stdout>:Step #")
        .contains("host-1 has left");
  }

  @Test
  void diesOfAnEmptyHostfileAndLeavesTheOtherLauncherAlone(TestSpace space) throws IOException {
    var first = LauncherPod.create(space, "first", LauncherPod.HOROVOD, HURRIED, "a-0", "a-1");
    var second = LauncherPod.create(space, "second", LauncherPod.HOROVOD, HURRIED, "b-0", "b-1");
    awaitHosts(launchers.launcher(space.namespace(), "first"), "a-0", "a-1");
    awaitHosts(launchers.launcher(space.namespace(), "second"), "b-0", "b-1");
    assertThat(first.processes()).contains(" a-1 ").doesNotContain("b-");
    assertThat(second.processes()).contains(" b-1 ").doesNotContain("a-0").doesNotContain("a-1");

    assertThat(first.run(": > /etc/edl/hostfile").exitCode()).isZero();

    Await.until("the pod to fail", SOON, () -> phase(space, "first").equals("Failed"));
    assertThat(terminated(space, "first")).isEqualTo(1);
    assertThat(launchers.launcher(space.namespace(), "first").output())
        .contains("no hosts at all were read");
    assertThat(second.run("cat /etc/edl/hostfile").output()).isEqualTo("b-0:1\nb-1:1\n");
    assertThat(phase(space, "second")).isEqualTo("Running");
  }

  @Test
  void knowsOtherLaunchersByTheirCommandLines(TestSpace space) throws IOException {
    var deepspeed = LauncherPod.create(space, "ds", "deepspeed train.py", HURRIED, "d-0", "d-1");
    var kubexec =
        LauncherPod.create(
            space,
            "ke",
            LauncherPod.HOROVOD,
            Map.of("OMPI_MCA_plm_rsh_agent", "/etc/mpi/kubexec.sh"),
            "k-0",
            "k-1");
    awaitHosts(launchers.launcher(space.namespace(), "ds"), "d-0", "d-1");
    awaitHosts(launchers.launcher(space.namespace(), "ke"), "k-0", "k-1");

    assertThat(deepspeed.processes()).contains("ssh -p 22 d-1 ").doesNotContain("StrictHostKey");
    assertThat(kubexec.processes()).contains("/etc/mpi/kubexec.sh k-1 ").doesNotContain("ssh");
  }

  @Test
  void knowsThePodsOfItsNamespaceByTheirNamesWhileTheyAreThere(TestSpace space) throws IOException {
    var pods = space.client().pods().inNamespace(space.namespace());
    var shell = LauncherPod.create(space, "job", LauncherPod.HOROVOD, Map.of(), "host-0", "host-1");
    launchers.launcher(space.namespace(), "job");
    assertThat(shell.run("uname -n").output()).isEqualTo("job\n");
    assertThat(hosts(shell)).contains(" job\n").doesNotContain("worker-0");

    pods.resource(worker(space, "worker-0")).create();
    Await.until("the name to be known", SOON, () -> hosts(shell).contains(" worker-0\n"));
    assertThat(hosts(shell))
        .contains(" worker-0.team.%s.svc.cluster.local ".formatted(space.namespace()))
        .contains(" worker-0.%s ".formatted(space.namespace()))
        .doesNotContain("job.team");
    var addresses =
        hosts(shell).lines().map(line -> line.substring(0, line.indexOf(' '))).distinct().toList();
    assertThat(addresses).hasSize(3).allMatch(address -> address.startsWith("127."));

    pods.withName("worker-0").withGracePeriod(0).delete();
    Await.until("the name to be gone", SOON, () -> !hosts(shell).contains("worker-0"));
  }

  @Test
  void strikesOffTheNameOfAHostWhosePodIsGone(TestSpace space) {
    var pods = space.client().pods().inNamespace(space.namespace());
    for (String name : List.of("worker-0", "worker-1")) {
      pods.resource(worker(space, name)).create();
    }
    LauncherPod.create(space, "job", LauncherPod.HOROVOD, HURRIED, "worker-0", "worker-1");
    var launcher = launchers.launcher(space.namespace(), "job");
    awaitHosts(launcher, "worker-0", "worker-1");

    pods.withName("worker-1").withGracePeriod(0).delete();

    awaitHosts(launcher, "worker-0");
    assertThat(launcher.blacklist()).containsExactly("worker-1");
    assertThat(launcher.isRunning()).isTrue();
  }

  @Test
  void staysSilentWhileFrozenAndEndsWithItsPod(TestSpace space) throws IOException {
    // A name that no other process of the machine has.
    var name = "sleep-of-" + space.namespace();
    var shell =
        LauncherPod.create(
            space, "job", "ln -s /bin/sleep /tmp/" + name + "; /tmp/" + name + " 1000", Map.of());
    var launcher = launchers.launcher(space.namespace(), "job");
    Await.until("the process", SOON, () -> runsOnTheMachine(name));
    assertThat(shell.run("exit 0").exitCode()).isZero();
    assertThat(shell.run("exit 7").exitCode()).isNotZero();

    launcher.freezeExec();
    var output = new ByteArrayOutputStream();
    try (ExecWatch exec = shell.start(output, "echo here")) {
      assertThat(Await.within(Duration.ofSeconds(1), () -> exec.exitCode().isDone())).isFalse();
      assertThat(output.size()).isZero();
      space.client().pods().inNamespace(space.namespace()).withName("job").delete();
      Await.until("exec to end", SOON, () -> exec.exitCode().isDone());
    }
    assertThat(launcher.isRunning()).isFalse();
    Await.until("the end of the process", SOON, () -> !runsOnTheMachine(name));
  }

  @Test
  void saysWhyALauncherCannotBeMade(TestSpace space) {
    LauncherPod.create(space, "job", "exit 0", Map.of());
    var pods = space.client().pods().inNamespace(space.namespace());
    var other = new PodBuilder(get(space, "job"));
    other.editMetadata().withName("lost").withResourceVersion(null).withUid(null).endMetadata();
    other.editSpec().withNodeName(null).endSpec().withStatus(null);
    other
        .editSpec()
        .editFirstVolume()
        .withNewConfigMap()
        .withName("absent")
        .endConfigMap()
        .endVolume()
        .endSpec();
    pods.resource(other.build()).create();

    assertThatThrownBy(() -> launchers.launcher(space.namespace(), "lost"))
        .hasMessageContaining("there is no ConfigMap absent");
    Await.until("the pod to fail", SOON, () -> phase(space, "lost").equals("Failed"));
    assertThat(get(space, "lost").getStatus().getMessage()).contains("ConfigMap absent");
    // One that ends at once is shown as having run.
    Await.until("the other to succeed", SOON, () -> phase(space, "job").equals("Succeeded"));
  }

  private static boolean runsOnTheMachine(String word) {
    return ProcessHandle.allProcesses()
        .flatMap(process -> process.info().commandLine().stream())
        .anyMatch(line -> line.contains("/tmp/" + word + " 1000"));
  }

  private static void awaitHosts(Launcher launcher, String... hosts) {
    Await.until(
        launcher + " to use " + List.of(hosts),
        SOON,
        () -> launcher.hosts().equals(List.of(hosts)));
  }

  private static String hosts(PodShell shell) {
    try {
      return shell.run("cat /etc/hosts").output();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String processes(PodShell shell) {
    try {
      return shell.processes();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Pod worker(TestSpace space, String name) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withNodeSelector(space.nodeSelector())
        .withHostname(name)
        .withSubdomain("team")
        .addNewContainer()
        .withName("main")
        .withImage("any")
        .endContainer()
        .endSpec()
        .build();
  }

  private static Pod get(TestSpace space, String name) {
    return space.client().pods().inNamespace(space.namespace()).withName(name).get();
  }

  private static String phase(TestSpace space, String name) {
    return get(space, name).getStatus().getPhase();
  }

  private static int terminated(TestSpace space, String name) {
    return get(space, name)
        .getStatus()
        .getContainerStatuses()
        .getFirst()
        .getState()
        .getTerminated()
        .getExitCode();
  }
}
