package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.muster.controller.api.UnreadableTemplate;
import io.muster.controller.api.WireType;

/**
 * Pods of one role of a job with a coordinator. A wire type: absent fields are null. Immutable but
 * for the template, which nobody may change.
 *
 * @param template The pod to be made.
 */
@WireType
public record RoleTemplate(
    @Required
        @SchemaFrom(type = PodSchema.class)
        @JsonDeserialize(using = UnreadableTemplate.Reader.class)
        PodTemplateSpec template) {}
