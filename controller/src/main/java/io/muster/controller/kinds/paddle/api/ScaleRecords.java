package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.WireType;
import java.util.List;

/** Changes of the number of trainers. A wire type: absent fields are null. Immutable. */
@WireType
public record ScaleRecords(
    @JsonProperty("ScaleRecords")
        @JsonPropertyDescription("The changes, the latest last; older ones are dropped.")
        List<ScaleRecord> records) {

  /** One of them. */
  @WireType
  public record ScaleRecord(
      @JsonPropertyDescription("When it was begun.") String scaleTimestamp,
      @Required @JsonPropertyDescription("Trainers more; below 0: fewer.") Integer additional,
      @Required
          @JsonPropertyDescription(
              "True once all run that were to come and all are gone that were to go, Unknown before,"
                  + " False where that did not come about.")
          String status,
      @JsonPropertyDescription("Why the number was changed.") String reason) {}
}
