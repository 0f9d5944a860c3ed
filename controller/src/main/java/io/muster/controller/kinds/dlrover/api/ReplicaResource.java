package io.muster.controller.kinds.dlrover.api;

import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.muster.controller.api.TemplateSchema;
import io.muster.controller.api.WireType;
import io.muster.controller.core.job.Job;
import java.util.Map;

/**
 * The size of a role. A wire type: absent fields are null. Immutable.
 *
 * @param replicas How many members.
 * @param resource What each of them asks for. Not followed.
 */
@PreserveUnknownFields
@WireType
public record ReplicaResource(
    @Min(0) @Max(Job.MOST_MEMBERS) Integer replicas,
    @SchemaFrom(type = TemplateSchema.Kept.class) Map<String, Object> resource) {}
