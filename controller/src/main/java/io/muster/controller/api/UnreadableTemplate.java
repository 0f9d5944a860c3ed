package io.muster.controller.api;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.io.IOException;

/** A pod template of another form than the API gives it. It has neither metadata nor spec. */
public final class UnreadableTemplate extends PodTemplateSpec implements Unreadable {

  private static final long serialVersionUID = 1;

  private final String field;
  private final transient JsonNode stored;

  private UnreadableTemplate(String field, JsonNode stored) {
    this.field = field;
    this.stored = stored;
  }

  /** The template as it came. */
  @JsonValue
  JsonNode stored() {
    return stored;
  }

  @Override
  public String field() {
    return field;
  }

  /** Reads templates, unreadable ones too. Stateless; safe for concurrent use. */
  public static final class Reader extends JsonDeserializer<PodTemplateSpec> {

    @Override
    public PodTemplateSpec deserialize(JsonParser json, DeserializationContext context)
        throws IOException {
      return Unreadable.read(json, context, PodTemplateSpec.class, UnreadableTemplate::new);
    }
  }
}
