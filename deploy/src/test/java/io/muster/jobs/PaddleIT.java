package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kinds.paddle.api.PaddleJobStatus;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** PaddlePaddle's TrainingJobs; the rows are those of acceptance.md. */
@ExtendWith(SandboxExtension.class)
final class PaddleIT {

  private static final String KIND = "trainingjobs.paddlepaddle.org";
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final List<String> SERVERS =
      List.of("example-master-0", "example-pserver-0", "example-pserver-1");

  /** The example, on the nodes of the test and with pods that go quickly. */
  static String example(TestSpace space) throws IOException {
    return Files.readString(
            Layout.current().deploy().resolveSibling("examples/paddle-edl/examplejob.yaml"))
        .replace(
            "  name: example\n",
            "  name: example\n  annotations: {muster.io/grace-seconds: \"1\"}\n")
        .replace(
            "spec:\n",
            "spec:\n  nodeSelector: {%s: %s}\n".formatted(TestSpace.SET_LABEL, space.namespace()));
  }

  /** Servers that take three quarters of a node, and trainers that take three CPUs each. */
  static String large(String manifest) {
    return manifest
        .replaceAll("cpu: \"(500m|800m|1)\"", "cpu: \"4\"")
        .replaceAll("cpu: \"200m\"", "cpu: \"3\"");
  }

  private static List<String> withTrainers(int... numbers) {
    return Stream.concat(
            SERVERS.stream(), IntStream.of(numbers).mapToObj(number -> "example-trainer-" + number))
        .sorted()
        .toList();
  }

  private static Optional<PaddleJobStatus> status(TestSpace space, String name) {
    return Optional.ofNullable(
            space
                .client()
                .resources(PaddleJob.class)
                .inNamespace(space.namespace())
                .withName(name)
                .get())
        .flatMap(job -> Optional.ofNullable(job.getStatus()));
  }

  private static void awaitPhase(TestSpace space, String name, String phase) {
    boolean isSo =
        Await.within(
            SOON, () -> status(space, name).map(PaddleJobStatus::phase).equals(Optional.of(phase)));
    assertThat(isSo).as(() -> name + " is " + status(space, name)).isTrue();
  }

  private static void awaitReason(TestSpace space, String name, String words) {
    Await.until(
        "the reason to say " + words,
        SOON,
        () ->
            status(space, name)
                .map(PaddleJobStatus::reason)
                .filter(reason -> reason.contains(words))
                .isPresent());
  }

  private static void awaitTrainers(TestSpace space, int count) {
    Await.until(
        count + " trainers",
        SOON,
        () -> status(space, "example").map(PaddleJobStatus::running).equals(Optional.of(count)));
  }

