package io.muster.extender.http;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.kube.watch.LeanObjects;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The bodies of extender/v1: Go field names, read whatever their case, lists never null. Names are
 * read and written as a stream, since there are thousands. Safe for concurrent use.
 */
final class Wire {

  private final ObjectMapper json = new ObjectMapper();

  Wire() {
    // Makes the mapper read Kubernetes objects; nothing else is wanted of it.
    var _ = new KubernetesSerialization(json, false);
    LeanObjects.addTo(json);
  }

  /** A call's pod to bind, and where to. */
  record BindBody(PodKey pod, String node) {}

  /** A call's pod that preempts, and the victims by node as they are to be sent back. */
  record PreemptBody(Pod pod, ObjectNode victims) {

    /** Uids of the victims, by node. */
    Map<String, Set<String>> uids() {
      var uids = new HashMap<String, Set<String>>();
      for (var node : victims.properties()) {
        var pods = new HashSet<String>();
        field(node.getValue(), "Pods").forEach(victim -> pods.add(field(victim, "UID").asText("")));
        uids.put(node.getKey(), pods);
      }
      return uids;
    }
  }

  NodesCall nodesCall(byte[] body) {
    Optional<Slice> pod = Optional.empty();
    var names = new ArrayList<String>();
    var namesGiven = false;
    try (var parser = json.createParser(body)) {
      open(parser);
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        var field = parser.currentName().toLowerCase(Locale.ROOT);
        var value = parser.nextToken();
        if (field.equals("pod") && value == JsonToken.START_OBJECT) {
          pod = Optional.of(slice(parser));
        } else if (field.equals("nodenames") && value == JsonToken.START_ARRAY) {
          namesGiven = true;
          readNames(parser, names);
        } else {
          parser.skipChildren();
        }
      }
      close(parser);
    } catch (JacksonException e) {
      throw unreadable(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var slice = pod.orElseThrow(() -> new MalformedCallException("the call names no Pod"));
    return new NodesCall(slice.key(), () -> pod(body, slice), names, namesGiven);
  }

  /** Where in the body the pod stands, and whose it is. */
  private record Slice(PodKey key, int from, int to) {}

  private static Slice slice(JsonParser parser) throws IOException {
    int from = (int) parser.currentTokenLocation().getByteOffset();
    var key = new PodKey("", "", "");
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      boolean isMetadata = parser.currentName().equals("metadata");
      if (parser.nextToken() == JsonToken.START_OBJECT && isMetadata) {
        key = key(parser);
      } else {
        parser.skipChildren();
      }
    }
    return new Slice(key, from, (int) parser.currentLocation().getByteOffset());
  }

