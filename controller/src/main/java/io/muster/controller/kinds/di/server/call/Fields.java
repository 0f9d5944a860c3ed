package io.muster.controller.kinds.di.server.call;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The fields of a JSON object in a call; names are read whatever their case, and null is as good as
 * absent. Immutable.
 *
 * @param path put before the names of fields in what callers are told
 */
public record Fields(String path, JsonNode object) {

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private static final Pattern QUANTITY =
      Pattern.compile("[0-9]{1,18}(\\.[0-9]{0,9})?([eE][+-]?[0-9]{1,2}|[KMGTPE]i|[numkMGTPE])?");

  /** Reads a body. */
  public static Fields of(byte[] body) {
    if (body.length == 0) {
      throw RefusedException.malformed("the body is empty; send a JSON object");
    }
    JsonNode tree;
    try {
      tree = JSON.readTree(body);
    } catch (JacksonException _) {
      throw RefusedException.malformed("the body is no JSON; send a JSON object");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!tree.isObject()) {
      throw RefusedException.malformed("the body is no JSON object; send one");
    }
    return new Fields("", tree);
  }

  /** The value of a field that must be of one form; empty if there is none. */
  private Optional<JsonNode> find(String name, Predicate<JsonNode> isRight, String right) {
    var value =
        object.properties().stream()
            .filter(field -> field.getKey().equalsIgnoreCase(name))
            .map(Map.Entry::getValue)
            .filter(found -> !found.isNull())
            .findFirst();
    if (value.filter(isRight.negate()).isPresent()) {
      throw RefusedException.malformed(path + name + " must be " + right);
    }
    return value;
  }

  /** A text that has to be there. */
  public String text(String name) {
    return optionalText(name)
        .orElseThrow(() -> RefusedException.malformed(path + name + " is missing; add it"));
  }

  public Optional<String> optionalText(String name) {
    return find(name, JsonNode::isTextual, "a text")
        .map(JsonNode::textValue)
        .filter(text -> !text.isEmpty());
  }

  public List<String> texts(String name) {
    return find(name, Fields::areTexts, "a list of texts").stream()
        .flatMap(JsonNode::valueStream)
        .map(JsonNode::textValue)
        .toList();
  }

  private static boolean areTexts(JsonNode value) {
    return value.isArray() && value.valueStream().allMatch(JsonNode::isTextual);
  }

  /** An object; one without fields if there is none. */
  public Fields inner(String name) {
    var value = find(name, JsonNode::isObject, "an object");
    return new Fields(path + name + ".", value.orElseGet(JSON::createObjectNode));
  }

  /** A whole number; empty if there is none. */
  public Optional<Integer> count(String name, int least, int most) {
    Predicate<JsonNode> isWithin =
        number ->
            number.isIntegralNumber()
                && number.canConvertToInt()
                && number.intValue() >= least
                && number.intValue() <= most;
    return find(name, isWithin, "a whole number from %d to %d".formatted(least, most))
        .map(JsonNode::intValue);
  }

  /** A quantity as Kubernetes writes it, as text or number; empty if there is none, or zero. */
  public Optional<String> quantity(String name) {
    return find(name, Fields::isQuantity, "a quantity such as 2, \"500m\" or \"10Gi\"")
        .map(JsonNode::asText)
        .filter(text -> !text.isEmpty() && amount(text).signum() != 0);
  }

  private static boolean isQuantity(JsonNode value) {
    return (value.isNumber() || value.isTextual())
        && (value.asText().isEmpty() || QUANTITY.matcher(value.asText()).matches());
  }

  public static BigDecimal amount(String quantity) {
    return new Quantity(quantity).getNumericalAmount();
  }
}
