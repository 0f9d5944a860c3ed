package io.muster.controller.kinds.etoperator.api;

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
 *
 * @param replicas Always 1: a job has one launcher.
 * @param restartPolicy What follows when the launcher pod has vanished: Always makes it again,
 *     Never fails the job.
 * @param template The pod to be made. Its restartPolicy is always Never.
 */
@WireType
public record LauncherSpec(
    @Min(1) @Max(1) Integer replicas,
    String restartPolicy,
    @Required
        @SchemaFrom(type = TemplateSchema.class)
        @JsonDeserialize(using = UnreadableTemplate.Reader.class)
        PodTemplateSpec template) {}
