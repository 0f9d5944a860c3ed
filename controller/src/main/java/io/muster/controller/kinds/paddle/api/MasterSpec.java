package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.muster.controller.api.TemplateSchema;
import io.muster.controller.api.WireType;
import java.util.Map;

/**
 * The master of a job. A wire type: absent fields are null. Immutable.
 *
 * @param etcdEndpoint An etcd that keeps the queue of tasks, as host:port, of which no other job
 *     may make use. By default one beside the master, which is lost with it.
 * @param resources What the master itself needs, without the etcd beside it.
 * @param replicaSpec Kept for its writers. Not followed.
 */
@WireType
public record MasterSpec(
    @JsonProperty("etcd-endpoint") String etcdEndpoint,
    @SchemaFrom(type = ResourceSchema.class) @JsonDeserialize(using = ResourcesReader.class)
        ResourceRequirements resources,
    @SchemaFrom(type = TemplateSchema.Kept.class) Map<String, Object> replicaSpec) {}
