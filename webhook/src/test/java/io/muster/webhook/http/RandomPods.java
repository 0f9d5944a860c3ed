package io.muster.webhook.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Random;

/** Pods of every kind that an apiserver sends. */
final class RandomPods {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final List<String> KEYS =
      List.of(
          "muster.io/gang-name",
          "muster.io/gang-min",
          "muster.io/gang-total",
          "muster.io/gang-timeout",
          "muster.io/gang-mode",
          "muster.io/gang-groups",
          "muster.io/gang-roles",
          "muster.io/gang-role",
          "muster.io/gang-index",
          "muster.io/gang-dialect",
          "muster.io/gang-incarnation",
          "muster.io/gang-topology-required",
          "muster.io/gang-segments",
          "muster.io/injected",
          "muster.io/pin",
          "muster.io/pinned",
          "gang.scheduling.koordinator.sh/name",
          "gang.scheduling.koordinator.sh/min-available",
          "gang.scheduling.koordinator.sh/groups",
          "scheduling.k8s.io/group-name",
          "kueue.x-k8s.io/pod-group-name",
          "a~b/c");

  private static final List<String> VALUES =
      List.of(
          "a",
          "2",
          "1",
          "0",
          "-1",
          "5000",
          "muster",
          "koordinator",
          "[\"ml/a\"]",
          "w=1",
          "",
          "allowed",
          "7:n1,n2",
          "10s",
          "Strict",
          "\u0000",
          "\ud83d\ude00",
          "a b",
          "9".repeat(400));

  private static final List<String> RESOURCES =
      List.of(
          "cpu",
          "memory",
          "nvidia.com/gpu",
          "nvidia.com/mig-1g.5gb",
          "amd.com/gpu",
          "muster.io/gang-member",
          "nvidia.com/gpu.shared");

  private static final List<String> QUANTITIES =
      List.of("1", "0", "2", "100m", "1Gi", "1e3", "0.5");

  private final Random random;

  RandomPods(long seed) {
    random = new Random(seed);
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  private <T> T oneOf(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  /** A pod that an apiserver could send: every field has its type. */
  ObjectNode pod() {
    var pod = JSON.objectNode().put("apiVersion", "v1").put("kind", "Pod");
    var metadata = pod.putObject("metadata");
    metadata.put(chance(50) ? "name" : "generateName", "p");
    if (chance(90)) {
      var annotations = metadata.putObject("annotations");
      if (chance(70)) {
        annotations.put("muster.io/gang-name", "a").put("muster.io/gang-min", "2");
      }
      for (int i = below(5); i > 0; i--) {
        annotations.put(oneOf(KEYS), oneOf(VALUES));
      }
    }
    if (chance(30)) {
      var labels = metadata.putObject("labels");
      labels.put(
          chance(50) ? "pod-group.scheduling.sigs.k8s.io/name" : "muster.io/inject", "false");
    }
    if (chance(40)) {
      metadata
          .putArray("ownerReferences")
          .addObject()
          .put("apiVersion", "batch/v1")
          .put("kind", "Job")
          .put("name", "j")
          .put("uid", "j1")
          .put("controller", true);
    }
    var spec = pod.putObject("spec");
    if (chance(90)) {
      spec.put("schedulerName", chance(90) ? "default-scheduler" : "volcano");
    }
    containers(spec.putArray("containers"), 1 + below(3));
    if (chance(30)) {
      containers(spec.putArray("initContainers"), 1 + below(2));
    }
    if (chance(30)) {
      var gates = spec.putArray("schedulingGates");
      if (chance(50)) {
        gates.addObject().put("name", "quota");
      }
      gates.addObject().put("name", "muster.io/gang");
    }
    if (chance(40)) {
      affinity(spec.putObject("affinity"));
    }
    if (chance(10)) {
      spec.put("hostNetwork", true);
    }
    if (chance(10)) {
      spec.putArray("resourceClaims").addObject().put("name", "c").put("resourceClaimName", "d");
    }
    return pod;
  }

  private void containers(ArrayNode containers, int count) {
    for (int i = 0; i < count; i++) {
      var container = containers.addObject().put("name", "c" + i).put("image", "x");
      if (chance(80)) {
        var resources = container.putObject("resources");
        for (var kind : List.of("requests", "limits")) {
          if (chance(60)) {
            var stated = resources.putObject(kind);
            for (int n = below(3); n > 0; n--) {
              stated.put(oneOf(RESOURCES), oneOf(QUANTITIES));
            }
          }
        }
      }
      if (chance(10)) {
        container.putArray("ports").addObject().put("containerPort", 80).put("hostPort", 80);
      }
    }
  }

  private void affinity(ObjectNode affinity) {
    if (chance(20)) {
      return;
    }
    var nodes = affinity.putObject("nodeAffinity");
    if (chance(70)) {
      var terms =
          nodes
              .putObject("requiredDuringSchedulingIgnoredDuringExecution")
              .putArray("nodeSelectorTerms");
      for (int i = 1 + below(2); i > 0; i--) {
        var named = chance(50);
        var one =
            terms.addObject().putArray(named ? "matchFields" : "matchExpressions").addObject();
        one.put("key", named ? "metadata.name" : "zone").put("operator", "In");
        one.putArray("values").add("n1");
      }
    }
  }
}
