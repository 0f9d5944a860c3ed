package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.muster.controller.api.TemplateSchema;
import io.muster.controller.api.UnreadableTemplate;
import io.muster.controller.api.WireType;

/**
 * The launcher of a training job. A wire type: absent fields are null. Immutable but for the
 * template, which nobody may change.
 */
@WireType
public record LauncherSpec(
    @Min(1) @Max(1) @JsonPropertyDescription("Always 1: a job has one launcher.") Integer replicas,
    @JsonPropertyDescription(
            "What follows when the launcher pod has vanished: Always makes it again, Never fails"
                + " the job.")
        String restartPolicy,
    @Required
        @SchemaFrom(type = TemplateSchema.class)
        @JsonDeserialize(using = UnreadableTemplate.Reader.class)
        @JsonPropertyDescription("The pod to be made. Its restartPolicy is always Never.")
        PodTemplateSpec template) {}
