package io.muster.controller.kinds.di.server.call;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  private Optional<JsonNode> find(String name) {
    return object.properties().stream()
        .filter(field -> field.getKey().equalsIgnoreCase(name))
        .map(Map.Entry::getValue)
        .filter(value -> !value.isNull())
        .findFirst();
  }

  private RefusedException wrong(String name, String right) {
    return RefusedException.malformed(path + name + " must be " + right);
  }

  /** A text that has to be there. */
  public String text(String name) {
    return optionalText(name)
        .orElseThrow(() -> RefusedException.malformed(path + name + " is missing; add it"));
  }

  public Optional<String> optionalText(String name) {
    var value = find(name);
    if (value.filter(found -> !found.isTextual()).isPresent()) {
      throw wrong(name, "a text");
    }
    return value.map(JsonNode::textValue).filter(text -> !text.isEmpty());
  }

  public List<String> texts(String name) {
    var texts = new ArrayList<String>();
    var value = find(name);
    if (value.isEmpty()) {
      return texts;
    }
    if (!value.get().isArray()) {
      throw wrong(name, "a list of texts");
    }
    for (var item : value.get()) {
      if (!item.isTextual()) {
        throw wrong(name, "a list of texts");
      }
      texts.add(item.textValue());
    }
    return texts;
  }

  /** An object; one without fields if there is none. */
  public Fields inner(String name) {
    var value = find(name);
    if (value.filter(found -> !found.isObject()).isPresent()) {
      throw wrong(name, "an object");
    }
    return new Fields(path + name + ".", value.orElseGet(JSON::createObjectNode));
  }

  /** A whole number; empty if there is none. */
  public Optional<Integer> count(String name, int least, int most) {
    var value = find(name);
    if (value.isEmpty()) {
      return Optional.empty();
    }
    var number = value.get();
    if (!number.isIntegralNumber()
        || !number.canConvertToInt()
        || number.intValue() < least
        || number.intValue() > most) {
      throw wrong(name, "a whole number from %d to %d".formatted(least, most));
    }
    return Optional.of(number.intValue());
  }

  /** A quantity as Kubernetes writes it, as text or number; empty if there is none, or zero. */
  public Optional<String> quantity(String name) {
    var value = find(name);
    if (value.isEmpty()) {
      return Optional.empty();
    }
    var text = value.get().isNumber() || value.get().isTextual() ? value.get().asText() : "?";
    if (text.isEmpty()) {
      return Optional.empty();
    }
    if (!QUANTITY.matcher(text).matches()) {
      throw wrong(name, "a quantity such as 2, \"500m\" or \"10Gi\"");
    }
    return Optional.of(text).filter(quantity -> amount(quantity).signum() != 0);
  }

  public static BigDecimal amount(String quantity) {
    return new Quantity(quantity).getNumericalAmount();
  }
}
