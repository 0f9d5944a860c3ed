package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.sandbox.Await;
import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Objects stored under CRDs that checked nothing, as earlier controllers brought them, live on when
 * Muster's CRDs take their place.
 */
@BareSandbox
@ExtendWith(SandboxExtension.class)
final class EarlierObjectsIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  private static final Map<String, Object> TEMPLATE =
      Map.of("spec", Map.of("hostNetwork", true, "containers", List.of(Map.of("name", "main"))));

  private static final Map<String, Object> MOUNTING =
      Map.of(
          "spec",
          Map.of(
              "hostNetwork",
              true,
              "containers",
              List.of(Map.of("name", "main", "volumeMounts", List.of(Map.of("name", "nowhere"))))));

  @Test
  void everyEarlierObjectCanStillBeWrittenToWithoutMendingIt(Sandbox sandbox, TestSpace space) {
    var kinds = new KindObjects(space);
    var uids = new HashMap<Earlier, String>();
    KindObjects.install(sandbox);
    try {
      KindObjects.PLURALS.forEach(plural -> permit(sandbox, plural + ".kai.alibabacloud.com"));
      permit(sandbox, "dijobs.diengine.opendilab.org");
      Await.until("a job without spec to be let in", SOON, () -> isLetIn(kinds));
      for (var object : earlier()) {
        var made = kinds.create(object.kind(), object.name(), object.spec());
        uids.put(object, made.getMetadata().getUid());
      }
    } finally {
      KindObjects.install(sandbox);
    }
    Await.until("Muster's rules to be in force", SOON, () -> !isLetIn(kinds));

    for (var object : earlier()) {
      kinds.status(object.plural(), object.name(), Map.of("phase", "Failed"));
      kinds.kubectl("annotate", object.plural(), object.name(), "note=seen");
      var shown = "{.metadata.uid} {.status.phase} {.metadata.annotations.note}";
      assertThat(kinds.text(object.plural(), object.name(), shown))
          .as(object.name())
          .isEqualTo(uids.get(object) + " Failed seen");
    }
    assertThatThrownBy(() -> kinds.kubectl("scale", "trainingjob", "1.job", "--replicas=4"))
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining("minReplicas is above replicas");
  }

  private record Earlier(String kind, String name, Map<String, Object> spec) {
    String plural() {
      return kind.toLowerCase(Locale.ROOT) + "s";
    }
  }

  /** Broken in every way that a rule forbids, where the rules can be broken at once. */
  private static List<Earlier> earlier() {
    return List.of(
        new Earlier(
            "TrainingJob",
            "1.job",
            Map.of(
                "cleanPodPolicy",
                "Sometimes",
                "launcherAttachMode",
                "telnet",
                "slotsPerWorker",
                0,
                "backoffLimit",
                -1,
                "restartPolicy",
                "Always",
                "etReplicaSpecs",
                Map.of(
                    "launcher", Map.of("replicas", 2),
                    "worker",
                        Map.of(
                            "replicas", 3,
                            "minReplicas", 5,
                            "maxReplicas", 1,
                            "restartPolicy", "Perhaps",
                            "template", TEMPLATE)))),
        new Earlier("TrainingJob", "no-spec", null),
        new Earlier("TrainingJob", "no-roles", Map.of("slotsPerWorker", 1)),
        new Earlier(
            "TrainingJob",
            "no-containers",
            Map.of(
                "etReplicaSpecs",
                Map.of(
                    "launcher", Map.of("template", Map.of("spec", Map.of("containers", List.of()))),
                    "worker", Map.of("template", TEMPLATE)))),
        new Earlier("ScaleIn", "no-spec", null),
        new Earlier("ScaleIn", "nothing", Map.of("timeout", 0)),
        new Earlier(
            "ScaleIn",
            "everything",
            Map.of(
                "backoffLimit", -1,
                "env", List.of(Map.of("name", "a;b"), Map.of("value", "x")),
                "toDelete", Map.of("count", -3, "podNames", List.of()))),
        new Earlier("ScaleOut", "a".repeat(64), Map.of("toAdd", Map.of("count", 0))),
        new Earlier("ScaleOut", "nothing", Map.of("toAdd", Map.of())),
        new Earlier("DIJob", "no-spec", null),
        new Earlier(
            "DIJob",
            "seed.0",
            Map.of(
                "cleanPodPolicy",
                "Sometimes",
                "priority",
                "urgent",
                "backoffLimit",
                -1,
                "minReplicas",
                9,
                "maxReplicas",
                0,
                "engineFields",
                Map.of("topology", "ring", "parallelWorkers", 0),
                "volumes",
                List.of(Map.of("emptyDir", Map.of())),
                "tasks",
                List.of(
                    Map.of("type", "learner", "replicas", 0, "template", MOUNTING),
                    Map.of("type", "learner", "name", "Big_" + "a".repeat(64)),
                    Map.of("type", "none", "template", TEMPLATE)))),
        new Earlier(
            "DIJob",
            "a".repeat(64),
            Map.of(
                "coordinator",
                Map.of("template", MOUNTING),
                "template",
                TEMPLATE,
                "minReplicas",
                3,
                "maxReplicas",
                2)));
  }

  private static boolean isLetIn(KindObjects kinds) {
    try {
      kinds.kubectl("delete", "trainingjob", "probe", "--ignore-not-found");
      kinds.create("TrainingJob", "probe", null);
      return true;
    } catch (KubernetesClientException refused) {
      assertThat(refused).hasMessageContaining("spec is missing");
      return false;
    }
  }

  /** The same kind, without any check of its own. */
  private static void permit(Sandbox sandbox, String name) {
    var crd = sandbox.client().apiextensions().v1().customResourceDefinitions().withName(name);
    crd.edit(found -> {
      for (var version : found.getSpec().getVersions()) {
        version.getSchema().setOpenAPIV3Schema(anything());
      }
      return found;
    });
  }

  private static JSONSchemaProps anything() {
    return new JSONSchemaPropsBuilder()
        .withType("object")
        .withXKubernetesPreserveUnknownFields(true)
        .build();
  }
}
