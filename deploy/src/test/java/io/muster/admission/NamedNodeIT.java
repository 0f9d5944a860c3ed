package io.muster.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import io.muster.sandbox.Users;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A pod with devices, or a member, is sent past its scheduler by nobody who may not bind pods. */
@ExtendWith(SandboxExtension.class)
final class NamedNodeIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Map<String, String> APP = Map.of("app", "a");
  private static final String REFUSED =
      "'muster-pods-name-no-node' denied request: spec.nodeName sends a pod past its scheduler,"
          + " which may not be done with a pod that asks for devices or is a member of a gang:"
          + " leave it out, and choose nodes by spec.nodeSelector or node affinity on"
          + " kubernetes.io/hostname; whoever may create pods/binding in the namespace may set it,"
          + " on pods that no controller makes";

  @Test
  void aUserMayNotNameTheNodeOfAPodWithDevices(Sandbox sandbox, TestSpace space) {
    try (var user = Users.editor(sandbox, space)) {
      assertThatThrownBy(() -> create(user, onNode(space, single(space, 1))))
          .isInstanceOfSatisfying(
              KubernetesClientException.class,
              refusal -> assertThat(refusal.getCode()).isEqualTo(HttpURLConnection.HTTP_FORBIDDEN))
          .hasMessageContaining(REFUSED);
    }
  }

  @Test
  void norThatOfAMember(Sandbox sandbox, TestSpace space) {
    try (var user = Users.editor(sandbox, space)) {
      assertThatThrownBy(
              () -> create(user, onNode(space, GangManifest.of(space, "g", 1).gpus(0).pod("g-0"))))
          .hasMessageContaining(REFUSED);
    }
  }

  /** Another scheduler has as little to do with it; the mark of a static pod is anybody's. */
  @Test
  void noOtherWordOnThePodHelps(Sandbox sandbox, TestSpace space) {
    var pod = onNode(space, single(space, 1));
    pod.getSpec().setSchedulerName("volcano");
    pod.getMetadata()
        .setAnnotations(Map.of("kubernetes.io/config.mirror", "x", "muster.io/injected", "x"));
    pod.getMetadata().setLabels(Map.of("muster.io/inject", "false"));
    try (var user = Users.editor(sandbox, space)) {
      assertThatThrownBy(() -> create(user, pod)).hasMessageContaining(REFUSED);
    }
  }

  @Test
  void norDoesAReplicaSetThatMakesThePod(Sandbox sandbox, TestSpace space) {
    var pod = onNode(space, single(space, 1));
    pod.getSpec().setRestartPolicy("Always");
    try (var user = Users.editor(sandbox, space)) {
      user.resource(
              new ReplicaSetBuilder()
                  .withNewMetadata()
                  .withName("r")
                  .withNamespace(space.namespace())
                  .endMetadata()
                  .withNewSpec()
                  .withReplicas(1)
                  .withNewSelector()
                  .withMatchLabels(APP)
                  .endSelector()
                  .withTemplate(template(pod))
                  .endSpec()
                  .build())
          .create();
    }

    isRefusedToTheOwner(space, "r");
  }

  /** The controller of DaemonSets may itself create Bindings. */
  @Test
  void norADaemonSet(Sandbox sandbox, TestSpace space) {
    var pod = onNode(space, single(space, 1));
    pod.getSpec().setRestartPolicy("Always");
    try (var user = Users.editor(sandbox, space)) {
      user.resource(
              new DaemonSetBuilder()
                  .withNewMetadata()
                  .withName("d")
                  .withNamespace(space.namespace())
                  .endMetadata()
                  .withNewSpec()
                  .withNewSelector()
                  .withMatchLabels(APP)
                  .endSelector()
                  .withTemplate(template(pod))
                  .endSpec()
                  .build())
          .create();
    }

    isRefusedToTheOwner(space, "d");
  }

  private static void isRefusedToTheOwner(TestSpace space, String owner) {
    Await.until(
        "the event that says why",
        SOON,
        () -> space.events(owner).stream().anyMatch(event -> event.contains(REFUSED)));
    assertThat(space.client().pods().inNamespace(space.namespace()).list().getItems()).isEmpty();
  }

  @Test
  void whoMayCreateBindingsMayNameTheNode(Sandbox sandbox, TestSpace space) {
    sandbox.kubectl(
        "-n",
        space.namespace(),
        "create",
        "role",
        "binder",
        "--verb=create",
        "--resource=pods/binding");
    sandbox.kubectl(
        "-n",
        space.namespace(),
        "create",
        "rolebinding",
        "binder",
        "--role=binder",
        "--user=editor-of-" + space.namespace());
    try (var user = Users.editor(sandbox, space)) {
      var pod = onNode(space, single(space, 1));
      // RBAC is read by the API server from a cache.
      Await.until("the right to be known", SOON, () -> isCreated(user, pod));
    }
    create(
        space.client(), onNode(space, GangManifest.of(space, "g", 1).pod("by-the-administrator")));
  }

  @Test
  void aPodWithoutDevicesMayNameItsNode(Sandbox sandbox, TestSpace space) {
    try (var user = Users.editor(sandbox, space)) {
      create(user, onNode(space, single(space, 0)));
    }
  }

  @Test
  void nothingIsRefusedWhereMusterIsNotLetIn(Sandbox sandbox, TestSpace space) {
    try (var user = Users.editor(sandbox, space)) {
      for (var label : new String[] {"muster.io/enrol=shadow", "muster.io/injection=disabled"}) {
        var parts = label.split("=");
        space.client().namespaces().withName(space.namespace()).edit(own -> labelled(own, parts));
        var pod = onNode(space, single(space, 1));
        pod.getMetadata().setName(parts[1]);
        Await.until("the label to be known", SOON, () -> isCreated(user, pod));
        space.client().namespaces().withName(space.namespace()).edit(own -> unlabelled(own, parts));
      }
    }
  }

  private static Namespace labelled(Namespace own, String... label) {
    return new NamespaceBuilder(own)
        .editMetadata()
        .addToLabels(label[0], label[1])
        .endMetadata()
        .build();
  }

  private static Namespace unlabelled(Namespace own, String... label) {
    return new NamespaceBuilder(own)
        .editMetadata()
        .removeFromLabels(label[0])
        .endMetadata()
        .build();
  }

  private static Pod single(TestSpace space, int gpus) {
    return GangManifest.of(space, "single", 1)
        .without(GangManifest.NAME)
        .without(GangManifest.MIN)
        .gpus(gpus)
        .pod("single");
  }

  private static Pod onNode(TestSpace space, Pod pod) {
    pod.getSpec().setNodeName(space.nodes(1, NodeShape.GPU1).getFirst());
    return pod;
  }

  private static PodTemplateSpec template(Pod pod) {
    return new PodTemplateSpecBuilder()
        .withNewMetadata()
        .withLabels(APP)
        .endMetadata()
        .withSpec(pod.getSpec())
        .build();
  }

  private static void create(KubernetesClient user, Pod pod) {
    user.resource(pod).create();
  }

  private static boolean isCreated(KubernetesClient user, Pod pod) {
    try {
      create(user, pod);
      return true;
    } catch (KubernetesClientException e) {
      assertThat(e).hasMessageContaining(REFUSED);
      return false;
    }
  }
}
