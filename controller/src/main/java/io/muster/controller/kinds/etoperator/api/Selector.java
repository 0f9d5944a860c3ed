package io.muster.controller.kinds.etoperator.api;

import io.muster.controller.api.WireType;

/**
 * Names the job that a scaler is for. A wire type: absent fields are null. Immutable.
 *
 * @param name Name of the TrainingJob, in the scaler's own namespace.
 */
@WireType
public record Selector(String name) {}
