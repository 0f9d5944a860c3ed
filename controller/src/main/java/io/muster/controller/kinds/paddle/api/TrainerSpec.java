package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.model.annotation.SpecReplicas;
import io.muster.controller.api.TemplateSchema;
import io.muster.controller.api.WireType;
import java.util.Map;

/**
 * The trainers of a job. A wire type: absent fields are null. Immutable.
 *
 * @param entrypoint Command of the shell by which a trainer trains.
 * @param workspace Folder in which the command is run; its Python modules are found.
 * @param passes The same as spec.passes, which counts where this is left out.
 * @param minInstance Fewest trainers: with these the job starts, and so many it keeps. Cannot be
 *     changed.
 * @param maxInstance Most trainers. By default, and for 0, min-instance. May be changed while the
 *     job runs.
 * @param parallelism Exact number of trainers, from min-instance to max-instance; kubectl scale
 *     writes it. Where it is left out Muster decides by the room there is.
 * @param resources What one trainer needs.
 * @param etcdEndpoint Kept for its writers. Not followed: see master.etcd-endpoint.
 * @param replicaSpec Kept for its writers. Not followed.
 */
@WireType
public record TrainerSpec(
    @Required String entrypoint,
    String workspace,
    @Min(1) Integer passes,
    @JsonProperty("min-instance") @Required @Min(1) @Max(PaddleJobSpec.MOST_INSTANCES)
        Integer minInstance,
    @JsonProperty("max-instance") @Min(0) @Max(PaddleJobSpec.MOST_INSTANCES) Integer maxInstance,
    @SpecReplicas @Min(1) @Max(PaddleJobSpec.MOST_INSTANCES) Integer parallelism,
    @SchemaFrom(type = ResourceSchema.class) @JsonDeserialize(using = ResourcesReader.class)
        ResourceRequirements resources,
    @JsonProperty("etcd-endpoint") String etcdEndpoint,
    @SchemaFrom(type = TemplateSchema.Kept.class) Map<String, Object> replicaSpec) {}
