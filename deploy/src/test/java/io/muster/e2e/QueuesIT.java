package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangStatus;
import io.muster.faults.Capacity;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Queues as a platform team writes them, and gangs that end for others. */
@ExtendWith(SandboxExtension.class)
@Order(1)
final class QueuesIT {

  private static final String PREEMPTIBLE = "muster.io/preemptible";

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String EXAMPLE =
      Layout.current().deploy().getParent().resolve("examples/queues/two-teams.yaml").toString();
  private static final String NAMESPACE = "muster-system";
  private static final String QUEUES =
      """
      queues:
      - {name: lender, gpus: 2}
      - {name: borrower, gpus: 2, limit: 4}
      """;

  /** Rows Q1 to Q5 and Q8. */
  @Test
  void aQueueLendsWhatIsIdleAndGetsItBack(Sandbox sandbox, TestSpace space) {
    space.nodes(4, NodeShape.GPU1);
    try {
      write(sandbox, "queues: [{name: Big, gpus: lots}]");
      Await.until("the Event on the ConfigMap", SOON, () -> !events(sandbox).isEmpty());
      assertThat(events(sandbox))
          .containsExactly(
              "not in force: queues[0].name: must be 1 to 63 lower-case letters, digits, \"-\" and"
                  + " \".\", not \"Big\"; queues[0].gpus: must be an integer from 0 to 10000000, not"
                  + " \"lots\"");
      remove(sandbox);
      sandbox.kubectl("apply", "-f", EXAMPLE);
      var nowhere = in(space, "nowhere", 2, "somewhere");
      nowhere.create();
      awaitReason(nowhere, "UnknownQueue");
      assertThat(status(nowhere).orElseThrow().message())
          .isEqualTo("there is no queue \"somewhere\"");
      assertThat(status(nowhere).orElseThrow().remedy())
          .isEqualTo(
              "create the pods again without muster.io/queue, or with one of: default; or configure"
                  + " the queue");
      remove(sandbox);

      write(sandbox, QUEUES);
      var own = in(space, "own", 2, "borrower");
      own.create();
      Await.until("the first to run", SOON, () -> own.running() == 2);
      var borrowed = in(space, "borrowed", 2, "borrower");
      borrowed.create();
      Await.until("the second to run on what is idle", SOON, () -> borrowed.running() == 2);
      var beyond = in(space, "beyond", 1, "borrower");
      beyond.create();
      awaitReason(beyond, "Quota");
      assertThat(status(beyond).orElseThrow().message())
          .isEqualTo("queue \"borrower\" may hold 4 devices, holds 4, and 1 more is needed");

      var lent = in(space, "lent", 2, "lender");
      lent.create();
      Await.until("the lender's to run", SOON, () -> lent.running() == 2);
      assertThat(own.running()).isEqualTo(2);
      assertThat(borrowed.bound()).isZero();
      assertThat(Capacity.exceeded(space)).isEmpty();
    } finally {
      remove(sandbox);
    }
  }

  @Test
  void aQueueIsOnlyForTheNamespacesThatItIsOpenTo(Sandbox sandbox, TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    try {
      write(sandbox, "queues: [{name: others, limit: 0, namespaces: [somebody, '*']}]");
      var early = in(space, "early", 2, "others");
      early.create();
      awaitReason(early, "Quota");

      write(sandbox, "queues: [{name: others, gpus: 2, namespaces: [somebody]}]");
      awaitReason(early, "QueueNotAllowed");
      assertThat(early.bound()).isZero();
      var late = in(space, "late", 1, "others").pod("late");
      Await.until("a member to be refused", SOON, () -> isRefused(space, late));
    } finally {
      remove(sandbox);
    }
  }

  private static boolean isRefused(TestSpace space, Pod pod) {
    try {
      space.client().pods().inNamespace(space.namespace()).resource(pod).dryRun().create();
      return false;
    } catch (KubernetesClientException e) {
      assertThat(e)
          .hasMessageContaining(
              ("queue \"others\" is not open to namespace \"%s\"; create the pods again without"
                      + " muster.io/queue, or with one of: default; or let the namespace into the"
                      + " queue")
                  .formatted(space.namespace()));
      return true;
    }
  }

