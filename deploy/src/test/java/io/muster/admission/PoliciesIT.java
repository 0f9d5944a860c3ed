package io.muster.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import io.muster.sandbox.Users;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a pod says about its gang stays as it was made, and nobody else is kept from their work. */
@ExtendWith(SandboxExtension.class)
final class PoliciesIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  @ParameterizedTest
  @CsvSource({
    "muster.io/gang-min, '\"1\"'",
    "muster.io/gang-name, '\"other\"'",
    "muster.io/gang-dialect, '\"koordinator\"'",
    "muster.io/gang-dialect, null",
    "muster.io/gang-incarnation, '\"7\"'",
    "muster.io/injected, '\"forged\"'",
    "muster.io/pinned, '\"forged\"'",
    "muster.io/queue, '\"speech\"'",
    "muster.io/preemptible, '\"false\"'",
    "muster.io/run-time, '\"1s\"'",
    "muster.io/run-time-limit, '\"99h\"'",
    "muster.io/checkpoint-every, '\"1s\"'",
    "gang.scheduling.koordinator.sh/min-available, '\"1\"'",
    "pod-group.scheduling.sigs.k8s.io/match-policy, '\"only-waiting\"'",
    "scheduling.k8s.io/group-name, '\"other\"'",
    "kueue.x-k8s.io/pod-group-total-count, '\"1\"'",
    "yunikorn.apache.org/task-group-name, '\"other\"'"
  })
  void aUserCannotForgeWhatAMemberSays(String key, String value, Sandbox sandbox, TestSpace space) {
    var pod = waitingMember(space);
    try (var user = Users.editor(sandbox, space)) {
      assertThatThrownBy(() -> annotate(user, pod, "\"%s\": %s".formatted(key, value)))
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining(
              ("denied request: annotation %s cannot be changed once the pod is there:"
                      + " delete the pod and create it again")
                  .formatted(key));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "muster.io/member, null",
    "muster.io/members-enough, '\"1\"'",
    "pod-group.scheduling.sigs.k8s.io/name, '\"other\"'",
    "pod-group.scheduling.sigs.k8s.io/min-available, '\"1\"'",
    "scheduling.x-k8s.io/pod-group, '\"other\"'",
    "kueue.x-k8s.io/pod-group-name, '\"other\"'",
    "volcano.sh/task-spec, '\"other\"'"
  })
  void norItsLabels(String key, String value, Sandbox sandbox, TestSpace space) {
    var pod = waitingMember(space);
    try (var user = Users.editor(sandbox, space)) {
      assertThatThrownBy(() -> label(user, pod, "\"%s\": %s".formatted(key, value)))
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining(
              ("denied request: label %s cannot be changed once the pod is there:"
                      + " delete the pod and create it again")
                  .formatted(key));
    }
  }

  /** As the controllers of Volcano and KAI do, for pods that other schedulers place. */
  @Test
  void aPodThatIsNoMemberMayBeGivenTheGroupOfAnotherScheduler(Sandbox sandbox, TestSpace space) {
    var single = GangManifest.of(space, "single", 1).pod("single");
    single.getMetadata().setAnnotations(null);
    single.getSpec().setSchedulerName("volcano");
    space.client().resource(single).create();
    try (var user = Users.editor(sandbox, space)) {
      annotate(user, single, "\"scheduling.k8s.io/group-name\": \"podgroup-1\"");
      label(user, single, "\"volcano.sh/task-spec\": \"worker\"");

      assertThat(in(user, single).get().getMetadata().getAnnotations())
          .containsEntry("scheduling.k8s.io/group-name", "podgroup-1");
      assertThatThrownBy(() -> annotate(user, single, "\"muster.io/preemptible\": \"false\""))
          .hasMessageContaining("annotation muster.io/preemptible cannot be changed");
    }
  }

  @Test
  void aUserMayWriteAnythingElse(Sandbox sandbox, TestSpace space) {
    var pod = waitingMember(space);
    try (var user = Users.editor(sandbox, space)) {
      annotate(user, pod, "\"mine\": \"1\", \"muster.io/pin\": \"allowed\"");
      label(user, pod, "\"a\": \"b\", \"jobset.sigs.k8s.io/restart-attempt\": \"1\"");

      assertThat(in(user, pod).get().getMetadata().getAnnotations()).containsEntry("mine", "1");
    }
  }

  @Test
  void aUserMayTakeTheGateOffByHand(Sandbox sandbox, TestSpace space) {
    var pod = waitingMember(space);
    Await.until(
        "the gate",
        SOON,
        () -> !in(space.client(), pod).get().getSpec().getSchedulingGates().isEmpty());
    try (var user = Users.editor(sandbox, space)) {
      in(user, pod)
          .patch(
              PatchContext.of(PatchType.STRATEGIC_MERGE),
              "{\"spec\":{\"schedulingGates\":[{\"name\":\"muster.io/gang\",\"$patch\":\"delete\"}]}}");

      assertThat(in(user, pod).get().getSpec().getSchedulingGates()).isEmpty();
    }
  }

  @Test
  void theJobControllerAndTheNodeFinishAJobWhoseMembersCarryOurKeys(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "job", 2).annotated("sandbox.muster.io/run-for", "1s");
    gang.createJob();
    Await.until("the job to be done", SOON, () -> succeeded(space) == 2);

    // Its pods have lost the Job controller's finalizer, so they go.
    space.client().batch().v1().jobs().inNamespace(space.namespace()).withName("job").delete();
    Await.until("its pods to be gone", SOON, () -> gang.stored().isEmpty());
  }

  @Test
  void aKubeletMayReportAboutAMember(Sandbox sandbox, TestSpace space) {
    space.nodes(1, NodeShape.GPU1);
    var gang = GangManifest.of(space, "node", 1);
    gang.create();
    Await.until("the member to run", SOON, () -> gang.running() == 1);
    var pod = gang.stored().getFirst();
    var node = pod.getSpec().getNodeName();
    sandbox.kubectl(
        "create",
        "clusterrolebinding",
        space.namespace(),
        "--clusterrole=system:node",
        "--user=system:node:" + node);
    try (var kubelet = Users.as(sandbox, "system:node:" + node, "system:nodes")) {
      in(kubelet, pod)
          .subresource("status")
          .patch(
              PatchContext.of(PatchType.STRATEGIC_MERGE),
              "{\"status\":{\"conditions\":[{\"type\":\"Checked\",\"status\":\"True\"}]}}");
    } finally {
      sandbox.kubectl("delete", "clusterrolebinding", space.namespace());
    }

    assertThat(in(space.client(), pod).get().getStatus().getConditions())
        .anyMatch(condition -> condition.getType().equals("Checked"));
  }

  @Test
  void aMemberWhoseMarkerAnotherPluginTakesAwayIsRefused(TestSpace space) {
    var gang = GangManifest.of(space, "g", 2);
    try (var _ = new StrippingWebhook(space)) {
      gang.create(gang.pod("with-gpu"));

      Await.until(
          "the member to be refused",
          SOON,
          () -> {
            try {
              WebhookDownIT.once(space, gang.gpus(0).pod("launcher"));
              space.client().pods().inNamespace(space.namespace()).withName("launcher").delete();
              return false;
            } catch (KubernetesClientException e) {
              assertThat(e)
                  .hasMessageContaining(
                      "'muster-members-come-complete' denied request: a member of a gang would be"
                          + " scheduled without its gang: Muster gave it the resource"
                          + " muster.io/gang-member and another admission plugin took it away; let"
                          + " that plugin leave the resource in place");
              return true;
            }
          });
    }
  }

  @Test
  void editAndApplyOfAMemberWork(Sandbox sandbox, TestSpace space) {
    var pod = waitingMember(space);
    var name = pod.getMetadata().getName();

    assertThat(
            sandbox.kubectl(
                "-n", space.namespace(), "annotate", "pod", name, "note=seen", "--overwrite"))
        .contains("annotated");
    assertThat(sandbox.kubectl("-n", space.namespace(), "label", "pod", name, "team=a"))
        .contains("labeled");
  }

  private static int succeeded(TestSpace space) {
    var status =
        space
            .client()
            .batch()
            .v1()
            .jobs()
            .inNamespace(space.namespace())
            .withName("job")
            .get()
            .getStatus();
    return status == null || status.getSucceeded() == null ? 0 : status.getSucceeded();
  }

  /** One of two members, so that it stays as it is. */
  private static Pod waitingMember(TestSpace space) {
    var gang =
        GangManifest.of(space, "g", 1)
            .without(GangManifest.NAME)
            .without(GangManifest.MIN)
            .annotated("muster.io/gang-name", "g")
            .annotated("muster.io/gang-min", "2");
    gang.create();
    return space.client().pods().inNamespace(space.namespace()).withName("g-0").get();
  }

  private static void annotate(KubernetesClient client, Pod pod, String annotations) {
    in(client, pod)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"annotations\":{" + annotations + "}}}");
  }

  private static void label(KubernetesClient client, Pod pod, String labels) {
    in(client, pod)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"labels\":{" + labels + "}}}");
  }

  private static PodResource in(KubernetesClient client, Pod pod) {
    return client
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName());
  }
}
