package io.muster.webhook.json;

import static io.muster.extender.kube.ApiFields.present;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Markings.NativeGroup;
import io.muster.extender.core.gang.dialect.DialectKeys;
import io.muster.extender.core.gang.dialect.Hints;
import io.muster.extender.core.gang.dialect.OwnerInference;
import io.muster.extender.core.gang.dialect.OwnerInference.Owner;
import io.muster.extender.kube.Sentences;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.watch.LeanObjects;
import io.muster.webhook.core.facts.PodFacts;
import io.muster.webhook.port.NamespaceLabels;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Reads a pod that asks to be stored. What decides where it may run is read as everywhere else in
 * Muster; what injection reads is taken from the same tree. Safe for concurrent use.
 */
public final class PodReading {

  private static final ObjectReader READER = reader();

  private final PodConverter translation;
  private final InstantSource clock;
  private final NamespaceLabels namespaces;
  private final BooleanSupplier queues;

  /** Reads pods of namespaces of which nothing is known. */
  public PodReading(PodConverter translation, InstantSource clock) {
    this(translation, clock, NamespaceLabels.UNKNOWN, () -> false);
  }

  /**
   * @param clock states when a pod that is not stored yet is made
   * @param queues whether gangs of the cluster's own gang scheduling may wait in queues
   */
  public PodReading(
      PodConverter translation,
      InstantSource clock,
      NamespaceLabels namespaces,
      BooleanSupplier queues) {
    this.translation = translation;
    this.clock = clock;
    this.namespaces = namespaces;
    this.queues = queues;
  }

  /**
   * A pod as it was sent: whole as a tree, and what decides where it may run.
   *
   * @param containerCount how many containers and init containers it has; where they are too many,
   *     tree and pod are without them
   */
  public record Sent(JsonNode tree, Pod pod, int containerCount) {

    /** What may name its gang. */
    public Markings markings() {
      var metadata = pod.getMetadata();
      return new Markings(
          metadata.getNamespace(),
          present(metadata.getLabels()),
          present(metadata.getAnnotations()));
    }
  }

