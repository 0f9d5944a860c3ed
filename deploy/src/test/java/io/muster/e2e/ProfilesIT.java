package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.muster.extender.kube.gang.Gang;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Profiles as a platform team edits them, and members that look each other up. */
@ExtendWith(SandboxExtension.class)
final class ProfilesIT {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final String GOOD =
      "profiles: [{name: default, env: [{name: NCCL_DEBUG, value: INFO}]}]";
  private static final String WRONG =
      "profiles: [{name: default, shmMaximum: plenty, enviroment: []}]";

  @Test
  void aWrongDocumentChangesNothingAndSaysSo(Sandbox sandbox, TestSpace space) {
    var profiles = new Profiles(sandbox.client());
    var muster = sandbox.muster().orElseThrow();
    try {
      profiles.write(GOOD);
      profiles.awaitInForce(GOOD, space.namespace());

      profiles.write(WRONG);
      Await.until("the Event on the ConfigMap", SOON, () -> !events(sandbox).isEmpty());

      assertThat(events(sandbox))
          .containsExactly(
              "not in force: profile default: enviroment is not known; there are annotations,"
                  + " capabilities, env, foreignContainers, hideDevices, labels, match, mounts, name,"
                  + " nodeSelector, optional, priorityClassName, requestsPerDevice, resources,"
                  + " runtimeClassName, shmMaximum, terminationGracePeriodSeconds, tolerations,"
                  + " volumes; profile default: shmMaximum is \"plenty\"; it must be a quantity above"
                  + " 0 and up to 4Ti, like 64Gi");
      assertThat(profiles.stamp(space.namespace())).endsWith("@" + Profiles.hash(GOOD));
      assertThat(muster.metric("muster_profiles_outdated")).contains(1.0);

      profiles.remove();
      profiles.awaitInForce("profiles: []", space.namespace());
      assertThat(muster.metric("muster_profiles_outdated")).contains(0.0);
    } finally {
      profiles.remove();
      profiles.awaitInForce("profiles: []", space.namespace());
    }
  }

  private static List<String> events(Sandbox sandbox) {
    return sandbox.client().v1().events().inNamespace(Profiles.NAMESPACE).list().getItems().stream()
        .filter(event -> Profiles.NAME.equals(event.getInvolvedObject().getName()))
        .map(event -> event.getMessage())
        .toList();
  }

  @Test
  void theWorkersOfTheExampleFindEachOther(TestSpace space) throws IOException {
    space.nodes(1, NodeShape.GPU8);
    var job = example(space);
    space.client().batch().v1().jobs().inNamespace(space.namespace()).resource(job).create();

    Await.until("all workers to run", SOON, () -> running(space).size() == 4);
    for (var pod : running(space)) {
      var index = index(pod);
      assertThat(pod.getSpec().getHostname()).isEqualTo("torchrun-ddp-" + index);
      assertThat(pod.getSpec().getSubdomain()).isEqualTo("muster-torchrun-ddp");
      assertThat(value(pod, "PET_NNODES")).isEqualTo("4");
      assertThat(value(pod, "PET_NPROC_PER_NODE")).isEqualTo("2");
      assertThat(value(pod, "PET_MASTER_ADDR")).isEqualTo("torchrun-ddp-0.muster-torchrun-ddp");
      assertThat(variable(pod, "PET_NODE_RANK").getValueFrom().getFieldRef().getFieldPath())
          .isEqualTo("metadata.annotations['batch.kubernetes.io/job-completion-index']");
    }
    Await.until("the Service", SOON, () -> service(space).isPresent());
    var service = service(space).orElseThrow();
    var gang =
        space
            .client()
            .resources(Gang.class)
            .inNamespace(space.namespace())
            .withName("torchrun-ddp")
            .get();
    assertThat(service.getSpec().getClusterIP()).isEqualTo("None");
    assertThat(service.getSpec().getPublishNotReadyAddresses()).isTrue();
    assertThat(service.getMetadata().getOwnerReferences())
        .extracting(owner -> owner.getKind() + "/" + owner.getUid())
        .containsExactly("Gang/" + gang.getMetadata().getUid());
    Await.until(
        "names of all workers",
        SOON,
        () ->
            hostNames(space)
                .equals(
                    List.of(
                        "torchrun-ddp-0", "torchrun-ddp-1", "torchrun-ddp-2", "torchrun-ddp-3")));
  }

