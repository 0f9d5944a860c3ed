package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangStatus;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import io.muster.sandbox.Users;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Gangs of one team, and somebody with the role {@code edit} in the namespace of another. */
@ExtendWith(SandboxExtension.class)
final class TwoTenantsIT {

  private static final Duration SOON = Duration.ofSeconds(90);
  private static final int ACTS = 200;
  private static final int GANGS = 4;
  private static final List<String> KEYS =
      List.of(
          "muster.io/queue",
          "muster.io/preemptible",
          "muster.io/run-time",
          "muster.io/gang-min",
          "muster.io/gang-name",
          "muster.io/gang-later",
          "muster.io/gang-groups",
          "muster.io/gang-topology-required",
          "scheduling.k8s.io/group-name",
          "gang.scheduling.koordinator.sh/match-policy");
  private static final List<String> VALUES =
      List.of("victims", "hostile", "none", "false", "true", "1", "5000", "9999999h", "x", "[]");

  private static final String NO_OWNERS = "{\"metadata\":{\"ownerReferences\":null}}";

  private final Random random = new Random(1);
  private int made;

  /** Pods that named their node, and pods on nodes that lost their owner. */
  private int refusedOnNodes;

  private int disowned;

  @Test
  void gangsWithinTheirQuotaStartAndNoneEndsWhateverAnotherTenantDoes(
      Sandbox sandbox, TestSpace victims) {
    var nodes = victims.nodes(2, NodeShape.GPU8);
    try (var hostile = TestSpace.open(sandbox, "hostile")) {
      configure(sandbox, victims, hostile);
      try (var user = Users.editor(sandbox, hostile)) {
        var tenant = new Tenant(user, hostile, nodes, victims.nodeSelector(), owner(user, hostile));
        var gangs = new ArrayList<GangManifest>();
        var started = new ArrayList<String>();
        for (int act = 0; act < ACTS; act++) {
          if (act % (ACTS / GANGS) == ACTS / GANGS / 2) {
            var gang = GangManifest.of(victims, "g" + gangs.size(), 2);
            gangs.add(gang);
            gang.create();
          }
          act(tenant);
        }
        for (var gang : gangs) {
          Await.until(gang.name() + " to run", SOON, () -> gang.running() == gang.members());
          gang.stored().forEach(pod -> started.add(pod.getMetadata().getUid()));
        }
        assertThat(gangs).hasSize(GANGS);
        for (int act = 0; act < ACTS / GANGS; act++) {
          act(tenant);
        }
        assertThat(refusedOnNodes).as("pods that named their node").isPositive();
        assertThat(disowned).as("pods that ran and lost their owner").isPositive();
        assertThat(gangs.stream().flatMap(gang -> gang.stored().stream()))
            .allSatisfy(pod -> assertThat(pod.getMetadata().getDeletionTimestamp()).isNull())
            .extracting(pod -> pod.getMetadata().getUid())
            .containsExactlyElementsOf(started);
      }
    } finally {
      sandbox.client().configMaps().inNamespace("muster-system").withName("muster-queues").delete();
    }
  }

  @Test
  void whatWasBorrowedComesBackThoughItsOwnerReferencesAreTakenOff(
      Sandbox sandbox, TestSpace victims) {
    var nodes = victims.nodes(2, NodeShape.GPU8);
    try (var hostile = TestSpace.open(sandbox, "borrower")) {
      configure(sandbox, victims, hostile);
      try (var user = Users.editor(sandbox, hostile)) {
        var tenant = new Tenant(user, hostile, nodes, victims.nodeSelector(), owner(user, hostile));
        var greedy = GangManifest.of(hostile, "greedy", 2).gpus(8);
        for (var pod : greedy.pods()) {
          pod.getSpec().setNodeSelector(tenant.selector());
          pod.getMetadata().setOwnerReferences(List.of(tenant.owner()));
          pod.getSpec().setTerminationGracePeriodSeconds(2L);
          user.resource(pod).create();
        }
        Await.until("greedy to run", SOON, () -> greedy.running() == 2);
        disown(user, tenant.pods());
        assertThat(disowned).isEqualTo(2);

        var owner = GangManifest.of(victims, "owner", 1).gpus(8);
        owner.create();
        assertThat(Await.within(SOON, () -> owner.running() == 1))
            .as(() -> "owner runs; told: " + told(owner) + told(greedy))
            .isTrue();
      }
    } finally {
      sandbox.client().configMaps().inNamespace("muster-system").withName("muster-queues").delete();
    }
  }

  private static List<GangStatus> told(GangManifest gang) {
    return gang
        .space()
        .client()
        .resources(Gang.class)
        .inNamespace(gang.space().namespace())
        .list()
        .getItems()
        .stream()
        .map(Gang::getStatus)
        .toList();
  }

