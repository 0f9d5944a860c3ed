package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.muster.controller.api.TemplateSchema;
import io.muster.controller.api.WireType;
import java.util.Map;

/** The parameter servers of a job. A wire type: absent fields are null. Immutable. */
@WireType
public record PserverSpec(
    @JsonProperty("min-instance")
        @Min(0)
        @Max(PaddleJobSpec.MOST_INSTANCES)
        @JsonPropertyDescription(
            "How many there are. 0 by default. Cannot be changed: each holds a part of the"
                + " parameters.")
        Integer minInstance,
    @JsonProperty("max-instance")
        @Min(0)
        @JsonPropertyDescription("Not followed: their number does not change.")
        Integer maxInstance,
    @SchemaFrom(type = ResourceSchema.class)
        @JsonPropertyDescription("What one of them needs.")
        @JsonDeserialize(using = ResourcesReader.class)
        ResourceRequirements resources,
    @SchemaFrom(type = TemplateSchema.Kept.class)
        @JsonPropertyDescription("Kept for its writers. Not followed.")
        Map<String, Object> replicaSpec) {}