  @Test
  void aReplacementHasTheRankOfTheOneItReplaces(TestSpace space) throws IOException {
    space.nodes(1, NodeShape.GPU8);
    space.client().resource(example(space)).inNamespace(space.namespace()).create();
    Await.until("all workers to run", SOON, () -> running(space).size() == 4);
    var lost = running(space).stream().filter(pod -> index(pod).equals("2")).findFirst();
    space.client().resource(lost.orElseThrow()).withGracePeriod(0).delete();

    Await.until(
        "its replacement",
        SOON,
        () ->
            running(space).stream()
                .anyMatch(pod ->
                    index(pod).equals("2")
                        && !pod.getMetadata().getUid().equals(uid(lost.orElseThrow()))));
    assertThat(running(space).stream().map(ProfilesIT::index).sorted())
        .containsExactly("0", "1", "2", "3");
    assertThat(running(space)).allMatch(pod -> variable(pod, "NODE_RANK").getValueFrom() != null);
  }

  @Test
  void aServiceThatIsDeletedIsMadeAgainWhileMembersAreThere(TestSpace space) throws IOException {
    space.nodes(1, NodeShape.GPU8);
    space.client().resource(example(space)).inNamespace(space.namespace()).create();
    Await.until("the Service", SOON, () -> service(space).isPresent());
    var first = service(space).orElseThrow().getMetadata().getUid();
    space.client().resource(service(space).orElseThrow()).delete();

    Await.until(
        "another Service",
        SOON,
        () ->
            service(space)
                .filter(found -> !found.getMetadata().getUid().equals(first))
                .isPresent());
  }

  @Test
  void aServiceOfTheUsersIsLeftAlone(TestSpace space) throws IOException {
    space.nodes(1, NodeShape.GPU8);
    var own =
        new ServiceBuilder()
            .withNewMetadata()
            .withName("muster-torchrun-ddp")
            .withNamespace(space.namespace())
            .endMetadata()
            .withNewSpec()
            .withClusterIP("None")
            .endSpec()
            .build();
    var version = space.client().resource(own).create().getMetadata().getResourceVersion();
    space.client().resource(example(space)).inNamespace(space.namespace()).create();

    Await.until("all workers to run", SOON, () -> running(space).size() == 4);
    Await.until(
        "Muster to have seen it",
        SOON,
        () -> logged(space).stream().anyMatch(line -> line.contains("it is left alone")));
    assertThat(service(space).orElseThrow().getMetadata().getResourceVersion()).isEqualTo(version);
  }

  private static List<String> logged(TestSpace space) {
    try {
      return Files.readAllLines(space.sandbox().muster().orElseThrow().log()).stream()
          .filter(line -> line.contains(space.namespace()))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String uid(Pod pod) {
    return pod.getMetadata().getUid();
  }

  private static Job example(TestSpace space) throws IOException {
    var file = Layout.current().deploy().getParent().resolve("examples/training/torchrun-ddp.yaml");
    try (var text = Files.newInputStream(file)) {
      var job = (Job) space.client().load(text).items().getFirst();
      job.getMetadata().setNamespace(space.namespace());
      job.getSpec().getTemplate().getSpec().setNodeSelector(space.nodeSelector());
      return job;
    }
  }

  private static List<Pod> running(TestSpace space) {
    return space.client().pods().inNamespace(space.namespace()).list().getItems().stream()
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .toList();
  }

  private static String index(Pod pod) {
    return pod.getMetadata().getAnnotations().get("batch.kubernetes.io/job-completion-index");
  }

  private static EnvVar variable(Pod pod, String name) {
    return pod.getSpec().getContainers().getFirst().getEnv().stream()
        .filter(variable -> variable.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static String value(Pod pod, String name) {
    return variable(pod, name).getValue();
  }

  private static Optional<Service> service(TestSpace space) {
    return Optional.ofNullable(
        space
            .client()
            .services()
            .inNamespace(space.namespace())
            .withName("muster-torchrun-ddp")
            .get());
  }

  private static List<String> hostNames(TestSpace space) {
    return space
        .client()
        .discovery()
        .v1()
        .endpointSlices()
        .inNamespace(space.namespace())
        .list()
        .getItems()
        .stream()
        .flatMap(slice -> slice.getEndpoints().stream())
        .map(Endpoint::getHostname)
        .flatMap(name -> Optional.ofNullable(name).stream())
        .sorted()
        .collect(Collectors.toList());
  }
}
