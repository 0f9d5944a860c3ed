package io.muster.deploy.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.kinds.di.DiKind;
import io.muster.controller.kinds.dlrover.DlroverKind;
import io.muster.controller.kinds.etoperator.EtOperatorKind;
import io.muster.controller.kinds.paddle.PaddleKind;
import io.muster.controller.kube.ClusterObjects;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whether the apiserver holds the admission policies that Muster writes. */
record RegisteredPolicies(KubernetesClient client) {

  private static final String CHECK = "policies";

  private static final Map<String, Class<?>> KINDS =
      Map.of(
          "etoperator", EtOperatorKind.class,
          "dlrover", DlroverKind.class,
          "di", DiKind.class,
          "paddle", PaddleKind.class);

  /** What the apiserver stores in a policy where nothing is said. */
  private static final Map<String, JsonNode> DEFAULTS =
      Map.of(
          "failurePolicy", TextNode.valueOf("Fail"),
          "matchPolicy", TextNode.valueOf("Equivalent"),
          "scope", TextNode.valueOf("*"));

  /**
   * @param wanted among them the policies about members, and their bindings
   */
  Finding ofMembers(List<HasMetadata> wanted) {
    return finding(
        CHECK,
        wanted,
        "members come complete and stay as made, and pods with devices name no node",
        Registered.MUSTER_WRITES_IT + Registered.GIVE_SETTINGS);
  }

  /**
   * @param kinds of jobs, by the names that the settings have for them
   */
  List<Finding> ofJobs(List<String> kinds) {
    var findings = new ArrayList<Finding>();
    for (var kind : kinds) {
      var wanted = ClusterObjects.beside(KINDS.get(kind));
      if (wanted.stream().anyMatch(RegisteredPolicies::isPolicy)) {
        findings.add(
            finding(
                CHECK + "." + kind,
                wanted,
                "no job is changed into what cannot run",
                "a running Muster writes it within 5 minutes; read in its log why it cannot"));
      }
    }
    return findings;
  }

  private Finding finding(String check, List<HasMetadata> wanted, String well, String remedy) {
    var wrong =
        wanted.stream()
            .filter(RegisteredPolicies::isPolicy)
            .flatMap(policy -> wrong(policy).stream())
            .toList();
    return wrong.isEmpty()
        ? Finding.ok(check, well)
        : Finding.problem(
            check,
            "missing or other than this version and these settings have them: "
                + String.join(", ", wrong),
            remedy);
  }

  private static boolean isPolicy(HasMetadata object) {
    return object.getKind().startsWith("ValidatingAdmissionPolicy");
  }

  private Optional<String> wrong(HasMetadata policy) {
    var found = Optional.ofNullable(client.resource(policy).get());
    return found.filter(there -> spec(there).equals(spec(policy))).isPresent()
        ? Optional.empty()
        : Optional.of(policy.getKind() + " " + policy.getMetadata().getName());
  }

  private JsonNode spec(HasMetadata policy) {
    var json = client.getKubernetesSerialization().convertValue(policy, JsonNode.class);
    return stated(json.path("spec"));
  }

  /** The same without defaults, and without what holds nothing. */
  private static JsonNode stated(JsonNode node) {
    return switch (node) {
      case ObjectNode object -> {
        var kept = object.objectNode();
        object.properties().stream()
            .filter(field -> !field.getValue().equals(DEFAULTS.get(field.getKey())))
            .forEach(field -> {
              var value = stated(field.getValue());
              if (!value.isContainerNode() || !value.isEmpty()) {
                kept.set(field.getKey(), value);
              }
            });
        yield kept;
      }
      case ArrayNode array -> {
        var kept = array.arrayNode();
        array.forEach(element -> kept.add(stated(element)));
        yield kept;
      }
      default -> node;
    };
  }
}
