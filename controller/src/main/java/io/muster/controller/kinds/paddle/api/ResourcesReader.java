package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads quantities as they are written, since the API server does not check them here: one that is
 * none fails its own job, and not the list of all. Stateless; safe for concurrent use.
 */
final class ResourcesReader extends JsonDeserializer<ResourceRequirements> {

  @Override
  public ResourceRequirements deserialize(JsonParser json, DeserializationContext context)
      throws IOException {
    var stored = context.readTree(json);
    return new ResourceRequirements(
        null, quantities(stored.path("limits")), quantities(stored.path("requests")));
  }

  private static Map<String, Quantity> quantities(JsonNode stored) {
    var quantities = new LinkedHashMap<String, Quantity>();
    stored
        .properties()
        .forEach(field -> quantities.put(field.getKey(), quantity(field.getValue().asText())));
    return quantities;
  }

  private static Quantity quantity(String text) {
    try {
      return new Quantity(text);
    } catch (IllegalArgumentException _) {
      var none = new Quantity();
      none.setAmount(text);
      return none;
    }
  }
}