  /** Rows A1, A2, A4, A5, A7, A19, A24, A25. */
  @Tag("quick")
  @Test
  void aJobWaitsWholeStartsWholeAndFollowsTheRoom(TestSpace space) throws IOException {
    space.nodes(1, NodeShape.CPU);
    var jobs = new DiJobs(space);
    var manifest =
        large(example(space))
            .replaceAll("  (image|port|ports_num|ports_num_for_sparse): .*\n", "")
            .replace("max-instance: 2", "max-instance: 3");
    assertThat(jobs.warnings(manifest))
        .contains(
            "spec.trainer.passes: belongs to spec.passes",
            "spec.pserver.max-instance: is not followed");
    jobs.create(manifest);
    awaitReason(space, "example", "Insufficient cpu");
    assertThat(status(space, "example").orElseThrow().reason())
        .contains("no room for 5 members together", "add nodes for 1 more member");
    assertThat(jobs.kubectl("get", "tj").lines().map(line -> line.replaceAll("\\s+", " ")))
        .anyMatch(line -> line.startsWith("example pending 2 0 "));
    assertThat(jobs.pods().keySet()).hasSize(5);
    assertThat(jobs.bound()).isZero();
    assertThat(jobs.events("example"))
        .anyMatch(event -> event.startsWith("Pending: no room for 5 members together"));
    assertThat(
            jobs.kubectl(
                "get",
                KIND,
                "example",
                "-o",
                "jsonpath={.spec.image} {.spec.port} {.spec.ports_num} {.spec.ports_num_for_sparse}"
                    + " {.spec.passes}"))
        .isEqualTo("paddlepaddle/paddlecloud-job 7164 1 1 1");

    space.nodes(1, NodeShape.CPU);
    awaitPhase(space, "example", "running");
    assertThat(jobs.running()).containsAll(withTrainers(0, 1));
    var trainer = jobs.pods().get("example-trainer-0");
    assertThat(DiJobs.variables(trainer))
        .containsEntry("TRAINERS", "2")
        .containsEntry("PADDLE_INIT_NUM_PASSES", "50")
        .containsEntry("PADDLE_INIT_TRAINER_COUNT", "3");
    assertThat(trainer.getSpec().getContainers().getFirst().getEnv()).hasSize(16);
    assertThat(jobs.pods().get("example-master-0").getSpec().getContainers())
        .extracting(Container::getName)
        .containsExactly("master", "etcd");
    assertThat(jobs.pods().get("example-master-0").getSpec().getContainers().getFirst().getEnv())
        .extracting(EnvVar::getName)
        .isEmpty();

    awaitTrainers(space, 6);
    jobs.awaitRunning(withTrainers(0, 1, 2, 3, 4, 5).toArray(String[]::new));
    assertThat(jobs.events("example"))
        .contains("Scaling: from 2 to 6 trainers: there is room for more");
    assertThat(may(space, "list", "pods")).isTrue();
    assertThat(may(space, "delete", "pods")).isFalse();

    jobs.create(
        """
        apiVersion: diengine.opendilab.org/v2alpha1
        kind: DIJob
        metadata: {name: urgent}
        spec:
          priority: high
          tasks:
          - name: one
            template:
              spec:
                nodeSelector: {%s: %s}
                terminationGracePeriodSeconds: 1
                containers: [{name: main, image: any, resources: {requests: {cpu: "6"}}}]
        """
            .formatted(TestSpace.SET_LABEL, space.namespace()));
    jobs.awaitPhase("urgent", "Running");
    awaitTrainers(space, 4);
    assertThat(jobs.running()).containsAll(SERVERS).contains("urgent-one-0").hasSize(8);
    assertThat(jobs.events("example")).anyMatch(event -> event.startsWith("ScaleIn: gives back "));
  }

  private static boolean may(TestSpace space, String verb, String resource) {
    var account = "system:serviceaccount:%1$s:example-paddle".formatted(space.namespace());
    try {
      return space
          .sandbox()
          .kubectl("auth", "can-i", verb, resource, "--as", account, "-n", space.namespace())
          .startsWith("yes");
    } catch (SandboxException _) {
      return false;
    }
  }

  /** Rows A1, A3, A7, A15 to A18, and what is refused or another's. */
  @Test
  void itsSizeIsItsUsersTooAndItEndsWithItsTrainers(TestSpace space) throws IOException {
    space.nodes(2, NodeShape.CPU);
    var jobs = new DiJobs(space);
    jobs.create(example(space));
    awaitTrainers(space, 10);
    awaitPhase(space, "example", "running");
    jobs.awaitRunning(withTrainers(0, 1, 2, 3, 4, 5, 6, 7, 8, 9).toArray(String[]::new));

    jobs.kubectl("scale", KIND, "example", "--replicas=4");
    awaitTrainers(space, 4);
    assertThatThrownBy(() -> jobs.kubectl("scale", KIND, "example", "--replicas=11"))
        .hasMessageContaining("parallelism must be from min-instance to max-instance");
    jobs.kubectl(
        "patch",
        KIND,
        "example",
        "--type=merge",
        "-p",
        "{\"spec\":{\"trainer\":{\"max-instance\":3}}}");
    awaitTrainers(space, 3);
    jobs.awaitRunning(withTrainers(0, 1, 2).toArray(String[]::new));

    jobs.kubectl("annotate", KIND, "example", "muster.io/trainer-failure-limit=2");
    jobs.kubectl("delete", "pod", "example-pserver-1", "--wait=false");
    for (int failure = 0; failure < 2; failure++) {
      var uid = uid(jobs, "example-trainer-1");
      jobs.end("example-trainer-1", 1);
      Await.until(
          "another trainer",
          SOON,
          () ->
              jobs.running().equals(withTrainers(0, 1, 2))
                  && !uid(jobs, "example-trainer-1").equals(uid));
    }
    var rigid =
        example(space)
            .replace("name: example", "name: rigid")
            .replace("fault_tolerant: true", "fault_tolerant: false");
    assertThat(jobs.warnings(rigid.replace("max-instance: 10", "max-instance: 2")))
        .contains("created (server dry run)");
    assertThatThrownBy(() -> jobs.create(rigid))
        .hasMessageContaining(
            "max-instances should equal to min-instances when fault_tolerant is disabled");

    jobs.end("example-trainer-0", 0);
    jobs.end("example-trainer-1", 1);
    jobs.end("example-trainer-2", 0);
    awaitPhase(space, "example", "succeeded");
    Await.until(
        "master and pservers to be gone",
        SOON,
        () ->
            List.copyOf(jobs.pods().keySet())
                .equals(List.of("example-trainer-0", "example-trainer-1", "example-trainer-2")));

    failing(space, jobs, rigid.replace("max-instance: 10", "max-instance: 2"));
    jobs.kubectl("delete", KIND, "example", "rigid");
    Await.until(
        "nothing to be left", SOON, () -> jobs.pods().isEmpty() && accounts(jobs).isEmpty());
  }

