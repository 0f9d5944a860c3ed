package io.muster.webhook.injection;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.webhook.core.Admission;
import io.muster.webhook.core.Admission.Allowed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** What holds for any pod, made up of what pods are made of. */
final class InjectionProperties {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String[] DEVICES = {
    "nvidia.com/gpu", "nvidia.com/mig-1g.5gb", "amd.com/gpu", "nvidia.com/gpu.shared", "cpu"
  };
  private static final String[] VARIABLES = {
    "NODE_NUM",
    "NODE_RANK",
    "GANG_NAME",
    "POD_NAME",
    "RANK",
    "PET_NNODES",
    "MASTER_ADDR",
    "NCCL_DEBUG",
    "NVIDIA_VISIBLE_DEVICES",
    "MINE"
  };
  private static final String[] PROFILES = {
    "none",
    "plain-ddp",
    "torchrun-static",
    "torchrun-elastic",
    "dlrover",
    "mpi",
    "tensorflow",
    "jax",
    "unheard-of"
  };
  private static final String[] NAMED = {
    "debug-hang", "efa", "infiniband", "speech", "rail", "mnnvl", "unheard-of"
  };

  @Property(tries = 2000)
  void aSecondCallChangesNothing(@ForAll long seed) {
    var pod = pod(new Random(seed));
    if (Fixture.admit(pod) instanceof Allowed once) {
      var again = Fixture.admit(Fixture.patched(pod, once));
      assertThat(((Allowed) again).patch()).as(pod.toString()).isEmpty();
    }
  }

  @Property(tries = 1000)
  void whatTheUserSaysStays(@ForAll long seed) {
    var pod = pod(new Random(seed));
    ((ObjectNode) pod.path("metadata").path("annotations")).remove("muster.io/injected");
    if (Fixture.admit(pod) instanceof Allowed allowed) {
      var stored = Fixture.patched(pod, allowed);
      for (var list : List.of("containers", "initContainers")) {
        for (int i = 0; i < pod.path("spec").path(list).size(); i++) {
          var before = pod.path("spec").path(list).get(i);
          var after = stored.path("spec").path(list).get(i);
          assertThat(after.path("env")).containsAll(before.path("env"));
          assertThat(after.path("volumeMounts")).containsAll(before.path("volumeMounts"));
          assertThat(PodDifferences.between(before, after)).as(pod.toString()).isEmpty();
          assertThat(names(after)).doesNotHaveDuplicates();
        }
      }
    }
  }

  /** Kueue's hash of a role covers the spec; members must not differ there by who they are. */
  @Property(tries = 1000)
  void membersOfARoleGetTheSameButForVariablesAndAnnotations(
      @ForAll long seed, @ForAll @IntRange(max = 7) int index) {
    var pod = pod(new Random(seed));
    var first = shape(member(pod, 0));
    var other = shape(member(pod, index));

    assertThat(other).isEqualTo(first);
  }

  @Property(tries = 1000)
  void whatACopyCarriesOfAnotherMemberDoesNotStay(
      @ForAll long seed, @ForAll @IntRange(max = 7) int index) {
    var pod = pod(new Random(seed));
    withoutOwnVariables(pod);
    var profile = pod.at("/metadata/annotations/muster.io~1rendezvous-profile").asText();
    var original = member(pod, 3);
    if (!(Fixture.admit(original) instanceof Allowed allowed)) {
      return;
    }
    var copy = (ObjectNode) Fixture.patched(original, allowed);
    ((ObjectNode) copy.path("metadata")).put("name", "train-" + index);
    ((ObjectNode) copy.path("metadata").path("annotations"))
        .put("muster.io/gang-index", Integer.toString(index))
        .put("muster.io/gang-name", "copy")
        .put("muster.io/rendezvous-profile", index % 2 == 0 ? "none" : profile);
    ((ObjectNode) copy.path("spec")).remove(List.of("hostname"));
    var stored = Fixture.patched(copy, (Allowed) Fixture.admit(copy));

    assertThat(stored.toString()).doesNotContain("\"GANG_NAME\",\"value\":\"train\"");
    if (index % 2 == 1) {
      assertThat(stored.toString()).doesNotContain("train-0.muster-train");
    }
    assertThat(stored.at("/metadata/labels/muster.io~1gang-service").asText())
        .isIn("", "muster-copy");
    assertThat(stored.at("/spec/subdomain").asText()).isNotEqualTo("muster-train");
  }

  private static List<String> names(JsonNode container) {
    var names = new ArrayList<String>();
    var seen = new TreeSet<String>();
    container
        .path("env")
        .forEach(variable -> {
          var name = variable.path("name").asText();
          if (seen.add(name) || !variable.path("value").asText().startsWith("user-")) {
            names.add(name);
          }
        });
    return names;
  }

