package io.muster.controller.api;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Volume;
import java.io.IOException;

/** A volume of another form than the API gives it. It has neither name nor source. */
public final class UnreadableVolume extends Volume implements Unreadable {

  private static final long serialVersionUID = 1;

  private final String field;
  private final transient JsonNode stored;

  private UnreadableVolume(String field, JsonNode stored) {
    this.field = field;
    this.stored = stored;
  }

  /** The volume as it came. */
  @JsonValue
  JsonNode stored() {
    return stored;
  }

  @Override
  public String field() {
    return field;
  }

  /** Reads volumes, unreadable ones too. Stateless; safe for concurrent use. */
  public static final class Reader extends JsonDeserializer<Volume> {

    @Override
    public Volume deserialize(JsonParser json, DeserializationContext context) throws IOException {
      return Unreadable.read(json, context, Volume.class, UnreadableVolume::new);
    }
  }
}
