package io.muster.extender.kube.convert;

import static io.muster.extender.core.gang.Stated.legible;
import static io.muster.extender.core.gang.Stated.shortened;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.kube.Sentences;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Reads what members say about the pod that comes later ({@link GangKeys#LATER}): JSON of a
 * PodSpec, of which counts what decides where the pod can go. What cannot be read makes the terms
 * unusable, because a gang that started without that room would run in vain. Members of one
 * template carry the same text, which is read once. Safe for concurrent use.
 */
public final class LaterReading {

  static final int MOST_CHARACTERS = 16 * 1024;

  private static final int MOST_KEPT = 64;
  private static final String EXAMPLE =
      "like {\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"8\"}}}]}";
  private static final List<String> CONTAINERS = List.of("containers", "initContainers");

  private static final ObjectMapper JSON = new JsonMapper();
  private static final ObjectReader WHOLE_TEXT =
      JSON.reader().with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** A member, and what it says about the pod that comes later. */
  public record Stated(Optional<Membership> membership, Optional<Demand> demand) {}

  /** What a text says: a demand, or what is wrong with it. */
  private record Meaning(Optional<Demand> demand, String problem) {}

  /** What is wrong with the text, to follow the key. */
  private static final class UnreadableException extends Exception {

    UnreadableException(String problem) {
      super(problem);
    }
  }

  private final Map<String, Meaning> known = new ConcurrentHashMap<>();
  private final PodRequests requests;
  private final DeviceRule devices;

  LaterReading(PodRequests requests, DeviceRule devices) {
    this.requests = requests;
    this.devices = devices;
  }

  /** Reads the annotation of a member; any other pod says nothing. */
  Stated read(Optional<Membership> membership, Markings markings) {
    var text = Optional.ofNullable(markings.annotations().get(GangKeys.LATER));
    if (text.isEmpty() || membership.filter(member -> mayStart(member.terms())).isEmpty()) {
      return new Stated(membership, Optional.empty());
    }
    var meaning = meaning(text.get());
    return meaning.demand().isPresent()
        ? new Stated(membership, meaning.demand())
        : new Stated(
            membership.map(member ->
                member.unusable(
                    GangKeys.LATER,
                    shortened(text.get()),
                    GangKeys.LATER + " " + meaning.problem())),
            Optional.empty());
  }

  private static boolean mayStart(Terms terms) {
    return terms instanceof Terms.Usable || terms instanceof Terms.InObject;
  }

  private Meaning meaning(String text) {
    if (text.length() > MOST_CHARACTERS) {
      return new Meaning(
          Optional.empty(),
          "is longer than 16 KiB; leave out what does not decide where the pod can go");
    }
    if (known.size() > MOST_KEPT) {
      known.clear();
    }
    return known.computeIfAbsent(text, this::parsed);
  }

  private Meaning parsed(String text) {
    try {
      return new Meaning(Optional.of(demand(text)), "");
    } catch (UnreadableException e) {
      return new Meaning(Optional.empty(), e.getMessage());
    }
  }

  private Demand demand(String text) throws UnreadableException {
    var tree = tree(text);
    for (var list : CONTAINERS) {
      checkQuantities(list, tree.path(list));
    }
    var spec = spec(tree);
    if (spec.getContainers().isEmpty()) {
      throw new UnreadableException("names no container; it must be a PodSpec, " + EXAMPLE);
    }
    var stray = strayField(spec);
    if (stray.isPresent()) {
      throw new UnreadableException(
          "has the field \"%s\", which a PodSpec does not have there"
              .formatted(shortened(stray.get())));
    }
    var violation = devices.in(spec);
    if (violation.isPresent()) {
      throw new UnreadableException("is of no use: " + violation.get().problem());
    }
    return Constraints.demand(requests.of(spec), spec);
  }

  private static JsonNode tree(String text) throws UnreadableException {
    try {
      var tree = WHOLE_TEXT.readTree(text);
      if (tree.isObject()) {
        dropNulls(tree);
        return tree;
      }
    } catch (JsonProcessingException _) {
      // Told as any other text that is no object.
    }
    throw new UnreadableException("is no JSON object; it must be a PodSpec, " + EXAMPLE);
  }

  /** What is null is not there; the model of a PodSpec would hand it on. */
  private static void dropNulls(JsonNode node) {
    for (var children = node.elements(); children.hasNext(); ) {
      var child = children.next();
      if (child.isNull()) {
        children.remove();
      } else {
        dropNulls(child);
      }
    }
  }

  private static PodSpec spec(JsonNode tree) throws UnreadableException {
    try {
      return JSON.treeToValue(tree, PodSpec.class);
    } catch (JsonMappingException e) {
      throw new UnreadableException(
          "is no PodSpec: \"%s\" is of the wrong type".formatted(legible(Sentences.pathOf(e))));
    } catch (JsonProcessingException | IllegalArgumentException _) {
      throw new UnreadableException("is no PodSpec; it must be one, " + EXAMPLE);
    }
  }

  private static void checkQuantities(String list, JsonNode containers) throws UnreadableException {
    for (int i = 0; i < containers.size(); i++) {
      var resources = containers.path(i).path("resources");
      for (var kind : List.of("requests", "limits")) {
        for (var entry : resources.path(kind).properties()) {
          if (!isQuantity(entry.getValue())) {
            throw new UnreadableException(
                "says %s[%d].resources.%s[\"%s\"] is \"%s\"; it must be a quantity, like 8 or 500m"
                    .formatted(
                        list,
                        i,
                        kind,
                        shortened(entry.getKey()),
                        shortened(entry.getValue().asText())));
          }
        }
      }
    }
  }

  private static boolean isQuantity(JsonNode value) {
    if (!value.isTextual() && !value.isNumber()) {
      return false;
    }
    try {
      return Quantity.parse(value.asText()).getNumericalAmount().signum() >= 0;
    } catch (IllegalArgumentException | ArithmeticException _) {
      return false;
    }
  }

  /** A field that is known to nobody is a slip, and what it was to say would be passed over. */
  private static Optional<String> strayField(PodSpec spec) {
    var ofContainers =
        Stream.concat(spec.getContainers().stream(), spec.getInitContainers().stream())
            .flatMap(container ->
                Stream.concat(names(container.getAdditionalProperties()), ofResources(container)));
    return Stream.concat(names(spec.getAdditionalProperties()), ofContainers).findFirst();
  }

  private static Stream<String> ofResources(Container container) {
    return Stream.ofNullable(container.getResources())
        .flatMap(resources -> names(resources.getAdditionalProperties()));
  }

  private static Stream<String> names(Map<String, Object> stray) {
    return stray.keySet().stream().sorted();
  }
}
