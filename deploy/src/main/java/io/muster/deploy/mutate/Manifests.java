package io.muster.deploy.mutate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.extender.yaml.MalformedYamlException;
import io.muster.extender.yaml.YamlReading;
import java.io.IOException;
import java.io.Serial;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds the pods in manifests: pods themselves, and the templates of any kind of workload, however
 * deep they are. Documents may be many, and lists of objects. Confined to one reading.
 */
public final class Manifests {

  static final String NO_UID = "00000000-0000-0000-0000-000000000000";

  /** What the API server appends to a name that is to be generated. */
  private static final String GENERATED = "xxxxx";

  private static final int DEEPEST = 32;

  /** Of a LeaderWorkerSet: so many in each group, of which one is the leader. */
  private static final String WORKERS = "leaderWorkerTemplate.workerTemplate";

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

  /** What the file says; {@code -}: what comes on standard input. */
  public static String text(String file) throws IOException {
    return file.equals("-")
        ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
        : Files.readString(Path.of(file));
  }

  /**
   * All pods that the text describes, in its order.
   *
   * @param namespace of objects that name none
   */
  public static List<PodTemplate> read(String yaml, String namespace) throws UnreadableException {
    var manifests = new Manifests(namespace);
    try {
      for (var document : new YamlReading().all(yaml)) {
        if (!document.isNull() && !document.isMissingNode()) {
          manifests.object(document);
        }
      }
    } catch (MalformedYamlException e) {
      throw new UnreadableException(e.getMessage());
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
    var name = kind + "/" + name(object);
    if (kind.equals("Pod")) {
      requireObject(name, object, "metadata");
      requireForm(name, PodForm.fault(object));
      var pod = ((ObjectNode) object).deepCopy();
      var metadata = pod.withObject("/metadata");
      if (metadata.path("namespace").asText().isEmpty()) {
        metadata.put("namespace", namespace);
      }
      found.add(new PodTemplate(name, pod, 1));
    } else {
      search(object, object, new At(name, "", 0, 1, Optional.empty()));
    }
  }

  private static void requireObject(String name, JsonNode object, String field)
      throws UnreadableException {
    var value = object.path(field);
    if (!value.isObject() && !value.isMissingNode() && !value.isNull()) {
      throw new UnreadableException("%s: %s has to be an object".formatted(name, field));
    }
  }

  private static void requireForm(String name, Optional<String> fault) throws UnreadableException {
    if (fault.isPresent()) {
      throw new UnreadableException(name + ": " + fault.get());
    }
  }

  /**
   * Where in an object the search is, how many copies of what is there it asks for, and what is
   * wrong with such a number on the way.
   */
  private record At(String name, String path, int depth, int count, Optional<String> fault) {

    At below(String step, long factor, Optional<String> wrong) {
      var child = path.length() > LONGEST_PATH ? path : path + step;
      int copies = (int) Math.min(MOST, count * Math.min(MOST, factor));
      return new At(name, child, depth + 1, copies, wrong);
    }
  }

  private void search(JsonNode object, JsonNode part, At at) throws UnreadableException {
    if (at.depth() > DEEPEST || !part.isContainerNode()) {
      return;
    }
    if (part.isArray()) {
      for (int i = 0; i < part.size(); i++) {
        if (part.get(i).isContainerNode()) {
          search(object, part.get(i), at.below("[%d]".formatted(i), 1, at.fault()));
        }
      }
      return;
    }
    var fault = at.fault().or(() -> PodForm.faultOfNumbers(part, at.path()));
    for (var member : part.properties()) {
      var value = member.getValue();
      var step = (at.path().isEmpty() ? "" : ".") + member.getKey();
      var below = at.below(step, copies(part, at.path() + step), fault);
      if (member.getKey().toLowerCase(Locale.ROOT).endsWith("template")
          && value.path("spec").path("containers").isArray()) {
        requireForm(at.name(), fault);
        requireForm(below.name() + " " + below.path(), PodForm.fault(value));
        found.add(template(object, part, value, below));
      } else {
        search(object, value, below);
      }
    }
  }

  /** How many of what it describes below that path a part of a workload has at a time. */
  private static long copies(JsonNode part, String path) {
    if (path.endsWith(WORKERS)) {
      // Without a template of its own the leader is made by that of the workers.
      int leaders = part.path("leaderTemplate").isObject() ? 1 : 0;
      return Math.max(0, part.path("size").asLong(1) - leaders);
    }
    if (part.path("replicas").canConvertToInt()) {
      // A RayCluster's workers are replicas of several hosts.
      var hosts = part.path("numOfHosts");
      return Math.max(0, part.path("replicas").asLong())
          * (hosts.canConvertToInt() ? Math.max(0, hosts.asLong()) : 1);
    }
    int parallel = part.path("parallelism").asInt(1);
    return Math.max(0, Math.min(parallel, part.path("completions").asInt(parallel)));
  }

  /** The name of an object, or one like that which the API server would give it. */
  private static String name(JsonNode object) {
    var metadata = object.path("metadata");
    var name = metadata.path("name").asText();
    var stem = metadata.path("generateName").asText();
    return name.isEmpty() && !stem.isEmpty() ? stem + GENERATED : name;
  }

  /** As the workload's controller would make it; of a member that has an index the first. */
  private PodTemplate template(JsonNode object, JsonNode part, JsonNode template, At at)
      throws UnreadableException {
    var pod = JsonNodeFactory.instance.objectNode().put("apiVersion", "v1").put("kind", "Pod");
    var metadata =
        template.path("metadata").isObject()
            ? ((ObjectNode) template.path("metadata")).deepCopy()
            : JsonNodeFactory.instance.objectNode();
    var owner = name(object);
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
    var origin = at.name() + " " + at.path();
    var job = JobPods.of(object, owner, part, at.path());
    if (job.isAny()) {
      requireObject(origin, metadata, "annotations");
      requireObject(origin, metadata, "labels");
      job.mark(metadata, spec);
    }
    return new PodTemplate(origin + (job.isIndexed() ? ", index 0" : ""), pod, at.count());
  }
}
