package io.muster.controller.kinds.di.api;

import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.muster.controller.api.WireType;

/**
 * How copies of one template are connected. A wire type: absent fields are null. Immutable.
 *
 * @param topology Who attaches to whom: star (the default), mesh or alone.
 * @param parallelWorkers Processes in each pod. 1 by default.
 */
@WireType
public record EngineFields(
    String topology, @Min(1) @Max(DiLimits.MOST_PROCESSES) Integer parallelWorkers) {}
