package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.muster.controller.api.TemplateSchema;
import io.muster.controller.api.WireType;
import java.util.Map;

/**
 * The parameter servers of a job. A wire type: absent fields are null. Immutable.
 *
 * @param minInstance How many there are. 0 by default. Cannot be changed: each holds a part of the
 *     parameters.
 * @param maxInstance Not followed: their number does not change.
 * @param resources What one of them needs.
 * @param replicaSpec Kept for its writers. Not followed.
 */
@WireType
public record PserverSpec(
    @JsonProperty("min-instance") @Min(0) @Max(PaddleJobSpec.MOST_INSTANCES) Integer minInstance,
    @JsonProperty("max-instance") @Min(0) Integer maxInstance,
    @SchemaFrom(type = ResourceSchema.class) @JsonDeserialize(using = ResourcesReader.class)
        ResourceRequirements resources,
    @SchemaFrom(type = TemplateSchema.Kept.class) Map<String, Object> replicaSpec) {}
