package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.WireType;

/** The two roles of a training job. A wire type: absent fields are null. Immutable. */
@WireType
public record ReplicaSpecs(
    @Required @JsonPropertyDescription("The pod that drives the training.") LauncherSpec launcher,
    @Required @JsonPropertyDescription("The pods that train.") WorkerSpec worker) {}
