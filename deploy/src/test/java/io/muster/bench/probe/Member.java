package io.muster.bench.probe;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.core.gang.GangKeys;

/** What the probe reads of a pod. Immutable. */
record Member(String gang, int min, int index, int gpus) {

  static Member of(JsonNode pod) {
    var annotations = pod.path("metadata").path("annotations");
    return new Member(
        annotations.path(GangKeys.NAME).asText(),
        annotations.path(GangKeys.MIN).asInt(),
        annotations.path(GangKeys.INDEX).asInt(),
        pod.path("spec")
            .path("containers")
            .path(0)
            .path("resources")
            .path("limits")
            .path("nvidia.com/gpu")
            .asInt());
  }
}
