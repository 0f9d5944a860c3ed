package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.muster.controller.api.WireType;

/** How copies of one template are connected. A wire type: absent fields are null. Immutable. */
@WireType
public record EngineFields(
    @JsonPropertyDescription("Who attaches to whom: star (the default), mesh or alone.")
        String topology,
    @Min(1)
        @Max(DiLimits.MOST_PROCESSES)
        @JsonPropertyDescription("Processes in each pod. 1 by default.")
        Integer parallelWorkers) {}