  private static PodKey key(JsonParser parser) throws IOException {
    var namespace = "";
    var name = "";
    var uid = "";
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      var field = parser.currentName();
      if (parser.nextToken() != JsonToken.VALUE_STRING) {
        parser.skipChildren();
        continue;
      }
      switch (field) {
        case "namespace" -> namespace = parser.getText();
        case "name" -> name = parser.getText();
        case "uid" -> uid = parser.getText();
        default -> {}
      }
    }
    return new PodKey(namespace, name, uid);
  }

  private Pod pod(byte[] body, Slice slice) {
    try {
      return json.readValue(body, slice.from(), slice.to() - slice.from(), Pod.class);
    } catch (JacksonException e) {
      throw unreadable(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  BindBody bind(byte[] body) {
    var call = tree(body);
    return new BindBody(
        new PodKey(filled(call, "PodNamespace"), filled(call, "PodName"), filled(call, "PodUID")),
        filled(call, "Node"));
  }

  PreemptBody preempt(byte[] body) {
    var call = tree(body);
    var pod = field(call, "Pod");
    if (!pod.isObject()) {
      throw new MalformedCallException("the call names no Pod");
    }
    try {
      return new PreemptBody(json.treeToValue(pod, Pod.class), victims(call));
    } catch (JacksonException e) {
      throw unreadable(e);
    }
  }

  /** Accepted names, and the rest of those offered as unresolvable for the one reason. */
  byte[] filterResult(List<String> accepted, List<String> offered, String refusal) {
    return filtered(accepted, offered, refusal, "");
  }

  byte[] filterError(String error) {
    return filtered(List.of(), List.of(), "", error);
  }

  private byte[] filtered(
      List<String> accepted, List<String> offered, String refusal, String error) {
    return written(out -> {
      out.writeStartObject();
      out.writeArrayFieldStart("NodeNames");
      for (var name : accepted) {
        out.writeString(name);
      }
      out.writeEndArray();
      out.writeNullField("Nodes");
      out.writeObjectFieldStart("FailedNodes");
      out.writeEndObject();
      out.writeObjectFieldStart("FailedAndUnresolvableNodes");
      writeRejected(out, accepted, offered, new SerializedString(refusal));
      out.writeEndObject();
      out.writeStringField("Error", error);
      out.writeEndObject();
    });
  }

  byte[] priorities(List<String> offered, Map<String, Integer> scores) {
    return written(out -> {
      out.writeStartArray();
      for (var name : offered) {
        var score = scores.get(name);
        if (score != null) {
          out.writeStartObject();
          out.writeStringField("Host", name);
          out.writeNumberField("Score", score);
          out.writeEndObject();
        }
      }
      out.writeEndArray();
    });
  }

  byte[] bindResult(String error) {
    return object("Error", error);
  }

  byte[] preemptResult(ObjectNode victims) {
    return written(out -> {
      out.writeStartObject();
      out.writeFieldName("NodeNameToMetaVictims");
      json.writeTree(out, victims);
      out.writeEndObject();
    });
  }

  byte[] problem(String sentence) {
    return object("error", sentence);
  }

  private byte[] object(String field, String text) {
    return written(out -> {
      out.writeStartObject();
      out.writeStringField(field, text);
      out.writeEndObject();
    });
  }

  private static void writeRejected(
      JsonGenerator out, List<String> accepted, List<String> offered, SerializedString refusal)
      throws IOException {
    if (accepted.size() == offered.size()) {
      return;
    }
    var kept = new HashSet<>(accepted);
    for (var name : offered) {
      if (!kept.contains(name)) {
        out.writeFieldName(name);
        out.writeString(refusal);
      }
    }
  }

  private static void readNames(JsonParser parser, List<String> names) throws IOException {
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (parser.currentToken() != JsonToken.VALUE_STRING) {
        throw new MalformedCallException("NodeNames is not a list of names");
      }
      names.add(parser.getText());
    }
  }

  private static void open(JsonParser parser) throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw new MalformedCallException("the body is not a JSON object");
    }
  }

  private static void close(JsonParser parser) throws IOException {
    if (parser.nextToken() != null) {
      throw new MalformedCallException("the body goes on after its JSON object");
    }
  }

  private JsonNode tree(byte[] body) {
    try {
      var tree = json.readTree(body);
      if (tree == null || !tree.isObject()) {
        throw new MalformedCallException("the body is not a JSON object");
      }
      return tree;
    } catch (JacksonException e) {
      throw unreadable(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Uids are all that goes back; full victims are reduced to theirs. */
  private ObjectNode victims(JsonNode call) {
    if (field(call, "NodeNameToMetaVictims") instanceof ObjectNode metaVictims) {
      return metaVictims;
    }
    var byNode = json.createObjectNode();
    for (var node : field(call, "NodeNameToVictims").properties()) {
      var reduced = byNode.putObject(node.getKey());
      var pods = reduced.putArray("Pods");
      for (var pod : field(node.getValue(), "Pods")) {
        pods.addObject().put("UID", pod.path("metadata").path("uid").asText(""));
      }
      reduced.put("NumPDBViolations", field(node.getValue(), "NumPDBViolations").asLong(0));
    }
    return byNode;
  }

  private static String filled(JsonNode call, String name) {
    var value = field(call, name).asText("");
    if (value.isEmpty()) {
      throw new MalformedCallException("the call names no " + name);
    }
    return value;
  }

  private static JsonNode field(JsonNode object, String name) {
    var exact = object.get(name);
    if (exact != null) {
      return exact;
    }
    for (var property : object.properties()) {
      if (property.getKey().equalsIgnoreCase(name)) {
        return property.getValue();
      }
    }
    return object.path(name);
  }

  private static MalformedCallException unreadable(JacksonException e) {
    if (e instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
      var field =
          mapping.getPath().stream()
              .map(step -> step.getFieldName() == null ? "[]" : "." + step.getFieldName())
              .collect(Collectors.joining());
      return new MalformedCallException("Pod" + field + " does not hold what it should", e);
    }
    return new MalformedCallException("the body is not JSON: " + e.getOriginalMessage(), e);
  }

  private byte[] written(Content content) {
    var bytes = new ByteArrayOutputStream(1_024);
    try (var out = json.createGenerator(bytes)) {
      content.writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** What a body consists of. */
  private interface Content {
    void writeTo(JsonGenerator out) throws IOException;
  }
}
