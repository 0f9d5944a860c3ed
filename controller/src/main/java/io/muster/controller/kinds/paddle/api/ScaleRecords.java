package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.WireType;
import java.util.List;

/**
 * Changes of the number of trainers. A wire type: absent fields are null. Immutable.
 *
 * @param records The changes, the latest last; older ones are dropped.
 */
@WireType
public record ScaleRecords(@JsonProperty("ScaleRecords") List<ScaleRecord> records) {

  /**
   * One of them.
   *
   * @param scaleTimestamp When it was begun.
   * @param additional Trainers more; below 0: fewer.
   * @param status True once all run that were to come and all are gone that were to go, Unknown
   *     before, False where that did not come about.
   * @param reason Why the number was changed.
   */
  @WireType
  public record ScaleRecord(
      String scaleTimestamp,
      @Required Integer additional,
      @Required String status,
      String reason) {}
}
