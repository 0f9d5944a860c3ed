package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.model.annotation.SpecReplicas;
import io.muster.controller.api.TemplateSchema;
import io.muster.controller.api.UnreadableTemplate;
import io.muster.controller.api.WireType;
import io.muster.controller.core.job.Job;

/**
 * The workers of a training job. A wire type: absent fields are null. Immutable but for the
 * template, which nobody may change.
 *
 * @param replicas Workers to start with; kubectl scale changes it for a running job.
 * @param minReplicas Fewest workers that a scale-in may leave. 1 by default.
 * @param maxReplicas Most workers that a scale-out may reach. 5000 by default.
 * @param restartPolicy When a lost worker is replaced: Never (the default), OnFailure, Always, or
 *     ExitCode, which replaces workers ended by a signal.
 * @param template The pod to be made. Its restartPolicy is always Never.
 */
@WireType
public record WorkerSpec(
    @SpecReplicas @Default("1") @Min(1) @Max(Job.MOST_MEMBERS) Integer replicas,
    @Min(1) @Max(Job.MOST_MEMBERS) Integer minReplicas,
    @Min(1) @Max(Job.MOST_MEMBERS) Integer maxReplicas,
    String restartPolicy,
    @Required
        @SchemaFrom(type = TemplateSchema.class)
        @JsonDeserialize(using = UnreadableTemplate.Reader.class)
        PodTemplateSpec template) {}