  private static void configure(Sandbox sandbox, TestSpace victims, TestSpace hostile) {
    var queues =
        """
        queues:
        - {name: victims, gpus: 8, namespaces: [%s]}
        - {name: hostile, gpus: 8, namespaces: [%s]}
        """
            .formatted(victims.namespace(), hostile.namespace());
    sandbox
        .client()
        .configMaps()
        .inNamespace("muster-system")
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName("muster-queues")
                .withNamespace("muster-system")
                .endMetadata()
                .withData(Map.of("queues.yaml", queues))
                .build())
        .serverSideApply();
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /**
   * @param nodes that both teams use
   * @param selector of these
   * @param owner that is taken for a controller, and makes no pod anew
   */
  private record Tenant(
      KubernetesClient user,
      TestSpace space,
      List<String> nodes,
      Map<String, String> selector,
      OwnerReference owner) {

    List<Pod> pods() {
      return user.pods().inNamespace(space.namespace()).list().getItems();
    }
  }

  private static OwnerReference owner(KubernetesClient user, TestSpace space) {
    var owner =
        user.resource(
                new ConfigMapBuilder()
                    .withNewMetadata()
                    .withName("owner")
                    .withNamespace(space.namespace())
                    .endMetadata()
                    .build())
            .create();
    return new OwnerReferenceBuilder()
        .withApiVersion("v1")
        .withKind("ConfigMap")
        .withName("owner")
        .withUid(owner.getMetadata().getUid())
        .withController(true)
        .build();
  }

  /** One act; what the API server refuses him is no fault. */
  private void act(Tenant tenant) {
    try {
      var own = tenant.pods();
      int draw = random.nextInt(12);
      if (own.isEmpty() || (draw < 5 && own.size() < 60)) {
        create(tenant);
      } else if (draw < 8) {
        tenant.user().resource(any(own)).withGracePeriod(random.nextInt(2)).delete();
      } else if (draw < 10) {
        change(tenant.user(), any(own));
      } else {
        disown(tenant.user(), random.nextBoolean() ? own : List.of(any(own)));
      }
    } catch (KubernetesClientException e) {
      assertThat(e.getCode()).as(e.getMessage()).isIn(403, 404, 409, 422);
    }
  }

  /** Pods that may end for others, on the nodes of both. */
  private void create(Tenant tenant) {
    int count = 1 + random.nextInt(5);
    var name = "h" + made++;
    var gang = GangManifest.of(tenant.space(), name, count).gpus(random.nextInt(5));
    boolean isOwned = random.nextInt(4) > 0;
    if (!isOwned) {
      gang = gang.annotated("muster.io/preemptible", "true");
    }
    if (random.nextInt(3) == 0) {
      gang = gang.without(GangManifest.NAME).without(GangManifest.MIN);
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      var key = any(KEYS);
      if (isOwned || !key.equals("muster.io/preemptible")) {
        gang = gang.annotated(key, any(VALUES));
      }
    }
    boolean isOnNode = random.nextInt(6) == 0;
    for (var pod : gang.pods()) {
      pod.getSpec().setNodeSelector(tenant.selector());
      pod.getSpec().setTerminationGracePeriodSeconds(1L);
      if (isOwned) {
        pod.getMetadata().setOwnerReferences(List.of(tenant.owner()));
      }
      if (isOnNode) {
        createOnNode(tenant, pod);
      } else {
        tenant.user().resource(pod).create();
      }
    }
  }

  /** Refused where it asks for devices or is a member. */
  private void createOnNode(Tenant tenant, Pod pod) {
    pod.getSpec().setNodeName(any(tenant.nodes()));
    var limits = pod.getSpec().getContainers().getFirst().getResources().getLimits();
    boolean isRefused =
        pod.getMetadata().getAnnotations().containsKey(GangManifest.NAME)
            || (limits != null && limits.containsKey("nvidia.com/gpu"));
    try {
      tenant.user().resource(pod).create();
      assertThat(isRefused).as(pod.getMetadata().toString()).isFalse();
    } catch (KubernetesClientException e) {
      refusedOnNodes += e.getMessage().contains("sends a pod past its scheduler") ? 1 : 0;
      throw e;
    }
  }

  private void disown(KubernetesClient user, List<Pod> pods) {
    for (var pod : pods) {
      if (!pod.getMetadata().getOwnerReferences().isEmpty()) {
        user.resource(pod).patch(PatchContext.of(PatchType.JSON_MERGE), NO_OWNERS);
        disowned += pod.getSpec().getNodeName() == null ? 0 : 1;
      }
    }
  }

  private void change(KubernetesClient user, Pod pod) {
    var markings =
        "{\"metadata\":{\"%s\":{\"%s\":\"%s\"}}}"
            .formatted(any(List.of("annotations", "labels")), any(KEYS), any(VALUES));
    user.resource(pod).patch(PatchContext.of(PatchType.JSON_MERGE), markings);
  }
}
