package io.muster.webhook.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.webhook.core.patch.PatchOp;
import io.muster.webhook.core.patch.Value;
import java.util.List;

/** Patches as the apiserver reads them. Stateless; safe for concurrent use. */
public final class PatchJson {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private PatchJson() {}

  /** The patch as an array of RFC 6902. */
  public static ArrayNode of(List<PatchOp> patch) {
    var steps = NODES.arrayNode();
    patch.forEach(step -> steps.add(of(step)));
    return steps;
  }

  /** One step of the array. */
  public static ObjectNode of(PatchOp step) {
    return switch (step) {
      case PatchOp.Add(var path, var value) -> step("add", path).set("value", of(value));
      case PatchOp.Replace(var path, var value) -> step("replace", path).set("value", of(value));
      case PatchOp.Remove(var path) -> step("remove", path);
    };
  }

  private static ObjectNode step(String op, String path) {
    return NODES.objectNode().put("op", op).put("path", path);
  }

  private static JsonNode of(Value value) {
    return switch (value) {
      case Value.Text(var text) -> NODES.textNode(text);
      case Value.Whole(var number) -> NODES.numberNode(number);
      case Value.Flag(var set) -> NODES.booleanNode(set);
      case Value.Items(var items) -> {
        var array = NODES.arrayNode();
        items.forEach(item -> array.add(of(item)));
        yield array;
      }
      case Value.Fields(var members) -> {
        var object = NODES.objectNode();
        members.forEach((name, member) -> object.set(name, of(member)));
        yield object;
      }
      case Value.AsSent(var json) -> ((JsonNode) json).deepCopy();
      case Value.NodeTerms(var terms) -> {
        var object = NODES.objectNode();
        var array = object.putArray("nodeSelectorTerms");
        for (var term : terms) {
          var json = array.addObject();
          putRequirements(json, "matchExpressions", term.labels());
          putRequirements(json, "matchFields", term.fields());
        }
        yield object;
      }
    };
  }

  private static void putRequirements(ObjectNode term, String name, List<Requirement> all) {
    if (!all.isEmpty()) {
      var array = term.putArray(name);
      for (var requirement : all) {
        var json = array.addObject();
        json.put("key", requirement.key()).put("operator", requirement.operator().apiName());
        if (!requirement.values().isEmpty()) {
          var values = json.putArray("values");
          requirement.values().stream().sorted().forEach(values::add);
        }
      }
    }
  }
}
