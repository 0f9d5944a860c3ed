package io.muster.controller.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** Counts of pods of one role. A wire type: where there are none, the field is null. Immutable. */
@WireType
public record PodCounts(
    @JsonPropertyDescription("Pods that run.") Integer active,
    @JsonPropertyDescription("Pods that have succeeded.") Integer succeeded,
    @JsonPropertyDescription("Pods that have failed.") Integer failed) {

  public static PodCounts of(long active, long succeeded, long failed) {
    return new PodCounts(orNull(active), orNull(succeeded), orNull(failed));
  }

  private static Integer orNull(long count) {
    return count == 0 ? null : (int) count;
  }
}