  /** Rows Q6 and Q6a: the younger would be the one, but for its budget. */
  @Test
  void aGangOfHigherPriorityEndsWholeGangsAndNoMoreThanItNeeds(TestSpace space) {
    space.nodes(4, NodeShape.GPU1);
    var high = space.priorityClass(1000);
    var older = consenting(space, "older");
    older.create();
    Await.until("the older to run", SOON, () -> older.running() == 2);
    protect(space, "younger");
    var younger = consenting(space, "younger");
    younger.pods().forEach(pod -> younger.create(labelled(pod, "younger")));
    Await.until("the younger to run", SOON, () -> younger.running() == 2);

    var urgent = GangManifest.of(space, "urgent", 2);
    urgent.ofPriority(high).create();
    awaitReason(urgent, "NoRoom");
    assertThat(status(urgent).orElseThrow().message())
        .contains("0 nvidia.com/gpu of the 2 needed are free on the 4 nodes that will do");
    assertThat(status(urgent).orElseThrow().remedy())
        .startsWith("wait until 2 nvidia.com/gpu come free, or add nodes for 2 more members");
    Await.until("it to run", SOON, () -> urgent.running() == 2);
    assertThat(younger.running()).isEqualTo(2);
    assertThat(older.bound()).isZero();
    assertThat(older.stored()).isEmpty();
    assertThat(Capacity.exceeded(space)).isEmpty();
  }

  /** No pod that is labelled so may be ended by wish. */
  private static void protect(TestSpace space, String guarded) {
    space
        .client()
        .resource(
            new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withName(guarded)
                .withNamespace(space.namespace())
                .endMetadata()
                .withNewSpec()
                .withMinAvailable(new IntOrString(2))
                .withNewSelector()
                .addToMatchLabels("guard", guarded)
                .endSelector()
                .endSpec()
                .build())
        .create();
  }

  private static Pod labelled(Pod pod, String guarded) {
    pod.getMetadata().setLabels(Map.of("guard", guarded));
    return pod;
  }

  private static GangManifest in(TestSpace space, String name, int members, String queue) {
    return GangManifest.of(space, name, members)
        .annotated("muster.io/queue", queue)
        .annotated(PREEMPTIBLE, "true");
  }

  /** Its pods have no controller, and end for others only because they say that they may. */
  private static GangManifest consenting(TestSpace space, String name) {
    return GangManifest.of(space, name, 2).annotated(PREEMPTIBLE, "true");
  }

  private static Optional<GangStatus> status(GangManifest gang) {
    return Optional.ofNullable(
            gang.space()
                .client()
                .resources(Gang.class)
                .inNamespace(gang.space().namespace())
                .withName(gang.name())
                .get())
        .map(Gang::getStatus);
  }

  private static void awaitReason(GangManifest gang, String reason) {
    Await.until(
        gang.name() + " to wait: " + reason,
        SOON,
        () -> status(gang).map(GangStatus::reason).filter(reason::equals).isPresent());
  }

  private static void write(Sandbox sandbox, String queues) {
    sandbox
        .client()
        .configMaps()
        .inNamespace(NAMESPACE)
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName("muster-queues")
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withData(Map.of("queues.yaml", queues))
                .build())
        .serverSideApply();
  }

  private static void remove(Sandbox sandbox) {
    sandbox.client().configMaps().inNamespace(NAMESPACE).withName("muster-queues").delete();
  }

  private static List<String> events(Sandbox sandbox) {
    return sandbox
        .client()
        .v1()
        .events()
        .inNamespace(NAMESPACE)
        .withField("involvedObject.name", "muster-queues")
        .list()
        .getItems()
        .stream()
        .map(Event::getMessage)
        .distinct()
        .toList();
  }
}
