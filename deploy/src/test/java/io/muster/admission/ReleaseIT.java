package io.muster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Muster is taken out of the way while it runs, put back, taken out by hand, and for good. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ReleaseIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  private static Optional<Sandbox> started = Optional.empty();

  @BeforeAll
  static void start() {
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox/release"));
    started = Optional.of(Sandbox.start(layout, SandboxOptions.withMuster(state)));
  }

  @AfterAll
  static void stop() {
    started.ifPresent(Sandbox::close);
  }

  @Test
  @Order(1)
  void aRunningMusterIsReleasedAndComesBack() throws IOException, InterruptedException {
    var sandbox = started.orElseThrow();
    try (var space = TestSpace.open(sandbox, "release")) {
      var gang = waitingGang(space);

      assertThat(muster("release", "--all"))
          .contains("the registration is withdrawn")
          .contains("gates taken off: ");
      nothingIsLeft(sandbox.client());
      Await.until("two of three to run, as without Muster", SOON, () -> gang.running() == 2);
      // Nobody puts the registration back, and new pods come as they are.
      assertThat(Await.within(Duration.ofSeconds(5), () -> isRegistered(sandbox.client())))
          .isFalse();

      assertThat(muster("release", "--undo")).contains("take up its duty again");
      Await.until("the registration to be back", SOON, () -> isRegistered(sandbox.client()));
    }
  }

  @Test
  @Order(2)
  void theCommandsOfTheReadmeDoTheSameByHand() throws IOException, InterruptedException {
    var sandbox = started.orElseThrow();
    try (var space = TestSpace.open(sandbox, "by-hand")) {
      var gang = waitingGang(space);

      run(List.of("bash", "-euc", "kubectl() { \"$KUBECTL\" \"$@\"; }\n" + byHand()));

      nothingIsLeft(sandbox.client());
      Await.until("two of three to run, as without Muster", SOON, () -> gang.running() == 2);
      muster("release", "--undo");
      Await.until("the registration to be back", SOON, () -> isRegistered(sandbox.client()));
    }
  }

  @Test
  @Order(3)
  void afterTheUninstallationEveryPodIsScheduledBare() throws IOException, InterruptedException {
    var sandbox = started.orElseThrow();
    try (var space = TestSpace.open(sandbox, "uninstall")) {
      var gang = waitingGang(space);
      var launcher = gang.gpus(0).pod("launcher");
      gang.create(launcher);

      muster("release", "--all");
      sandbox.scheduler().start(Optional.empty());
      sandbox.muster().orElseThrow().terminate(SOON);
      sandbox.kubectl(
          "delete", "--wait=false", "-f", Layout.current().deploy().resolve("rbac").toString());
      sandbox.kubectl("delete", "--wait=false", "crd", "gangs.muster.io");
      space.nodes(2, NodeShape.GPU1);

      Await.until("all to run without Muster", SOON, () -> gang.running() == 4);
      var fresh = GangManifest.of(space, "fresh", 2).gpus(0);
      fresh.create();
      Await.until("new ones too", SOON, () -> fresh.running() == 2);
      nothingIsLeft(sandbox.client());
      assertThat(fresh.stored())
          .allMatch(pod -> !pod.getMetadata().getAnnotations().containsKey("muster.io/injected"));
    }
  }

  /** Of three members two would fit. */
  private static GangManifest waitingGang(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "g", 3);
    gang.create();
    Await.until(
        "gates on the members", SOON, () -> gang.stored().stream().anyMatch(ReleaseIT::isGated));
    assertThat(gang.bound()).isZero();
    return gang;
  }

  private static boolean isGated(Pod pod) {
    return pod.getSpec().getSchedulingGates().stream()
        .anyMatch(gate -> gate.getName().equals("muster.io/gang"));
  }

  private static boolean isRegistered(KubernetesClient client) {
    return client.resources(MutatingWebhookConfiguration.class).withName("muster").get() != null;
  }

  private static void nothingIsLeft(KubernetesClient client) {
    assertThat(isRegistered(client)).isFalse();
    assertThat(client.resources(ValidatingAdmissionPolicy.class).list().getItems())
        .noneMatch(policy -> policy.getMetadata().getName().startsWith("muster"));
    assertThat(client.resources(ValidatingAdmissionPolicyBinding.class).list().getItems())
        .noneMatch(binding -> binding.getMetadata().getName().startsWith("muster"));
    assertThat(client.pods().inAnyNamespace().list().getItems())
        .noneMatch(ReleaseIT::isGated)
        .noneMatch(pod ->
            pod.getMetadata().getFinalizers().stream()
                .anyMatch(finalizer -> finalizer.contains("muster.io")));
  }

  /** The block of the README below the words "by hand". */
  private static String byHand() throws IOException {
    var readme = Files.readString(Layout.current().deploy().resolveSibling("README.md"));
    int from = readme.indexOf("```sh\n", readme.indexOf("by hand")) + 6;
    return readme.substring(from, readme.indexOf("```", from));
  }

  private static String muster(String... arguments) throws IOException, InterruptedException {
    var sandbox = started.orElseThrow();
    var command = new java.util.ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-jar", Layout.current().deploy().resolve("target/muster.jar").toString()));
    command.addAll(List.of(arguments));
    command.addAll(List.of("--kubeconfig", sandbox.state().kubeconfig().toString()));
    return run(command);
  }

  private static String run(List<String> command) throws IOException, InterruptedException {
    var sandbox = started.orElseThrow();
    var output = Files.createTempFile("release", ".txt");
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(output.toFile());
    builder.environment().put("KUBECONFIG", sandbox.state().kubeconfig().toString());
    builder.environment().put("KUBECTL", Files.readString(sandbox.state().file("kubectl")).strip());
    var process = builder.start();
    assertThat(process.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    var said = Files.readString(output);
    Files.delete(output);
    assertThat(process.exitValue()).as(said).isZero();
    return said;
  }
}
