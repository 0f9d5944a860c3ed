package io.muster.deploy.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether the apiserver holds the admission policies that Muster writes.
 *
 * @param wanted among them the policies and their bindings, as this version writes them
 */
record RegisteredPolicies(KubernetesClient client, List<HasMetadata> wanted) {

  /** What the apiserver stores in a policy where nothing is said. */
  private static final Map<String, JsonNode> DEFAULTS =
      Map.of(
          "failurePolicy", TextNode.valueOf("Fail"),
          "matchPolicy", TextNode.valueOf("Equivalent"));

  Finding finding() {
    var wrong =
        wanted.stream()
            .filter(object -> object.getKind().startsWith("ValidatingAdmissionPolicy"))
            .flatMap(policy -> wrong(policy).stream())
            .toList();
    return wrong.isEmpty()
        ? Finding.ok(
            "policies",
            "members come complete and stay as made, and pods with devices name no node")
        : Finding.problem(
            "policies",
            "missing or other than this version and these settings have them: "
                + String.join(", ", wrong),
            Registered.MUSTER_WRITES_IT + Registered.GIVE_SETTINGS);
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
