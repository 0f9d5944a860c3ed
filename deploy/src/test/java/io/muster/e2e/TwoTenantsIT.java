package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
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

  private final Random random = new Random(1);
  private int made;

  @Test
  void gangsWithinTheirQuotaStartAndNoneEndsWhateverAnotherTenantDoes(
      Sandbox sandbox, TestSpace victims) {
    victims.nodes(2, NodeShape.GPU8);
    try (var hostile = TestSpace.open(sandbox, "hostile")) {
      configure(sandbox, victims, hostile);
      try (var user = Users.editor(sandbox, hostile)) {
        var gangs = new ArrayList<GangManifest>();
        var started = new ArrayList<String>();
        for (int act = 0; act < ACTS; act++) {
          if (act % (ACTS / GANGS) == ACTS / GANGS / 2) {
            var gang = GangManifest.of(victims, "g" + gangs.size(), 2);
            gangs.add(gang);
            gang.create();
          }
          act(user, victims, hostile);
        }
        for (var gang : gangs) {
          Await.until(gang.name() + " to run", SOON, () -> gang.running() == gang.members());
          gang.stored().forEach(pod -> started.add(pod.getMetadata().getUid()));
        }
        assertThat(gangs).hasSize(GANGS);
        for (int act = 0; act < ACTS / GANGS; act++) {
          act(user, victims, hostile);
        }
        assertThat(gangs.stream().flatMap(gang -> gang.stored().stream()))
            .allSatisfy(pod -> assertThat(pod.getMetadata().getDeletionTimestamp()).isNull())
            .extracting(pod -> pod.getMetadata().getUid())
            .containsExactlyElementsOf(started);
      }
    } finally {
      sandbox.client().configMaps().inNamespace("muster-system").withName("muster-queues").delete();
    }
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

  /** One act; what the API server refuses him is no fault. */
  private void act(KubernetesClient user, TestSpace victims, TestSpace hostile) {
    try {
      var own = user.pods().inNamespace(hostile.namespace()).list().getItems();
      int draw = random.nextInt(10);
      if (own.isEmpty() || (draw < 5 && own.size() < 60)) {
        create(user, victims, hostile);
      } else if (draw < 8) {
        user.resource(any(own)).withGracePeriod(random.nextInt(2)).delete();
      } else {
        change(user, any(own));
      }
    } catch (KubernetesClientException e) {
      assertThat(e.getCode()).as(e.getMessage()).isIn(403, 404, 409, 422);
    }
  }

  /** Pods that may end for others, on the nodes of both. */
  private void create(KubernetesClient user, TestSpace victims, TestSpace hostile) {
    int count = 1 + random.nextInt(5);
    var name = "h" + made++;
    var gang =
        GangManifest.of(hostile, name, count)
            .gpus(random.nextInt(5))
            .annotated("muster.io/preemptible", "true");
    if (random.nextInt(3) == 0) {
      gang = gang.without(GangManifest.NAME).without(GangManifest.MIN);
    }
    for (int i = random.nextInt(3); i > 0; i--) {
      var key = any(KEYS);
      if (!key.equals("muster.io/preemptible")) {
        gang = gang.annotated(key, any(VALUES));
      }
    }
    for (var pod : gang.pods()) {
      pod.getSpec().setNodeSelector(victims.nodeSelector());
      pod.getSpec().setTerminationGracePeriodSeconds(1L);
      user.resource(pod).create();
    }
  }

  private void change(KubernetesClient user, Pod pod) {
    var markings =
        "{\"metadata\":{\"%s\":{\"%s\":\"%s\"}}}"
            .formatted(any(List.of("annotations", "labels")), any(KEYS), any(VALUES));
    user.resource(pod).patch(PatchContext.of(PatchType.JSON_MERGE), markings);
  }
}