  private static String uid(DiJobs jobs, String pod) {
    return Optional.ofNullable(jobs.pods().get(pod))
        .map(there -> there.getMetadata().getUid())
        .orElse("");
  }

  private static String accounts(DiJobs jobs) {
    return jobs.kubectl("get", "sa,roles,rolebindings", "-l", "muster.io/paddle-job", "-o", "name");
  }

  /** One some of whose pods a rule of the namespace forbids, and that its first failure ends. */
  private static void failing(TestSpace space, DiJobs jobs, String manifest) {
    jobs.create(
        """
        apiVersion: v1
        kind: LimitRange
        metadata: {name: small}
        spec: {limits: [{type: Container, max: {cpu: 400m}}]}
        """);
    jobs.create(manifest);
    awaitReason(space, "rigid", "maximum cpu usage per Container is 400m");
    Await.until(
        "no part of it to stay",
        SOON,
        () -> jobs.pods().keySet().stream().noneMatch(name -> name.startsWith("rigid-")));
    assertThat(status(space, "rigid").orElseThrow().phase()).isEqualTo("pending");
    jobs.kubectl("delete", "limitrange", "small");
    awaitPhase(space, "rigid", "running");
    assertThat(jobs.running())
        .containsExactly(
            "rigid-pserver-0", "rigid-pserver-1", "rigid-trainer-0", "rigid-trainer-1");
    jobs.end("rigid-trainer-1", 139);
    awaitPhase(space, "rigid", "failed");
    assertThat(status(space, "rigid").orElseThrow().reason())
        .startsWith("Failed trainer count beyond the threshold: 0 (rigid-trainer-1");
    // Events are told once the status is stored.
    Await.until(
        "an Event",
        SOON,
        () ->
            jobs.events("rigid").stream()
                .anyMatch(told -> told.startsWith("Pods Failed: Failed ")));
  }

  /** Row A20, and pods of a job that another controller has begun. */
  @Test
  void jobsOfOneNameAreEachTheirOwnAndAnothersIsLeftAlone(TestSpace space) throws IOException {
    space.nodes(1, NodeShape.CPU);
    var jobs = new DiJobs(space);
    jobs.create(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: begun-trainer-x7k2p, labels: {paddle-job: begun}}
        spec: {nodeSelector: {nowhere: "true"}, containers: [{name: trainer, image: any}]}
        """);
    jobs.create(example(space).replace("name: example", "name: begun"));
    jobs.create(example(space));
    try (var other = TestSpace.open(space.sandbox(), "same-name")) {
      other.nodes(1, NodeShape.CPU);
      new DiJobs(other).create(example(other));
      awaitTrainers(space, 10);
      awaitTrainers(other, 10);
      jobs.kubectl("delete", KIND, "example");
      Await.until(
          "the pods to go", SOON, () -> jobs.pods().keySet().equals(Set.of("begun-trainer-x7k2p")));
      assertThat(new DiJobs(other).running()).hasSize(13);
    }
    assertThat(jobs.events("begun"))
        .anyMatch(event -> event.startsWith("ForeignController: another controller has begun"));
  }
}