  private static JsonNode shape(JsonNode pod) {
    var outcome = Fixture.admit(pod);
    if (!(outcome instanceof Allowed allowed)) {
      return JSON.getNodeFactory().textNode(((Admission.Denied) outcome).message());
    }
    var spec = (ObjectNode) Fixture.patched(pod, allowed).path("spec").deepCopy();
    spec.remove("hostname");
    spec.findParents("env").forEach(container -> ((ObjectNode) container).remove("env"));
    return spec;
  }

  private static ObjectNode member(ObjectNode pod, int index) {
    var member = pod.deepCopy();
    ((ObjectNode) member.path("metadata")).put("name", "train-" + index);
    ((ObjectNode) member.path("metadata").path("annotations"))
        .put("muster.io/gang-index", Integer.toString(index));
    if (member.path("spec").has("hostname")) {
      ((ObjectNode) member.path("spec")).put("hostname", "train-" + index);
    }
    return member;
  }

  private static void withoutOwnVariables(ObjectNode pod) {
    pod.findParents("env").forEach(container -> ((ObjectNode) container).remove("env"));
    ((ObjectNode) pod.path("metadata").path("annotations"))
        .remove(List.of("muster.io/injected", "muster.io/user-env"));
  }

  private static ObjectNode pod(Random random) {
    var pod = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
    var metadata = pod.putObject("metadata").put("name", "train-3");
    metadata.put("namespace", pick(random, "ml", "mesh", "speech", "taints", "guarded"));
    var annotations = metadata.putObject("annotations").put("muster.io/gang-name", "train");
    annotations.put("muster.io/gang-min", Integer.toString(8 + random.nextInt(4)));
    annotations.put("muster.io/rendezvous-profile", pick(random, PROFILES));
    if (random.nextBoolean()) {
      annotations
          .put("muster.io/gang-total", "12")
          .put("muster.io/gang-index", pick(random, "3", "12"));
    }
    if (random.nextInt(3) == 0) {
      annotations.put("muster.io/profiles", pick(random, NAMED) + "," + pick(random, NAMED));
    }
    if (random.nextInt(4) == 0) {
      annotations.put("muster.io/injected", "default@00000000");
    }
    if (random.nextInt(4) == 0) {
      annotations.put("muster.io/user-env", "c0/NODE_RANK,c1/RANK");
    }
    for (var part : List.of("env", "shm", "tolerations", "nccl")) {
      if (random.nextInt(6) == 0) {
        annotations.put("muster.io/inject-" + part, pick(random, "false", "true", "no"));
      }
    }
    if (random.nextBoolean()) {
      metadata.putObject("labels").put("team", pick(random, "speech", "vision", "other"));
    }
    var spec = pod.putObject("spec");
    if (random.nextInt(3) == 0) {
      spec.putObject("nodeSelector").put("fabric", pick(random, "rail", "other"));
    }
    if (random.nextInt(3) == 0) {
      spec.put("hostname", "train-3").put("subdomain", pick(random, "", "meet"));
    }
    containers(random, spec.putArray("initContainers"), random.nextInt(3), "i");
    containers(random, spec.putArray("containers"), 1 + random.nextInt(3), "c");
    return pod;
  }

  private static void containers(Random random, ArrayNode list, int count, String prefix) {
    for (int i = 0; i < count; i++) {
      var container = list.addObject();
      container.put("name", random.nextInt(8) == 0 ? "istio-proxy" : prefix + i);
      if (prefix.equals("i") && random.nextBoolean()) {
        container.put("restartPolicy", "Always");
      }
      if (random.nextBoolean()) {
        var device = pick(random, DEVICES);
        var amount = Integer.toString(random.nextInt(3));
        var resources = container.putObject("resources");
        resources.putObject(pick(random, "limits", "requests")).put(device, amount);
      }
      if (random.nextInt(5) == 0) {
        container.putObject("securityContext").put("privileged", random.nextBoolean());
      }
      if (random.nextInt(5) == 0) {
        container.putArray("envFrom").addObject().putObject("configMapRef").put("name", "a");
      }
      if (random.nextBoolean()) {
        var env = container.putArray("env");
        for (int v = random.nextInt(4); v >= 0; v--) {
          env.addObject()
              .put("name", pick(random, VARIABLES))
              .put("value", "user-" + random.nextInt(3));
        }
      }
      if (random.nextInt(5) == 0) {
        container
            .putArray("volumeMounts")
            .addObject()
            .put("name", "v")
            .put("mountPath", pick(random, "/dev/shm", "/dev/shm/", "//dev/./shm"));
      }
    }
  }

  private static String pick(Random random, String... words) {
    return words[random.nextInt(words.length)];
  }
}