  private static ObjectReader reader() {
    var mapper =
        JsonMapper.builder().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
    LeanObjects.addTo(mapper);
    // The API server writes an empty list as null where the field may not be left out.
    mapper.configOverride(List.class).setSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY));
    return mapper.readerFor(Pod.class);
  }

  /** The pod as sent, with what the apiserver fills in later: namespace and time of creation. */
  public Sent sent(JsonNode object, String namespace) throws MalformedPodException {
    if (!object.isObject()) {
      throw new MalformedPodException("request.object is missing");
    }
    int containers = SpecReading.countContainers(object.path("spec"));
    var tree = containers > PodFacts.MOST_CONTAINERS ? withoutContainers(object) : object;
    var empty =
        NullElement.in(tree.path("metadata"), "metadata")
            .or(() -> NullElement.in(tree.path("spec"), "spec"))
            .or(() -> NullElement.in(tree.path("status"), "status"));
    if (empty.isPresent()) {
      throw new MalformedPodException(empty.get() + " is null");
    }
    Pod pod;
    try {
      pod = READER.treeToValue(tree, Pod.class);
    } catch (JsonMappingException e) {
      throw new MalformedPodException(
          Sentences.pathOf(e) + " has another form than the API gives it");
    } catch (JsonProcessingException e) {
      throw new AssertionError("a tree is JSON", e);
    }
    if (pod.getMetadata() == null) {
      throw new MalformedPodException("metadata is missing");
    }
    if (pod.getSpec() == null) {
      throw new MalformedPodException("spec is missing");
    }
    var metadata = pod.getMetadata();
    if (isEmpty(metadata.getNamespace())) {
      metadata.setNamespace(namespace);
    }
    if (isEmpty(metadata.getCreationTimestamp())) {
      metadata.setCreationTimestamp(clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
    }
    return new Sent(tree, pod, containers);
  }

  /** So many are not even read. */
  private static JsonNode withoutContainers(JsonNode object) {
    var tree = JsonNodeFactory.instance.objectNode();
    object.properties().forEach(member -> tree.set(member.getKey(), member.getValue()));
    var spec = tree.putObject("spec");
    object
        .path("spec")
        .properties()
        .forEach(member -> spec.set(member.getKey(), member.getValue()));
    spec.remove(SpecReading.LISTS_OF_CONTAINERS);
    return tree;
  }

  /** What the decisions see of it. */
  public PodFacts facts(Sent sent) {
    return facts(sent, false);
  }

  /**
   * What the decisions see of it.
   *
   * @param infers whether its namespace is known to have gangs inferred; else its labels are asked,
   *     which may be behind
   */
  public PodFacts facts(Sent sent, boolean infers) {
    var spec = sent.pod().getSpec();
    var tree = sent.tree().path("spec");
    var markings = sent.markings();
    var queue = queue(sent.pod(), markings);
    var owner =
        queue.isPresent() ? Optional.<String>empty() : inferredOwner(sent.pod(), markings, infers);
    var decided = new HashMap<String, String>();
    owner.ifPresent(of -> decided.put(GangKeys.OF, of));
    queue.ifPresent(name -> {
      decided.put(GangKeys.QUEUE, name);
      decided.put(GangKeys.DIALECT, Dialect.NATIVE.label());
    });
    return new PodFacts(
        translation.pod(decided.isEmpty() ? sent.pod() : annotated(sent.pod(), decided)),
        markings,
        spec.getSchedulingGates().stream()
            .map(PodSchedulingGate::getName)
            .map(name -> Objects.requireNonNullElse(name, ""))
            .toList(),
        SpecReading.spec(tree),
        sent.containerCount(),
        SpecReading.containers(tree.path("initContainers")),
        SpecReading.containers(tree.path("containers")),
        owner,
        queue,
        isUpdatedOnly(sent.tree().path("metadata").path("managedFields")));
  }

  private static boolean isUpdatedOnly(JsonNode managedFields) {
    return !managedFields.isEmpty()
        && managedFields
            .valueStream()
            .allMatch(entry -> entry.path("operation").asText().equals("Update"));
  }

  /** Whose pods are its gang, where its namespace has gangs inferred and it names none itself. */
  private Optional<String> inferredOwner(Pod pod, Markings markings, boolean isKnown) {
    boolean infers =
        isKnown || "true".equals(namespaces.of(markings.namespace()).get(OwnerInference.LABEL));
    return infers && !DialectKeys.nameGang(markings)
        ? pod.getMetadata().getOwnerReferences().stream()
            .filter(owner -> Boolean.TRUE.equals(owner.getController()))
            .findFirst()
            .map(owner -> new Owner(owner.getApiVersion(), owner.getKind(), owner.getName()))
            .flatMap(owner ->
                OwnerInference.infer(
                    markings, owner, Objects.requireNonNullElse(pod.getMetadata().getName(), "")))
            .map(OwnerInference::text)
        : Optional.empty();
  }

  /**
   * In which queue its gang waits before the cluster starts it, if it does: the namespace says
   * whether, and a pod may name another one. Its PodGroup need not be there yet.
   */
  private Optional<String> queue(Pod pod, Markings markings) {
    var group = pod.getSpec().getSchedulingGroup();
    boolean isAnothers =
        group != null
            && !isEmpty(group.getPodGroupName())
            && !NativeGroup.isMusters(group.getPodGroupName());
    return isAnothers && queues.getAsBoolean()
        ? Optional.ofNullable(namespaces.of(markings.namespace()).get(GangKeys.QUEUE))
            .map(name -> Hints.of(markings).queue().orElse(name))
        : Optional.empty();
  }

  private static Pod annotated(Pod pod, Map<String, String> annotations) {
    return new PodBuilder(pod).editMetadata().addToAnnotations(annotations).endMetadata().build();
  }

  private static boolean isEmpty(String text) {
    return text == null || text.isEmpty();
  }
}
