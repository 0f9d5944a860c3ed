package io.muster.admission;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.e2e.GangManifest;
import io.muster.e2e.MusterCommand;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * The commands of operators: Muster is examined, taken out of the way while it runs, put back,
 * taken out by hand, and for good.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Order(1)
final class ReleaseIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  /** The token of somebody who may do nothing. */
  private static final String NOBODY = "0123456789abcdef-somebody";

  private static Optional<Sandbox> started = Optional.empty();

  @BeforeAll
  static void start() {
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox/release"));
    var options = SandboxOptions.withMuster(state).extraToken(NOBODY, "somebody");
    started = Optional.of(Sandbox.start(layout, options));
  }

  @AfterAll
  static void stop() {
    started.ifPresent(Sandbox::close);
  }

  @Test
  @Order(0)
  void theDoctorFindsAWorkingMusterWell() throws IOException, InterruptedException {
    runsAsPod(started.orElseThrow());
    var findings = doctor(muster().run("doctor", "-o", "json"), 0);

    assertThat(findings.valueStream().map(one -> one.path("check").asText()))
        .contains(
            "lease",
            "rights",
            "rights.etoperator",
            "rights.paddle",
            "certificates",
            "webhook",
            "policies")
        .contains("scheduler.extender", "definitions", "clock", "devices", "gangs", "members");
    assertThat(findings.valueStream().filter(one -> !isOutcome(one, "ok")))
        .allMatch(one -> List.of("lease.holder", "heap").contains(one.path("check").asText()));

    var untold = doctor(muster().as(powerless()).run(doctorsLine()), 0);
    assertThat(untold.valueStream())
        .anyMatch(one ->
            isOutcome(one, "cannot tell") && one.path("evidence").asText().contains("cannot list"));
  }

  @Test
  @Order(0)
  void whatWaitsIsExplainedAndForetoldLiveAndFromASnapshot()
      throws IOException, InterruptedException {
    var sandbox = started.orElseThrow();
    try (var space = TestSpace.open(sandbox, "explain")) {
      space.nodes(2, NodeShape.GPU1);
      var runs = GangManifest.of(space, "runs", 2).annotated("muster.io/run-time", "90m");
      runs.create();
      Await.until("the first gang to run", SOON, () -> runs.running() == 2);
      Await.until(
          "what has become of it to be stored",
          SOON,
          () ->
              kubectl(space, "get", "gang", "runs", "-o=jsonpath={.status.milestones[-1:].phase}")
                  .equals("Running"));
      var next = GangManifest.of(space, "next", 2);
      next.create();
      Await.until(
          "the next one to be told of",
          SOON,
          () -> space.printed("gangs").stream().anyMatch(line -> line.startsWith("next Waiting")));

      var explained =
          muster()
              .script(
                  "PATH=\"%s:$PATH\"; kubectl muster explain gang/next -n %s || echo \"code $?\""
                      .formatted(Layout.current().deploy(), space.namespace()));
      assertThat(explained)
          .startsWith("gang " + space.namespace() + "/next: no room for 2 members together: ")
          .contains("phase Waiting, reason NoRoom")
          .contains("would start once gang " + space.namespace() + "/runs")
          .containsPattern("expected to start at .*; after .*/runs, which states that it runs 90m")
          .contains("said by the Muster that leads")
          .endsWith("code 1\n");

      var row = "1 +%s/next +%s +2 +%s +.*no room for 2 members together: .*\n(.*\n)*";
      assertThat(muster("line", "-n", space.namespace()))
          .as("the place in the line, and what would help")
          .containsPattern(row.formatted(space.namespace(), "default", "2"))
          .contains(" -> wait until 2 nvidia.com/gpu come free, or add nodes");
      Await.until(
          "the position to be stored",
          SOON,
          () ->
              kubectl(space, "get", "gang", "next", "-o=jsonpath={.status.position}").equals("1"));
      Await.until(
          "the expected start to be stored",
          SOON,
          () ->
              kubectl(space, "get", "gang", "next", "-o=jsonpath={.status.expectedStart.after}")
                  .equals(
                      "after %s/runs, which states that it runs 90m".formatted(space.namespace())));
      var ofMember = muster().as(memberOf(space)).run("line", "-n", space.namespace());
      assertThat(ofMember.code()).as(ofMember.said()).isZero();
      assertThat(ofMember.said())
          .as("with rights in one namespace alone")
          .contains("not all can be told: ")
          .containsPattern(row.formatted(space.namespace(), "-", "-"))
          .contains("; after %s/runs, which states that it runs 90m".formatted(space.namespace()));
      assertThat(muster().as(powerless()).run("queues").code()).isEqualTo(2);

      var file = sandbox.state().file("snapshot.json").toString();
      assertThat(muster("snapshot", "-o", file)).contains(file);
      var manifest = sandbox.state().file("fit.yaml");
      Files.writeString(manifest, Serialization.asYaml(next.pod("another")));
      var foretold = muster().run("fit", "-f", manifest.toString(), "--snapshot", file);
      assertThat(foretold.said())
          .startsWith("would never start: gang ")
          .contains("there would be 1");
      assertThat(foretold.code()).isEqualTo(1);
      var replayed =
          muster().run("explain", "gang/next", "-n", space.namespace(), "--snapshot", file);
      assertThat(replayed.said().lines().findFirst())
          .as("the same planner says the same elsewhere")
          .isEqualTo(explained.lines().findFirst());

      var refused = muster().as(powerless()).run("fit", "-f", manifest.toString());
      assertThat(refused.said()).contains("cannot list").contains("--snapshot");
      assertThat(refused.code()).isEqualTo(2);
    }
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
      assertThat(doctor(muster().run(doctorsLine()), 1).valueStream())
          .anyMatch(
              one -> isOutcome(one, "problem") && one.path("check").asText().equals("release"));
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
  void theDocumentedCommandsDoTheSameByHand() throws IOException, InterruptedException {
    var sandbox = started.orElseThrow();
    try (var space = TestSpace.open(sandbox, "by-hand")) {
      var gang = waitingGang(space);

      muster().script(byHand());

      nothingIsLeft(sandbox.client());
      Await.until("two of three to run, as without Muster", SOON, () -> gang.running() == 2);
      muster("release", "--undo");
      Await.until("the registration to be back", SOON, () -> isRegistered(sandbox.client()));
    }
  }

  /** What a package manager runs before it deletes the rest. */
  @Test
  @Order(3)
  void aDeploymentIsStoppedAndLeavesNoMark() throws IOException, InterruptedException {
    var sandbox = started.orElseThrow();
    try (var space = TestSpace.open(sandbox, "deployment")) {
      var gang = waitingGang(space);
      var deployments = sandbox.client().apps().deployments().inNamespace("muster-system");
      var labels = Map.of("app", "muster");
      var spec = gang.gpus(0).pod("muster").getSpec();
      spec.setRestartPolicy("Always");
      deployments
          .resource(
              new DeploymentBuilder()
                  .withNewMetadata()
                  .withName("muster")
                  .endMetadata()
                  .withNewSpec()
                  .withReplicas(2)
                  .withNewSelector()
                  .withMatchLabels(labels)
                  .endSelector()
                  .withNewTemplate()
                  .withNewMetadata()
                  .withLabels(labels)
                  .endMetadata()
                  .withSpec(spec)
                  .endTemplate()
                  .endSpec()
                  .build())
          .create();
      var pods = sandbox.client().pods().inNamespace("muster-system").withLabels(labels);
      Await.until("its pods to be there", SOON, () -> pods.list().getItems().size() == 2);

      // By force: its pods have addresses, and nobody listens there.
      assertThat(muster("uninstall", "--drain", "--deployment", "muster", "--force"))
          .contains("gates taken off: ")
          .contains("Muster has stopped");

      assertThat(pods.list().getItems()).isEmpty();
      assertThat(sandbox.client().namespaces().withName("muster-system").get())
          .matches(own -> !own.getMetadata().getLabels().containsKey("muster.io/released"));
      Await.until("two of three to run, as without Muster", SOON, () -> gang.running() == 2);
      deployments.withName("muster").delete();
      // This one is no pod of the Deployment: it goes on, and is no longer released.
      Await.until("the registration to be back", SOON, () -> isRegistered(sandbox.client()));
    }
  }

  @Test
  @Order(4)
  void afterTheUninstallationEveryPodIsScheduledBare() throws IOException, InterruptedException {
    var sandbox = started.orElseThrow();
    try (var space = TestSpace.open(sandbox, "uninstall")) {
      var gang = waitingGang(space);
      var launcher = gang.gpus(0).pod("launcher");
      gang.create(launcher);

      var early = muster().run("uninstall", "--drain", "--crds", "--yes");
      assertThat(early.said()).contains("still leads").contains("gates taken off: ");
      assertThat(early.code()).isEqualTo(1);
      sandbox.scheduler().start(Optional.empty());
      sandbox.muster().orElseThrow().terminate(SOON);
      assertThat(muster("uninstall", "--drain", "--crds", "--yes"))
          .contains("deleted: ClusterRole muster")
          .contains("deleted: CustomResourceDefinition gangs.muster.io")
          .contains("deleted: CustomResourceDefinition trainingjobs.kai.alibabacloud.com")
          .contains("deleted: Namespace muster-system");
      assertThat(muster("uninstall", "--drain", "--crds", "--yes"))
          .as("a second run finds nothing")
          .doesNotContain("deleted: C");
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

  /** The block of the page about daily work below the words "by hand". */
  private static String byHand() throws IOException {
    var page = Files.readString(Layout.current().deploy().resolve("docs/day2.md"));
    int from = page.indexOf("```sh\n", page.indexOf("## Release by hand")) + 6;
    return page.substring(from, page.indexOf("```", from));
  }

  /** As far as anybody can see: a pod of kube-scheduler, and what it mounts. */
  private static void runsAsPod(Sandbox sandbox) throws IOException {
    var configuration = Files.readString(sandbox.state().file("kube-scheduler.yaml"));
    var manifest =
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: scheduler, namespace: kube-system}
        data: {config.yaml: %s}
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: kube-scheduler-vm, namespace: kube-system}
        spec:
          volumes: [{name: config, configMap: {name: scheduler}}]
          containers:
          - name: kube-scheduler
            image: none
            command: [kube-scheduler, --config=/etc/scheduler/config.yaml]
            volumeMounts: [{name: config, mountPath: /etc/scheduler}]
        """
            .formatted(new JsonMapper().writeValueAsString(configuration));
    sandbox.client().load(new ByteArrayInputStream(manifest.getBytes(UTF_8))).create();
  }

  private static Path powerless() throws IOException {
    var sandbox = started.orElseThrow();
    return Files.writeString(
        sandbox.state().file("powerless.kubeconfig"), sandbox.kubeconfig(sandbox.server(), NOBODY));
  }

  private static String kubectl(TestSpace space, String... arguments) {
    var line = Stream.concat(Stream.of("-n", space.namespace()), Stream.of(arguments));
    return started.orElseThrow().kubectl(line.toArray(String[]::new));
  }

  /** The kubeconfig of an account that may read pods and Gang objects of the namespace. */
  private static Path memberOf(TestSpace space) throws IOException {
    kubectl(space, "create", "serviceaccount", "member");
    kubectl(
        space, "create", "role", "member", "--verb=get,list", "--resource=pods,gangs.muster.io");
    kubectl(
        space,
        "create",
        "rolebinding",
        "member",
        "--role=member",
        "--serviceaccount=" + space.namespace() + ":member");
    var sandbox = started.orElseThrow();
    return Files.writeString(
        sandbox.state().file("member.kubeconfig"),
        sandbox.kubeconfig(sandbox.server(), kubectl(space, "create", "token", "member").strip()));
  }

  private static MusterCommand muster() {
    return new MusterCommand(started.orElseThrow());
  }

  private static String muster(String... arguments) throws IOException, InterruptedException {
    return muster().said(arguments);
  }

  private static String[] doctorsLine() {
    var configuration = started.orElseThrow().state().file("kube-scheduler.yaml").toString();
    return new String[] {"doctor", "--scheduler-config", configuration, "--output", "json"};
  }

  private static JsonNode doctor(MusterCommand.Ran ran, int code) throws IOException {
    assertThat(ran.code()).as(ran.said()).isEqualTo(code);
    return new JsonMapper().readTree(ran.said()).path("findings");
  }

  private static boolean isOutcome(JsonNode finding, String outcome) {
    return finding.path("outcome").asText().equals(outcome);
  }
}
