package io.muster.webhook.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.webhook.core.facts.PodFacts.ClaimFacts;
import io.muster.webhook.core.facts.PodFacts.ContainerFacts;
import io.muster.webhook.core.facts.PodFacts.ResourceFacts;
import io.muster.webhook.core.facts.PodFacts.SecurityFacts;
import io.muster.webhook.core.facts.PodFacts.SpecFacts;
import io.muster.webhook.core.patch.EnvList;
import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.Value;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads what stands in a pod's spec. Total for any JSON: what has the wrong form is not there. */
final class SpecReading {

  private static final EnvVar.Source OTHER = new EnvVar.Other(Value.EMPTY_OBJECT);

  static final List<String> LISTS_OF_CONTAINERS = List.of("containers", "initContainers");

  private SpecReading() {}

  /** How many there are, without reading any. */
  static int countContainers(JsonNode spec) {
    return LISTS_OF_CONTAINERS.stream()
        .map(spec::path)
        .filter(JsonNode::isArray)
        .mapToInt(JsonNode::size)
        .sum();
  }

  static SpecFacts spec(JsonNode spec) {
    var filled = new HashSet<String>();
    var values = new HashMap<String, String>();
    spec.properties()
        .forEach(member -> {
          var value = member.getValue();
          if (value.isContainerNode()) {
            if (!value.isEmpty()) {
              filled.add(member.getKey());
            }
          } else if (!value.isNull()) {
            values.put(member.getKey(), value.asText());
          }
        });
    return new SpecFacts(
        filled,
        values,
        volumes(spec.path("volumes")),
        items(spec.path("resourceClaims"))
            .map(claim ->
                new ClaimFacts(
                    claim.path("name").asText(""),
                    claim.path("resourceClaimTemplateName").asText(""),
                    claim.path("resourceClaimName").asText("")))
            .toList(),
        Optional.ofNullable(quantities(spec.path("resources").path("limits")).get("memory")),
        ofWholePod(spec.path("resources")));
  }

  private static Set<String> ofWholePod(JsonNode resources) {
    var names = new HashSet<>(quantities(resources.path("requests")).keySet());
    names.addAll(quantities(resources.path("limits")).keySet());
    return names;
  }

  private static Map<String, Value> volumes(JsonNode list) {
    var volumes = new HashMap<String, Value>();
    items(list)
        .filter(volume -> volume.path("name").isTextual())
        .forEach(volume -> volumes.put(volume.path("name").asText(), value(volume)));
    return volumes;
  }

  private static Value value(JsonNode node) {
    return switch (node.getNodeType()) {
      case OBJECT -> {
        var members = new LinkedHashMap<String, Value>();
        node.properties().forEach(member -> members.put(member.getKey(), value(member.getValue())));
        yield new Value.Fields(members);
      }
      case ARRAY -> new Value.Items(node.valueStream().map(SpecReading::value).toList());
      case STRING -> new Value.Text(node.asText());
      case BOOLEAN -> new Value.Flag(node.asBoolean());
      default ->
          node.isIntegralNumber() && node.canConvertToLong()
              ? new Value.Whole(node.asLong())
              : new Value.AsSent(node);
    };
  }

  static List<ContainerFacts> containers(JsonNode containers) {
    return items(containers).map(SpecReading::container).toList();
  }

  private static ContainerFacts container(JsonNode container) {
    var resources = container.path("resources");
    return new ContainerFacts(
        container.path("name").asText(),
        container.path("restartPolicy").asText().equals("Always"),
        new ResourceFacts(
            resources.isObject(),
            quantities(resources.path("requests")),
            quantities(resources.path("limits")),
            texts(resources.path("claims"), "name")),
        new EnvList(
            items(container.path("env"))
                .map(sent -> new EnvList.Entry(variable(sent), new Value.AsSent(sent)))
                .toList()),
        !container.path("envFrom").isEmpty(),
        texts(container.path("volumeMounts"), "mountPath").stream()
            .map(MountPath::normalised)
            .collect(Collectors.toSet()),
        security(container.path("securityContext")));
  }

  private static EnvVar variable(JsonNode variable) {
    var field = variable.path("valueFrom").path("fieldRef").path("fieldPath");
    var name = variable.path("name").asText();
    if (field.isTextual()) {
      return EnvVar.fromField(name, field.asText());
    }
    return variable.path("valueFrom").isObject()
        ? new EnvVar(name, OTHER)
        : EnvVar.of(name, variable.path("value").asText());
  }

  private static SecurityFacts security(JsonNode context) {
    var capabilities = context.path("capabilities");
    var added = items(capabilities.path("add")).map(JsonNode::asText).collect(Collectors.toSet());
    return new SecurityFacts(
        context.isObject(), context.path("privileged").asBoolean(), capabilities.isObject(), added);
  }

  private static Map<String, String> quantities(JsonNode quantities) {
    var written = new HashMap<String, String>();
    quantities
        .properties()
        .forEach(entry -> {
          if (entry.getValue().isValueNode() && !entry.getValue().isNull()) {
            written.put(entry.getKey(), entry.getValue().asText());
          }
        });
    return written;
  }

  private static Set<String> texts(JsonNode list, String member) {
    return items(list)
        .map(item -> item.path(member))
        .filter(JsonNode::isTextual)
        .map(JsonNode::asText)
        .collect(Collectors.toSet());
  }

  private static Stream<JsonNode> items(JsonNode list) {
    return list.isArray() ? list.valueStream() : Stream.empty();
  }
}
