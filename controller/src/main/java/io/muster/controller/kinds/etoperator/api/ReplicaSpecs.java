package io.muster.controller.kinds.etoperator.api;

import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.WireType;

/**
 * The two roles of a training job. A wire type: absent fields are null. Immutable.
 *
 * @param launcher The pod that drives the training.
 * @param worker The pods that train.
 */
@WireType
public record ReplicaSpecs(@Required LauncherSpec launcher, @Required WorkerSpec worker) {}
