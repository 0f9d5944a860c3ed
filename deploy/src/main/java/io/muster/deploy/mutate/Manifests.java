package io.muster.deploy.mutate;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Finds the pods in manifests: pods themselves, and the templates of any kind of workload, however
 * deep they are. Documents may be many, and lists of objects. Confined to one reading.
 */
public final class Manifests {

  private static final String INDEX = "batch.kubernetes.io/job-completion-index";
  private static final String NO_UID = "00000000-0000-0000-0000-000000000000";
  private static final int DEEPEST = 32;

  /** Objects of Kubernetes are not nested as deep, and what reads them calls itself. */
  private static final int DEEPEST_READ = 200;

  /** Of what is said about where a template is. */
  private static final int LONGEST_PATH = 1_000;

  /** No cluster has room for as many pods. */
  private static final int MOST = 1_000_000;

  private final String namespace;
  private final List<PodTemplate> found = new ArrayList<>();

  private Manifests(String namespace) {
    this.namespace = namespace;
  }

  /** Manifests that cannot be read; the message says why. */
  public static final class UnreadableException extends Exception {

    @Serial private static final long serialVersionUID = 1;

    UnreadableException(String message) {
      super(message);
    }
  }

  /**
   * Refuses what would be misread or would take the stack: an alias would be taken for the text of
   * its name.
   */
  private static void check(String yaml, YAMLMapper mapper) throws UnreadableException {
    try (var parser = mapper.getFactory().createParser(yaml)) {
      int depth = 0;
      for (var token = parser.nextToken(); token != null; token = parser.nextToken()) {
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        if (depth > DEEPEST_READ) {
          throw new UnreadableException(
              "line %d: nested more than %d deep"
                  .formatted(parser.currentLocation().getLineNr(), DEEPEST_READ));
        }
        if (parser.isCurrentAlias()) {
          throw new UnreadableException(
              "line %d: an alias, *%s: write out what it stands for"
                  .formatted(parser.currentLocation().getLineNr(), parser.getText()));
        }
      }
    } catch (JsonProcessingException e) {
      throw invalid(e);
    } catch (IOException e) {
      throw new UnreadableException("cannot be read: " + e.getMessage());
    }
  }

  private static UnreadableException invalid(JsonProcessingException e) {
    var place = e.getLocation();
    return new UnreadableException(
        "line %d: no valid YAML: %s"
            .formatted(
                place == null ? 0 : place.getLineNr(),
                e.getOriginalMessage().lines().findFirst().orElse("")));
  }

  /**
   * All pods that the text describes, in its order.
   *
   * @param namespace of objects that name none
   */
  public static List<PodTemplate> read(String yaml, String namespace) throws UnreadableException {
    var manifests = new Manifests(namespace);
    var mapper = new YAMLMapper();
    check(yaml, mapper);
    try (var documents = mapper.readerFor(JsonNode.class).<JsonNode>readValues(yaml)) {
      while (documents.hasNextValue()) {
        var document = documents.nextValue();
        if (document != null && !document.isNull() && !document.isMissingNode()) {
          manifests.object(document);
        }
      }
    } catch (JsonProcessingException e) {
      throw invalid(e);
    } catch (IOException e) {
      throw new UnreadableException("cannot be read: " + e.getMessage());
    }
    return List.copyOf(manifests.found);
  }

  private void object(JsonNode object) throws UnreadableException {
    var kind = object.path("kind").asText();
    if (!object.isObject() || kind.isEmpty()) {
      throw new UnreadableException("a document is no object with a kind");
    }
    if (kind.endsWith("List") && object.path("items").isArray()) {
      for (var item : object.path("items")) {
        object(item);
      }
      return;
    }
    var name = kind + "/" + object.path("metadata").path("name").asText();
    if (kind.equals("Pod")) {
      requireObject(name, object, "metadata");
      var pod = ((ObjectNode) object).deepCopy();
      var metadata = pod.withObject("/metadata");
      if (metadata.path("namespace").asText().isEmpty()) {
        metadata.put("namespace", namespace);
      }
      found.add(new PodTemplate(name, pod, 1));
    } else {
      search(object, object, new At(name, "", 0, 1));
    }
  }

  private static void requireObject(String name, JsonNode object, String field)
      throws UnreadableException {
    var value = object.path(field);
    if (!value.isObject() && !value.isMissingNode() && !value.isNull()) {
      throw new UnreadableException("%s: %s has to be an object".formatted(name, field));
    }
  }

  /** Where in an object the search is, and how many copies of what is there it asks for. */
  private record At(String name, String path, int depth, int count) {

    At below(String step, int factor) {
      var child = path.length() > LONGEST_PATH ? path : path + step;
      return new At(name, child, depth + 1, (int) Math.min(MOST, (long) count * factor));
    }
  }

  private void search(JsonNode object, JsonNode part, At at) throws UnreadableException {
    if (at.depth() > DEEPEST || !part.isContainerNode()) {
      return;
    }
    if (part.isArray()) {
      for (int i = 0; i < part.size(); i++) {
        if (part.get(i).isContainerNode()) {
          search(object, part.get(i), at.below("[%d]".formatted(i), 1));
        }
      }
      return;
    }
    int factor = copies(part);
    for (var member : part.properties()) {
      var value = member.getValue();
      var below = at.below((at.path().isEmpty() ? "" : ".") + member.getKey(), factor);
      if (member.getKey().toLowerCase(Locale.ROOT).endsWith("template")
          && value.path("spec").path("containers").isArray()) {
        found.add(template(object, value, at.name() + " " + below.path(), below.count()));
      } else {
        search(object, value, below);
      }
    }
  }

  /** How many of what it describes a part of a workload has at a time. */
  private static int copies(JsonNode part) {
    if (part.path("replicas").canConvertToInt()) {
      return Math.max(0, part.path("replicas").asInt());
    }
    int parallel = part.path("parallelism").asInt(1);
    return Math.max(0, Math.min(parallel, part.path("completions").asInt(parallel)));
  }

  /** As the workload's controller would make it; of a member that has an index the first. */
  private PodTemplate template(JsonNode object, JsonNode template, String origin, int count)
      throws UnreadableException {
    var pod = JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "Pod");
    var metadata =
        template.path("metadata").isObject()
            ? ((ObjectNode) template.path("metadata")).deepCopy()
            : JsonNodeFactory.instance.objectNode();
    var owner = object.path("metadata").path("name").asText();
    var stated = object.path("metadata").path("namespace").asText();
    metadata.remove("name");
    metadata.put("generateName", owner + "-");
    metadata.put("namespace", stated.isEmpty() ? namespace : stated);
    metadata
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", object.path("apiVersion").asText())
        .put("kind", object.path("kind").asText())
        .put("name", owner)
        .put("uid", NO_UID)
        .put("controller", true);
    pod.set("metadata", metadata);
    var spec = ((ObjectNode) template.path("spec")).deepCopy();
    pod.set("spec", spec);
    if (!isIndexedJob(object)) {
      return new PodTemplate(origin, pod, count);
    }
    requireObject(origin, metadata, "annotations");
    requireObject(origin, metadata, "labels");
    metadata.put("generateName", owner + "-0-");
    metadata.withObject("/annotations").put(INDEX, "0");
    metadata.withObject("/labels").put(INDEX, "0").put("batch.kubernetes.io/job-name", owner);
    spec.put("hostname", owner + "-0");
    return new PodTemplate(origin + ", index 0", pod, count);
  }

  private static boolean isIndexedJob(JsonNode object) {
    return object.path("kind").asText().equals("Job")
        && object.path("spec").path("completionMode").asText().equals("Indexed");
  }
}
